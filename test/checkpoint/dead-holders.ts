import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, it, vi } from "vitest";
import { readStartTime } from "../../src/tools/process/process-group.ts";
import type { ProcessGroup } from "../../src/tools/tool.ts";
import { isAlive } from "../support/process-group.ts";
import type { buildChild } from "./children.ts";
import type { OpenStore, TestStore } from "./stores.ts";

const busy = { code: "thread-busy" };
/** No process has this number. */
const group = { pid: 2 ** 22 + 7, startTime: "never" };
const groups = JSON.stringify([group]);

const started: ChildProcess[] = [];

afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

/** A process of its own group that nobody may end. */
function startSleeper(): ProcessGroup & { process: ChildProcess } {
  const child = spawn("sleep", ["60"], { stdio: "ignore", detached: true });
  started.push(child);
  const pid = child.pid ?? 0;
  return { process: child, pid, startTime: readStartTime(pid) ?? "" };
}

/** Leases that write down which process groups they would end. */
async function openLeases({ leaseTable }: OpenStore) {
  const ended: ProcessGroup[] = [];
  const leases = await leaseTable.createLeases({ endGroup: async (one) => void ended.push(one) });
  return { leases, ended };
}

/** What is true of holders that died, were stopped, are elsewhere, or never were what their row says. */
export function describeDeadHolders(
  { open }: TestStore,
  buildChildOnce: () => ReturnType<typeof buildChild>,
) {
  it("hold in every process, and a killed holder is replaced at once, its process group ended first", async () => {
    const start = await buildChildOnce();
    const { leases, place } = await open();
    const child = start("hold", place, "t");
    const pid = Number(await child.readLine());
    const left = { pid, startTime: readStartTime(pid) ?? "" };
    await expect(leases.acquire("t")).rejects.toMatchObject({
      ...busy,
      message: expect.stringContaining(`process ${child.process.pid} on`),
    });
    await child.kill();
    expect(isAlive(left)).toBe(true);
    const from = performance.now();
    const lease = await leases.acquire("t");
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(isAlive(left)).toBe(false);
    await lease.release();
  });

  it("of a holder that is stopped are kept however long it is silent", async () => {
    const store = await open();
    const sleeper = startSleeper();
    sleeper.process.kill("SIGSTOP");
    await store.leaseTable.plant({ pid: sleeper.pid, silence: 3_600_000, groups });
    const { leases, ended } = await openLeases(store);
    await expect(leases.acquire("t")).rejects.toMatchObject(busy);
    expect(await leases.isHeld("t")).toBe(true);
    expect(ended).toEqual([]);
    sleeper.process.kill("SIGKILL");
    await vi.waitFor(() => leases.acquire("t"), 5_000);
    expect(ended).toEqual([group]);
  });

  it("of a pid that was given to another program are replaced at once", async () => {
    const store = await open();
    await store.leaseTable.plant({ startTime: "long ago", groups });
    const { leases, ended } = await openLeases(store);
    expect(await leases.isHeld("t")).toBe(false);
    await leases.acquire("t");
    expect(ended).toEqual([group]);
  });

  it("of another machine are replaced after 15 s of silence, and its processes are left alone", async () => {
    const store = await open();
    // The same numbers on this machine are another program's.
    const { process: _, ...sleeper } = startSleeper();
    const row = { machine: "elsewhere/1/2", pid: 1, groups: JSON.stringify([sleeper]) };
    await store.leaseTable.plant({ ...row, silence: 13_000 });
    const { leases, ended } = await openLeases(store);
    await expect(leases.acquire("t")).rejects.toMatchObject({
      message: expect.stringContaining("process 1 on elsewhere since"),
    });
    await store.leaseTable.addSilence(2_001);
    await store.leases.acquire("t");
    expect(await store.leaseTable.read()).toMatchObject([{ groups: "[]" }]);
    await store.leaseTable.addSilence(3_600_000);
    await expect(leases.acquire("t")).rejects.toMatchObject(busy);
    expect(ended).toEqual([]);
    expect(isAlive(sleeper)).toBe(true);
  });

  it("of a process whose start could not be read are replaced after 15 s of silence", async () => {
    const store = await open();
    await store.leaseTable.plant({ startTime: "", silence: 13_000, groups });
    const { leases, ended } = await openLeases(store);
    await expect(leases.acquire("t")).rejects.toMatchObject(busy);
    await store.leaseTable.addSilence(2_001);
    await leases.acquire("t");
    expect(ended).toEqual([group]);
  });

  it("keep a dead holder's row until all its process groups have been ended", async () => {
    const store = await open();
    const two = [group, { ...group, pid: group.pid + 1 }];
    await store.leaseTable.plant({ startTime: "long ago", groups: JSON.stringify(two) });
    const failing = await store.leaseTable.createLeases({
      endGroup: async ({ pid }) => {
        if (pid !== group.pid) throw new Error("no");
      },
    });
    await expect(failing.acquire("t")).rejects.toThrow("no");
    const { leases, ended } = await openLeases(store);
    const { life } = await leases.acquire("t");
    expect(ended).toEqual(two);
    expect(await store.leaseTable.read()).toMatchObject([{ life, groups: "[]" }]);
  });

  it("keep the process groups of a run that took the thread while those of the dead one were being ended", async () => {
    const store = await open();
    await store.leaseTable.plant({ startTime: "long ago", groups });
    const other = { ...group, pid: group.pid + 1 };
    let life: string | undefined;
    const late = await store.leaseTable.createLeases({
      endGroup: async () => {
        const lease = await (await openLeases(store)).leases.acquire("t");
        await lease.addGroup(other);
        life = lease.life;
      },
    });
    await expect(late.acquire("t")).rejects.toMatchObject(busy);
    expect(await store.leaseTable.read()).toMatchObject([{ life, groups: JSON.stringify([other]) }]);
  });

  it("go to one of several that find a dead holder at once", async () => {
    const store = await open();
    await store.leaseTable.plant({ startTime: "long ago", groups });
    const { leases } = await openLeases(store);
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => leases.acquire("t")));
    expect(settled.filter((one) => one.status === "fulfilled")).toHaveLength(1);
  });

  it("end nothing that only has the number of what a dead run left, nor what no run leaves", async () => {
    const store = await open();
    const { process: _, ...sleeper } = startSleeper();
    const own = { pid: process.pid, startTime: readStartTime(process.pid) ?? "" };
    const first = { pid: 1, startTime: readStartTime(1) ?? "" };
    const planted = [
      { ...sleeper, startTime: "long ago" },
      { ...sleeper, startTime: "" },
      { ...sleeper, pid: -sleeper.pid },
      { ...sleeper, pid: String(sleeper.pid) },
      { ...sleeper, startTime: Number(sleeper.startTime) },
      { pid: sleeper.pid },
      { startTime: sleeper.startTime },
      ...[0, -1, 1.5, null].map((pid) => ({ ...sleeper, pid })),
      own,
      first,
      null,
      sleeper.pid,
    ];
    await store.leaseTable.plant({ startTime: "long ago", groups: JSON.stringify(planted) });
    await store.leases.acquire("t");
    await delay(50);
    expect(readStartTime(sleeper.pid)).toBe(sleeper.startTime);
  });

  it.each(["", "[", "null", "7", '{"pid":7,"startTime":"1"}', "[[]]"])(
    "of a dead holder whose process groups are %j are taken all the same",
    async (text) => {
      const store = await open();
      await store.leaseTable.plant({ startTime: "long ago", groups: text });
      await (await store.leases.acquire("t")).release();
    },
  );
}
