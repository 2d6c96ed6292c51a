import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { z } from "zod";
import { findThread, listThreads } from "../../../src/index.ts";
import { createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace, skillText, type Workspace } from "../../support/workspace.ts";

const path = "skills/counter/SKILL.md";
const counter = (text: string) => skillText({ name: "counter", description: "Counts." }, text);
const write = { id: "w1", name: "Write", arguments: { path: "a", content: "x" } };
const confirm = tool(() => String(interrupt("Sure?")), {
  name: "confirm",
  description: "Asks.",
  schema: z.object({}),
});

function change(workspace: Workspace, sql: string, ...cells: string[]): void {
  const database = new Libsql(join(workspace.folder, ".skillgraph/threads.db"));
  expect(database.prepare(sql).run(cells).changes).toBeGreaterThan(0);
  database.close();
}

it("whatever waits for a person is listed as waiting, with what it asks", async () => {
  const workspace = createWorkspace({ [path]: counter("Count the words.") });
  const { agent, reopen, server } = await createScriptedAgent(
    workspace,
    [
      { calls: [write] },
      { calls: [{ id: "q1", name: "AskUser", arguments: { question: "Which?" } }] },
      { calls: [{ id: "c1", name: "confirm", arguments: {} }] },
      { text: "Counted." },
    ],
    { tools: [confirm], permissions: { allow: ["confirm"] } },
  );
  for (const task of ["write", "ask", "confirm"]) await send(agent, task);
  const { thread } = (await send(agent, "/counter")).end;
  workspace.write(path, counter("Count the letters."));
  await send(await reopen({ drift: "ask" }), "again", { thread });
  const strange = await reopen({ trust: false });
  await send(strange, "/counter");
  server.assertDone();
  const threads = await listThreads(strange);
  expect(
    threads.map(({ status, request }) => [status, request?.items[0]?.kind, request?.items[0]?.name]),
  ).toEqual([
    ["waiting", "skill", "counter"],
    ["waiting", "drift", "counter"],
    ["waiting", "question", "confirm"],
    ["waiting", "question", "AskUser"],
    ["waiting", "call", "Write"],
  ]);
});

it("a thread that cannot be read is listed as failed and hides no other", async () => {
  const workspace = createWorkspace();
  const { agent, reopen } = await createScriptedAgent(workspace, [{ calls: [write] }, { calls: [write] }]);
  const good = (await send(agent, "one")).end.thread;
  const bad = (await send(agent, "two")).end.thread;
  const line = "line = (SELECT key FROM line WHERE thread_id = ? AND ns = '')";
  change(workspace, `UPDATE blob SET value = '{"broken' WHERE ${line}`, bad);
  const other = await reopen();
  expect((await listThreads(other)).map(({ thread, status }) => [thread, status])).toEqual([
    [bad, "failed"],
    [good, "waiting"],
  ]);
  expect(await findThread(other)).toBe(good);
});

it("the lease of a process that died does not hide what waits, nor is the thread said to run", async () => {
  const workspace = createWorkspace();
  const { agent } = await createScriptedAgent(workspace, [{ calls: [write] }]);
  const { thread, request } = (await send(agent, "one")).end;
  const columns = "thread_id, life, machine, host, pid, start_time, since, beat, groups, who, request";
  const values = "'life', 'elsewhere', 'elsewhere', 1, '', 0, 0, '[]', 'anna@elsewhere', 'req-1'";
  change(workspace, `INSERT INTO lease (${columns}) VALUES (?, ${values})`, thread);
  const [listed] = await listThreads(agent);
  expect(listed).toMatchObject({ thread, status: "waiting", request });
  expect(listed).not.toHaveProperty("running");
});
