import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createMemoryLeases } from "../../src/checkpoint/memory-lease.ts";
import { buildChild } from "./children.ts";
import { describeDeadHolders } from "./dead-holders.ts";
import { describeStores, type OpenStore, type TestStore } from "./stores.ts";

const busy = { code: "thread-busy" };
const group = { pid: 2 ** 22 + 7, startTime: "never" };

afterEach(() => {
  vi.useRealTimers();
});

function describeLeases(open: () => Promise<Pick<OpenStore, "leases">>) {
  it("give a thread to one run at a time", async () => {
    const { leases } = await open();
    expect(await leases.isHeld("t")).toBe(false);
    const lease = await leases.acquire("t");
    expect(await leases.isHeld("t")).toBe(true);
    await expect(leases.acquire("t")).rejects.toMatchObject(busy);
    await lease.release();
    expect(await leases.isHeld("t")).toBe(false);
    await (await leases.acquire("t")).release();
  });

  it("D7: give a thread to one of eight that ask at once", async () => {
    const { leases } = await open();
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => leases.acquire("t")));
    expect(settled.filter((one) => one.status === "fulfilled")).toHaveLength(1);
  });

  it("name the holder, its host and since when", async () => {
    const { leases } = await open();
    await leases.acquire("my thread");
    const message = new RegExp(
      `^Thread "my thread" is in use by process ${process.pid} on ${hostname()} since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z\\.$`,
    );
    await expect(leases.acquire("my thread")).rejects.toMatchObject({
      message: expect.stringMatching(message),
    });
  });

  it("let one process run two threads", async () => {
    const { leases } = await open();
    const [one, two] = await Promise.all([leases.acquire("one"), leases.acquire("two")]);
    expect(one.life).not.toBe(two.life);
    await one.release();
    await expect(leases.acquire("two")).rejects.toMatchObject(busy);
  });

  it("have a uuid that no other run has", async () => {
    const { leases } = await open();
    const first = await leases.acquire("t");
    await first.release();
    const second = await leases.acquire("t");
    for (const { life } of [first, second])
      expect(life).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(second.life).not.toBe(first.life);
  });

  it("do not take the thread from a later holder when they are released twice", async () => {
    const { leases } = await open();
    const first = await leases.acquire("t");
    await first.release();
    await leases.acquire("t");
    await first.release();
    await expect(leases.acquire("t")).rejects.toMatchObject(busy);
  });

  it("take and drop process groups", async () => {
    const { leases } = await open();
    const lease = await leases.acquire("t");
    lease.addGroup(group);
    lease.removeGroup(group);
    lease.removeGroup(group);
    await lease.release();
    await leases.acquire("t");
  });

  it("are not given to a run that was aborted before", async () => {
    const { leases } = await open();
    const reason = new Error("enough");
    await expect(leases.acquire("t", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await leases.acquire("t");
  });
}

/** What is true of the rows that keep leases. */
function describeRows({ open }: TestStore) {
  it("beat every 5 s until they are released", async () => {
    const { leases, leaseTable } = await open();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const lease = await leases.acquire("t");
    const readBeat = async () => (await leaseTable.read())[0]?.beat ?? 0;
    let last = await readBeat();
    await vi.advanceTimersByTimeAsync(4_999);
    await delay(50);
    expect(await readBeat()).toBe(last);
    for (const ms of [1, 5_000]) {
      await vi.advanceTimersByTimeAsync(ms);
      while ((await readBeat()) === last) await delay(5);
      expect(await readBeat()).toBeGreaterThan(last);
      last = await readBeat();
    }
    await lease.release();
    expect(vi.getTimerCount()).toBe(0);
    expect(await leaseTable.read()).toEqual([]);
  });

  it("write process groups down before addGroup is done", async () => {
    const { leases, leaseTable } = await open();
    const lease = await leases.acquire("t");
    const readGroups = async () => JSON.parse((await leaseTable.read())[0]?.groups ?? "");
    await lease.addGroup(group);
    expect(await readGroups()).toEqual([group]);
    const other = { pid: group.pid + 1, startTime: "never" };
    lease.removeGroup(group);
    await lease.addGroup(other);
    expect(await readGroups()).toEqual([other]);
  });

  it("stay when the thread is deleted, and do not keep it from being run again", async () => {
    const { leases, threads } = await open();
    const lease = await leases.acquire("t");
    await threads.deleteThread("t");
    await expect(leases.acquire("t")).rejects.toMatchObject(busy);
    await lease.release();
    await leases.acquire("t");
  });

  it("that cannot be given back hold nothing for their own process, and soon for no other", async () => {
    const { leases, leaseTable } = await open();
    const [one, two] = [await leases.acquire("one"), await leases.acquire("two")];
    await leaseTable.hide(true);
    vi.useFakeTimers({ toFake: ["setTimeout"], shouldAdvanceTime: true });
    const reason = { code: "checkpoint-unavailable" };
    const given = await Promise.allSettled([one.release(), two.release()]);
    expect(given).toMatchObject([{ reason }, { reason }]);
    await leaseTable.hide(false);
    expect(await leaseTable.read()).toHaveLength(2);
    expect(await leases.isHeld("one")).toBe(false);
    const next = await leases.acquire("one");
    await vi.advanceTimersByTimeAsync(5_000);
    while ((await leaseTable.read()).length > 1) await delay(5);
    expect(await leaseTable.read()).toMatchObject([{ threadId: "one", life: next.life }]);
  });
}

describe("leases in memory", () => describeLeases(async () => ({ leases: createMemoryLeases() })));

let start: ReturnType<typeof buildChild> | undefined;

describeStores((store) =>
  describe("leases", () => {
    describeLeases(store.open);
    describeDeadHolders(store, () => {
      start ??= buildChild();
      return start;
    });
    describeRows(store);
  }),
);
