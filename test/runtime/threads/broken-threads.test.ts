import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { deleteThread, listThreads, readThread } from "../../../src/index.ts";
import { createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace } from "../../support/workspace.ts";

/** What spoils the newest checkpoint of the first thread that was made. */
const NEWEST = "(SELECT head FROM line WHERE thread_id = ?1 AND ns = '')";
const faults: [string, string][] = [
  [
    "a value that is no JSON",
    "UPDATE blob SET value = '{' WHERE line = (SELECT key FROM line WHERE thread_id = ?1)",
  ],
  [
    "a value of an unknown kind",
    "UPDATE blob SET type = 'pickle' WHERE line = (SELECT key FROM line WHERE thread_id = ?1)",
  ],
  ["a body that is no JSON", `UPDATE checkpoint SET body = '{' WHERE key = ${NEWEST}`],
  ["a body that is no checkpoint", `UPDATE checkpoint SET body = '7' WHERE key = ${NEWEST}`],
  ["values that are no list", `UPDATE checkpoint SET refs = '{' WHERE key = ${NEWEST}`],
  ["a body that lacks its parts", `UPDATE checkpoint SET body = '[]' WHERE key = ${NEWEST}`],
  ["a shape that is not there", `UPDATE checkpoint SET shape = 987654321 WHERE key = ${NEWEST}`],
];

describe("a stored thread that is broken", () => {
  it.each(faults)(
    "by %s is listed as failed with its fault, and the others are as usual",
    async (_what, sql) => {
      const workspace = createWorkspace();
      const { agent } = await createScriptedAgent(workspace, [{ text: "One." }, { text: "Two." }]);
      const broken = (await send(agent, "first")).end.thread;
      const whole = (await send(agent, "second")).end.thread;
      const database = new Database(join(workspace.folder, ".skillgraph/threads.db"));
      expect(database.prepare(sql).run([broken]).changes).toBeGreaterThan(0);
      database.close();
      expect(await listThreads(agent)).toEqual([
        expect.objectContaining({ thread: whole, status: "finished", task: "second" }),
        {
          thread: broken,
          status: "failed",
          updatedAt: expect.any(String),
          fault: expect.stringContaining(broken),
        },
      ]);
      await expect(readThread(agent, broken)).rejects.toMatchObject({ code: "thread-unreadable" });
      await deleteThread(agent, broken);
      expect(await listThreads(agent)).toHaveLength(1);
    },
  );
});
