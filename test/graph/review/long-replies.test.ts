import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { complete, tripFiles } from "../../support/wizard.ts";
import { createWorkspace } from "../../support/workspace.ts";

const MILLION = 1_000_000;
/** Text that no compression and no sharing makes small. */
const long =
  `first ${Array.from({ length: MILLION / 10 }, (_, index) => `${index}`.padStart(9, "0")).join(" ")} last`.slice(
    -MILLION,
  );

const ask = (input: object) => ({ id: "q1", name: "AskUser", arguments: input });
const form = { type: "object", properties: { text: { type: "string" } } };
const write = { id: "q1", name: "Write", arguments: { path: "a.txt", content: "short" } };

/** Bytes of what the database holds. */
function readSize(folder: string): { total: number; large: string[] } {
  const database = new Database(join(folder, ".skillgraph/threads.db"));
  const rows = database
    .prepare("SELECT length(value) AS size, substr(value, 1, 60) AS head FROM blob")
    .all() as {
    size: number;
    head: string;
  }[];
  database.close();
  const large = rows.filter(({ size }) => size > MILLION / 2);
  return { total: rows.reduce((sum, { size }) => sum + size, 0), large: large.map(({ head }) => head) };
}

describe("a reply of a million characters", () => {
  it.each([
    ["as an answer", ask({ question: "What?" }), long],
    [
      "as an answer with a decision around it",
      ask({ question: "What?" }),
      { type: "respond", message: long },
    ],
    ["as the value of a form", ask({ question: "What?", form }), { text: long }],
    ["as a reason of a no", write, { type: "reject", message: long }],
    ["as a bare no", write, long],
    ["as changed arguments", write, { type: "edit", args: { path: "a.txt", content: long } }],
  ])("%s is taken, reaches the model shortened, and is kept once", async (_way, call, reply) => {
    const workspace = createWorkspace({ "b.txt": "beta" });
    const read = (id: string) => ({ calls: [{ id, name: "Read", arguments: { path: "b.txt" } }] });
    const script = [{ calls: [call] }, read("r1"), read("r2"), read("r3"), { text: "Done." }];
    const { agent, server } = await createScriptedAgent(workspace, script);
    const { end } = await send(agent, "go");
    expect(end.status).toBe("waiting");
    const done = await answer(agent, end.thread, { reply });
    expect(done.end).toMatchObject({ status: "finished", answer: "Done." });
    server.assertDone();
    for (const request of server.requests) expect(JSON.stringify(request.body).length).toBeLessThan(200_000);
    const results = server.requests[1]?.body.messages?.filter(({ role }) => role === "tool") ?? [];
    const text = String(results.at(-1)?.content);
    expect(text.length).toBeLessThan(40_000);
    expect(text).toContain("last");
    const file = /are in (\S+\.txt)\./.exec(text)?.[1] ?? "";
    expect(readFileSync(file, "utf8")).satisfy((whole: string) => whole.includes(long));
    if (call === write && typeof reply === "object" && "args" in reply)
      expect(readFileSync(join(workspace.folder, "a.txt"), "utf8")).satisfy(
        (whole: string) => whole === long,
      );
    const { total, large } = readSize(workspace.folder);
    expect(large.length).toBe(1);
    expect(total / MILLION).toBeLessThan(1.2);
  });

  it.each([
    ["as bare values at a gate", { places: ["Oslo", long] }],
    ["as changed output at a gate", { type: "edit", args: { places: ["Oslo", long] } }],
    ["as a reason to send a stage back", { type: "reject", message: long }],
  ])("%s is taken, and the next request is no larger than models take", async (_way, reply) => {
    const workspace = createWorkspace(tripFiles);
    const isBack = "message" in reply;
    const rest = isBack
      ? [complete("c2", { places: ["Rome"] })]
      : [complete("c2", { days: 3, route: "r" }), complete("c3"), { text: "Booked." }];
    const { agent, server } = await createScriptedAgent(workspace, [
      complete("c1", { places: ["Oslo"] }),
      ...rest,
    ]);
    const { end } = await send(agent, "/trip Oslo", { wizard: true });
    const next = await answer(agent, end.thread, { reply });
    expect(next.end.status).toBe("waiting");
    if (!isBack) expect((await answer(agent, end.thread, { reply: true })).end.status).toBe("finished");
    server.assertDone();
    for (const request of server.requests) expect(JSON.stringify(request.body).length).toBeLessThan(400_000);
    expect(readSize(workspace.folder).large.length).toBe(1);
  });
});
