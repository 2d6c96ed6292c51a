import { spawn } from "node:child_process";
import { hostname } from "node:os";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { readMachine } from "../../src/checkpoint/machine.ts";
import { createMemoryLeases } from "../../src/checkpoint/memory-lease.ts";
import type { Database } from "../../src/checkpoint/sqlite/database.ts";
import { createLeases } from "../../src/checkpoint/sqlite/sqlite-lease.ts";
import { readStartTime } from "../../src/tools/process/process-group.ts";
import type { ProcessGroup } from "../../src/tools/tool.ts";
import { isAlive } from "../support/process-group.ts";
import { buildChild } from "./children.ts";
import { describeStores, type OpenStore } from "./stores.ts";
import { openTestDatabase } from "./support.ts";

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

describe("leases in memory", () => describeLeases(async () => ({ leases: createMemoryLeases() })));
describeStores(({ open }) => describe("leases", () => describeLeases(open)));

describe("leases in a file", () => {
  let start: Awaited<ReturnType<typeof buildChild>>;

  beforeAll(async () => {
    start = await buildChild();
  });

  /** Puts a holder into the table, as another process would. */
  function plant(
    database: Database,
    holder: { machine?: string; pid?: number; startTime?: string; age?: number },
  ) {
    const {
      machine = readMachine(),
      pid = process.pid,
      startTime = readStartTime(pid) ?? "",
      age = 0,
    } = holder;
    const then = Date.now() - age;
    const sql =
      "INSERT INTO lease (thread_id, life, machine, host, pid, start_time, since, beat, groups) VALUES ('t', 'life', ?, 'elsewhere', ?, ?, ?, ?, ?)";
    database.run(sql, machine, pid, startTime, then, then, JSON.stringify([group]));
  }

  function openLeases(database: Database) {
    const ended: ProcessGroup[] = [];
    const leases = createLeases(database, { endGroup: async (one) => void ended.push(one) });
    return { leases, ended };
  }

  it("hold in every process, and a killed holder is replaced at once, its process group ended first", async () => {
    const database = await openTestDatabase();
    const child = start("hold", database.file, "t");
    const pid = Number(await child.readLine());
    const left = { pid, startTime: readStartTime(pid) ?? "" };
    const leases = createLeases(database);
    await expect(leases.acquire("t")).rejects.toMatchObject({
      ...busy,
      message: expect.stringContaining(`process ${child.process.pid} on`),
    });
    await child.kill();
    expect(isAlive(left)).toBe(true);
    const started = performance.now();
    const lease = await leases.acquire("t");
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(isAlive(left)).toBe(false);
    await lease.release();
  });

  it("of a holder that is stopped are kept however long it is silent", async () => {
    const database = await openTestDatabase();
    const sleeper = spawn("sleep", ["60"], { stdio: "ignore" });
    sleeper.kill("SIGSTOP");
    plant(database, { pid: sleeper.pid ?? 0, age: 3_600_000 });
    const { leases, ended } = openLeases(database);
    await expect(leases.acquire("t")).rejects.toMatchObject(busy);
    expect(ended).toEqual([]);
    sleeper.kill("SIGKILL");
    await vi.waitFor(() => leases.acquire("t"), 5_000);
    expect(ended).toEqual([group]);
  });

  it("of a pid that was given to another program are replaced at once", async () => {
    const database = await openTestDatabase();
    plant(database, { startTime: "long ago" });
    const { leases, ended } = openLeases(database);
    await leases.acquire("t");
    expect(ended).toEqual([group]);
  });

  it("of another machine are replaced after 15 s of silence, and its processes are left alone", async () => {
    const database = await openTestDatabase();
    plant(database, { machine: "elsewhere/1/2", pid: 1, age: 14_000 });
    const { leases, ended } = openLeases(database);
    const held = leases.acquire("t");
    await expect(held).rejects.toMatchObject({
      message: expect.stringContaining("process 1 on elsewhere since"),
    });
    database.run("UPDATE lease SET beat = beat - 2000");
    await leases.acquire("t");
    expect(ended).toEqual([]);
  });

  it("keep a dead holder's row until all its process groups have been ended", async () => {
    const database = await openTestDatabase();
    plant(database, { startTime: "long ago" });
    const failing = createLeases(database, { endGroup: () => Promise.reject(new Error("no")) });
    await expect(failing.acquire("t")).rejects.toThrow("no");
    const { leases, ended } = openLeases(database);
    await leases.acquire("t");
    expect(ended).toEqual([group]);
  });

  it("go to one of several that find a dead holder at once", async () => {
    const database = await openTestDatabase();
    plant(database, { startTime: "long ago" });
    const { leases } = openLeases(database);
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => leases.acquire("t")));
    expect(settled.filter((one) => one.status === "fulfilled")).toHaveLength(1);
  });

  it("beat every 5 s until they are released", async () => {
    const database = await openTestDatabase();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const lease = await createLeases(database).acquire("t");
    const readBeat = () => database.get<{ beat: number }>("SELECT beat FROM lease")?.beat;
    const first = readBeat() ?? 0;
    vi.advanceTimersByTime(5_000);
    expect(readBeat()).toBe(first + 5_000);
    vi.advanceTimersByTime(5_000);
    expect(readBeat()).toBe(first + 10_000);
    await lease.release();
    expect(vi.getTimerCount()).toBe(0);
    expect(readBeat()).toBeUndefined();
  });

  it("write a process group down before addGroup returns", async () => {
    const database = await openTestDatabase();
    const lease = await createLeases(database).acquire("t");
    const readGroups = () =>
      JSON.parse(database.get<{ groups: string }>("SELECT groups FROM lease")?.groups ?? "");
    lease.addGroup(group);
    expect(readGroups()).toEqual([group]);
    lease.removeGroup(group);
    expect(readGroups()).toEqual([]);
  });

  it("stay when the thread is deleted, and do not keep it from being run again", async () => {
    const database = await openTestDatabase();
    const { leases } = openLeases(database);
    const lease = await leases.acquire("t");
    const { deleteThread } = await import("../../src/checkpoint/sqlite/threads.ts");
    await deleteThread(database, "t");
    await expect(leases.acquire("t")).rejects.toMatchObject(busy);
    await lease.release();
    await leases.acquire("t");
  });
});

describe("a lease that could not be given back", () => {
  it("holds nothing for its own process, and soon for no other", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"], shouldAdvanceTime: true });
    const database = await openTestDatabase(undefined, 100);
    const other = await openTestDatabase(database.file, 10_000);
    const leases = createLeases(database);
    const [one, two] = [await leases.acquire("one"), await leases.acquire("two")];
    other.exec("BEGIN IMMEDIATE");
    const given = await Promise.allSettled([one.release(), two.release()]);
    expect(given).toMatchObject([
      { reason: { code: "checkpoint-unavailable" } },
      { reason: { code: "checkpoint-unavailable" } },
    ]);
    other.exec("COMMIT");
    expect(await leases.isHeld("one")).toBe(false);
    const next = await leases.acquire("one");
    await vi.advanceTimersByTimeAsync(5_000);
    const held = () => other.all("SELECT thread_id, life FROM lease");
    await vi.waitFor(() => expect(held()).toEqual([{ thread_id: "one", life: next.life }]));
  });
});
