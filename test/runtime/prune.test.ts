import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/checkpoint/sqlite/database.ts";
import { listThreads, pruneThreads, type SkillAgent } from "../../src/index.ts";
import { readAgentFacts } from "../../src/runtime/agent.ts";
import { parseAge } from "../../src/runtime/prune.ts";
import { createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace } from "../support/workspace.ts";

const DAY = 86_400_000;

describe("an age", () => {
  it.each<[string | number, number]>([
    ["90m", 5_400_000],
    ["12h", DAY / 2],
    ["30d", 30 * DAY],
    [" 8 W ", 56 * DAY],
    ["0d", 0],
    [1_000, 1_000],
  ])("%j is %d ms", (age, milliseconds) => {
    expect(parseAge(age)).toBe(milliseconds);
  });

  it.each(["", "30", "d", "-1d", "1.5d", "30 days", "1y", "99999999999999999d", -1, Number.NaN])(
    "%j is refused with the forms",
    (age) => {
      const message = `"${age}" is no age. Write a whole number and a unit: 90m, 12h, 30d or 8w.`;
      expect(() => parseAge(age)).toThrow(expect.objectContaining({ code: "usage", message }));
    },
  );
});

/** Sets when all threads of a workspace changed last. */
async function makeOld(folder: string, days: number, where = "1"): Promise<void> {
  const database = await openDatabase(join(folder, ".skillgraph", "threads.db"));
  await database.write(() =>
    database.run(`UPDATE line SET updated_at = ? WHERE ${where}`, Date.now() - days * DAY),
  );
  database.close();
}

/** A thread that is finished, one that waits, one that was stopped and one that failed; all 40 days old. */
async function createThreads() {
  const workspace = createWorkspace({ "a.md": "text" });
  const read = { calls: [{ id: "r1", name: "Read", arguments: { path: "a.md" } }] };
  const ask = { calls: [{ id: "b1", name: "Bash", arguments: { command: "touch b.md" } }] };
  const { agent, reopen } = await createScriptedAgent(workspace, [
    { text: "Done. ".repeat(20_000) },
    ask,
    read,
    { status: 400, error: { message: "no" } },
  ]);
  const { end: finished } = await send(agent, "finish");
  const { end: waiting } = await send(agent, "wait");
  const { end: stopped } = await send(await reopen({ maxSteps: 1 }), "stop");
  const { end: failed } = await send(agent, "fail");
  await makeOld(workspace.folder, 40);
  const threads = {
    finished: finished.thread,
    waiting: waiting.thread,
    stopped: stopped.thread,
    failed: failed.thread,
  };
  expect(await readStatuses(agent)).toEqual(
    new Map(Object.entries(threads).map(([status, thread]) => [thread, status])),
  );
  return { workspace, agent, threads };
}

async function readStatuses(agent: SkillAgent) {
  return new Map((await listThreads(agent)).map(({ thread, status }) => [thread, status]));
}

describe("pruneThreads", () => {
  it("removes what is finished, keeps what somebody may go on with, and tells both", async () => {
    const { agent, threads } = await createThreads();
    expect(await pruneThreads(agent, { olderThan: "41d" })).toEqual({ removed: [], kept: [], freedBytes: 0 });
    const tried = await pruneThreads(agent, { olderThan: "30d", dryRun: true });
    expect((await listThreads(agent)).length).toBe(4);
    const { removed, kept, freedBytes } = await pruneThreads(agent, { olderThan: "30d" });
    expect({ removed, kept, freedBytes: 0 }).toEqual(tried);
    expect(freedBytes).toBeGreaterThan(100_000);
    expect(removed).toEqual([
      { thread: threads.finished, status: "finished", updatedAt: expect.stringMatching(/^\d{4}-/) },
    ]);
    expect(kept.map(({ thread, status }) => [thread, status])).toEqual([
      [threads.failed, "failed"],
      [threads.stopped, "stopped"],
      [threads.waiting, "waiting"],
    ]);
    expect((await readStatuses(agent)).has(threads.finished)).toBe(false);
  });

  it("removes the stopped and the failed when asked, never one that waits or runs", async () => {
    const { agent, threads } = await createThreads();
    const lease = await readAgentFacts(agent).leases?.acquire(threads.stopped);
    const { removed, kept } = await pruneThreads(agent, { olderThan: "30d", stopped: true });
    await lease?.release();
    expect(removed.map(({ status }) => status)).toEqual(["failed", "finished"]);
    expect(kept.map(({ status }) => status)).toEqual(["running", "waiting"]);
    expect([...(await readStatuses(agent)).keys()]).toEqual([threads.stopped, threads.waiting]);
  });

  it("E5: a thread that cannot be read is listed, kept, and removed with the stopped", async () => {
    const { workspace, agent, threads } = await createThreads();
    const database = await openDatabase(join(workspace.folder, ".skillgraph", "threads.db"));
    await database.write(() => {
      const line = "(SELECT key FROM line WHERE thread_id = ?)";
      database.run(`UPDATE blob SET value = '{' WHERE line = ${line}`, threads.finished);
    });
    database.close();
    expect((await readStatuses(agent)).get(threads.finished)).toBe("failed");
    const kept = (await pruneThreads(agent, { olderThan: "30d" })).kept;
    expect(kept.find(({ thread }) => thread === threads.finished)?.status).toBe("failed");
    const { removed } = await pruneThreads(agent, { olderThan: "30d", stopped: true });
    expect(removed.map(({ thread }) => thread)).toContain(threads.finished);
  });
});
