import { join } from "node:path";
import { ERROR, INTERRUPT, uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/checkpoint/sqlite/database.ts";
import {
  forkThread,
  listThreads,
  pruneThreads,
  readHistory,
  readThread,
  type SkillAgent,
  type SkillAgentOptions,
} from "../../../src/index.ts";
import { readAgentFacts } from "../../../src/runtime/agent.ts";
import { parseAge } from "../../../src/runtime/threads/prune.ts";
import { describePostgres, getServer } from "../../checkpoint/stores.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { createInsideCli } from "../../support/inside-cli.ts";
import { createWorkspace } from "../../support/workspace.ts";

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
async function makeOld(folder: string, days: number): Promise<void> {
  const database = await openDatabase(join(folder, ".skillgraph", "threads.db"));
  await database.write(() => database.run("UPDATE line SET updated_at = ?", Date.now() - days * DAY));
  database.close();
}

/** Copies the only thread of a workspace, with all its checkpoints: each copy's keys lie in a thousand of their own. */
async function multiply(folder: string, count: number): Promise<void> {
  const database = await openDatabase(join(folder, ".skillgraph", "threads.db"));
  const copies = "WITH RECURSIVE copy(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copy WHERE i < ?)";
  const moved = "json_group_object(ref.key, ref.value + 1000 * i)";
  const tables = {
    line: `key + 1000 * i, thread_id || '-' || i, ns, head + 1000 * i, stamp, updated_at FROM line, copy`,
    blob: "key + 1000 * i, line + 1000 * i, digest, type, value FROM blob, copy",
    pending: "checkpoint + 1000 * i, task_id, idx, task_path, channel, blob + 1000 * i FROM pending, copy",
    checkpoint: `key + 1000 * i, line + 1000 * i, id, parent + 1000 * i, body,
      (SELECT ${moved} FROM json_each(refs) ref), metadata_type, metadata, shape + 1000 * i FROM checkpoint, copy`,
  };
  await database.write(() => {
    for (const [table, select] of Object.entries(tables))
      database.run(`INSERT INTO ${table} ${copies} SELECT ${select}`, count);
  });
  database.close();
}

/** How many rows of threads a file holds. */
async function countRows(folder: string): Promise<number> {
  const database = await openDatabase(join(folder, ".skillgraph", "threads.db"));
  const tables = ["line", "checkpoint", "blob", "pending", "thread_info", "lease"];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`);
  const row = database.get<{ count: number }>(`SELECT ${counts.join(" + ")} AS count`);
  database.close();
  return row?.count ?? -1;
}

/** A thread that is finished, one that waits, one that was stopped and one that failed; all 40 days old. */
async function createThreads(options: SkillAgentOptions = {}) {
  const workspace = createWorkspace({ "a.md": "text" });
  const read = { calls: [{ id: "r1", name: "Read", arguments: { path: "a.md" } }] };
  const ask = { calls: [{ id: "b1", name: "Bash", arguments: { command: "touch b.md" } }] };
  const script = [{ text: "Done. ".repeat(20_000) }, ask, read, { status: 400, error: { message: "no" } }];
  const { agent, reopen } = await createScriptedAgent(workspace, script, options);
  const { end: finished } = await send(agent, "finish");
  const { end: waiting } = await send(agent, "wait");
  const { end: stopped } = await send(await reopen({ maxSteps: 1 }), "stop");
  const { end: failed } = await send(agent, "fail");
  if (options.checkpoint === undefined) await makeOld(workspace.folder, 40);
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
    const { workspace, agent, threads } = await createThreads();
    const { store, leases } = readAgentFacts(agent);
    // A question stays open where another part of its step failed.
    const asking = await store?.saver.getTuple({ configurable: { thread_id: threads.waiting } });
    await store?.saver.putWrites(asking?.config ?? {}, [[ERROR, { name: "Error", message: "no" }]], "other");
    await makeOld(workspace.folder, 40);
    const lease = await leases?.acquire(threads.stopped);
    const tried = await pruneThreads(agent, { olderThan: "30d", stopped: true, dryRun: true });
    const { removed, kept } = await pruneThreads(agent, { olderThan: "30d", stopped: true });
    await lease?.release();
    expect(tried).toMatchObject({ removed, kept });
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

  it("removes two thousand threads in seconds, and nothing is left of them", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(workspace, [{ text: "Done." }]);
    await send(agent, "finish");
    await multiply(workspace.folder, 1_999);
    await makeOld(workspace.folder, 40);
    const tried = await pruneThreads(agent, { olderThan: "30d", dryRun: true });
    const { removed, kept, freedBytes } = await pruneThreads(agent, { olderThan: "30d" });
    expect([removed.length, kept]).toEqual([2_000, []]);
    expect(removed).toEqual(tried.removed);
    expect(freedBytes).toBeGreaterThan(2_000_000);
    expect(await countRows(workspace.folder)).toBe(0);
  }, 60_000);

  it("keeps a thread that was left at any of its checkpoints, as what readThread calls it", async () => {
    const workspace = createWorkspace();
    const ask = { calls: [{ id: "b1", name: "Bash", arguments: { command: "touch b.md" } }] };
    const { agent } = await createScriptedAgent(workspace, [ask, { text: "Done." }]);
    const { end } = await send(agent, "do it");
    await answer(agent, end.thread, { reply: true });
    const nexts = new Set<string>();
    const statuses = new Map([[end.thread, "finished"]]);
    for (const { checkpoint, next } of await readHistory(agent, end.thread)) {
      const fork = await forkThread(agent, end.thread, checkpoint);
      for (const node of next) nexts.add(node);
      statuses.set(fork, (await readThread(agent, fork)).status);
    }
    expect([...nexts]).toEqual(expect.arrayContaining(["__start__", "act", "review", "observe"]));
    await makeOld(workspace.folder, 40);
    const { removed, kept } = await pruneThreads(agent, { olderThan: "30d" });
    expect(new Map([...removed, ...kept].map(({ thread, status }) => [thread, status]))).toEqual(statuses);
    expect(new Set(removed.map(({ status }) => status))).toEqual(new Set(["finished"]));
    expect(new Set(kept.map(({ status }) => status))).toEqual(new Set(["waiting", "stopped"]));
  });

  it("keeps threads that began to wait, or went on, after they were looked at", async () => {
    const { agent, threads } = await createThreads();
    const facts = readAgentFacts(agent);
    const { leases, store } = facts;
    if (!leases || !store) throw new Error("The agent has no store.");
    const acquire: typeof leases.acquire = async (thread, request) => {
      const config = { configurable: { thread_id: thread } };
      const { config: head = config, checkpoint, metadata } = (await store.saver.getTuple(config)) ?? {};
      if (thread === threads.stopped)
        await store.saver.putWrites(head, [[INTERRUPT, { value: "?" }]], "task");
      if (thread === threads.finished && checkpoint && metadata)
        await store.saver.put(head, { ...checkpoint, id: uuid6(0) }, metadata, {});
      return leases.acquire(thread, request);
    };
    facts.leases = { ...leases, acquire };
    const { removed, kept } = await pruneThreads(agent, { olderThan: "30d", stopped: true });
    expect(removed.map(({ status }) => status)).toEqual(["failed"]);
    expect(kept.map(({ thread, status }) => [thread, status])).toEqual([
      [threads.stopped, "running"],
      [threads.waiting, "waiting"],
      [threads.finished, "running"],
    ]);
  });
});

describePostgres("pruneThreads in PostgreSQL", () => {
  it("E5: removes and keeps the same, also what was half deleted by hand, and says that the room stays with the database", async () => {
    const server = await getServer();
    const checkpoint = server.toUrl("pruned");
    const { workspace, agent, threads } = await createThreads({ checkpoint });
    await server.query("UPDATE pruned.skillgraph_line SET updated_at = updated_at - $1", 40 * DAY);
    const { removed, kept, freedBytes } = await pruneThreads(agent, { olderThan: "30d" });
    expect([removed.map(({ thread }) => thread), freedBytes]).toEqual([[threads.finished], 0]);
    expect(kept.map(({ status }) => status)).toEqual(["failed", "stopped", "waiting"]);
    // By hand, and so not from our own tables.
    await server.query("DELETE FROM pruned.checkpoints WHERE thread_id = $1", threads.stopped);
    const words = ["threads", "prune", "--older-than", "30d", "--stopped"];
    const told = await createInsideCli(workspace).run(words, { env: { SKILLGRAPH_CHECKPOINT: checkpoint } });
    expect(told).toMatchObject({ code: 0, stderr: "" });
    expect(told.stdout).toContain("2 threads removed; their room is free for the next threads.\n");
    expect([...(await readStatuses(agent)).keys()]).toEqual([threads.waiting]);
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "skillgraph_line"]) {
      const left = `SELECT DISTINCT thread_id AS thread FROM pruned.${table}`;
      expect(await server.query(left)).toEqual([{ thread: threads.waiting }]);
    }
    const other = `SELECT 1 FROM pruned.skillgraph_checkpoint WHERE line NOT IN (SELECT key FROM pruned.skillgraph_line)`;
    expect(await server.query(other)).toEqual([]);
  });
});
