import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listThreads, readThread, type ThreadFacts } from "../../../src/index.ts";
import { describePostgres, makePostgresPlace } from "../../checkpoint/stores.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { startWebServer } from "../../support/web-server.ts";
import { createWorkspace } from "../../support/workspace.ts";

/** NUL and half a surrogate pair, which PostgreSQL can hold neither as text nor as JSON. */
const ODD = "a\0b\uD800c";
const SHOWN = "a␀b�c";
/** What bytes can carry of it. */
const NOTICE = /\n\[\d characters? \(NUL or half a surrogate pair\) replaced\.\]/;

const about = { description: "Mails.", schema: z.object({}) };
const mail = tool(() => ODD, { ...about, name: "mail" });
const lost = tool(
  () => {
    throw new Error(ODD);
  },
  { ...about, name: "lost" },
);

const call = (id: string, name: string, input: Record<string, unknown> = {}) => ({
  id,
  name,
  arguments: input,
});

function readResult({ messages }: ThreadFacts, id: string): string | undefined {
  return messages.find(({ role, callId }) => role === "tool" && callId === id)?.text;
}

async function runOddTexts(checkpoint: string | undefined): Promise<void> {
  const web = await startWebServer((_request, response) => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end("a\0b");
  });
  const workspace = createWorkspace({
    // Further on than where a binary file is told by.
    "nul.txt": `${"x\n".repeat(5_000)}a\0b`,
    "skillgraph.json": JSON.stringify({ webFetch: { privateHosts: [web.host] } }),
  });
  const calls = [
    call("bash", "Bash", { command: "printf 'a\\0b'" }),
    call("read", "Read", { path: "nul.txt", offset: 5_001 }),
    call("web", "WebFetch", { url: web.url }),
    call("own", "mail"),
    call("lost", "lost"),
    call("glob", "Glob", { pattern: ODD.replace("\0", "") }),
  ];
  const script = [
    { text: `model ${ODD}`, calls },
    { calls: [call("ask", "AskUser", { question: `which ${ODD}` })] },
    { text: `done ${ODD}` },
    { text: "again" },
  ];
  const options = {
    tools: [mail, lost],
    permissions: { mode: "allow" as const, allow: ["mail", "lost", "Bash(printf:*)"] },
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
  const { agent, reopen } = await createScriptedAgent(workspace, script, options);
  const { end } = await send(agent, `person ${ODD}`, { name: `name ${ODD}` });
  expect(end).toMatchObject({
    status: "waiting",
    request: { items: [{ args: { question: `which ${ODD}` } }] },
  });
  const answered = await answer(await reopen(), end.thread, { reply: `answer ${ODD}` });
  expect(answered.end).toMatchObject({ status: "finished", answer: `done ${ODD}` });
  expect((await send(agent, "more", { thread: end.thread })).end).toMatchObject({ answer: "again" });

  const facts = await readThread(await reopen(), end.thread);
  for (const id of ["bash", "web"])
    expect([id, readResult(facts, id)]).toEqual([id, expect.stringMatching(/a␀b\n\[1 char/)]);
  expect(readResult(facts, "read")).toMatch(/^a␀b\n\[1 char/);
  for (const id of ["own", "lost"])
    expect([id, readResult(facts, id)]).toEqual([
      id,
      expect.stringMatching(new RegExp(`^${SHOWN}${NOTICE.source}`)),
    ]);
  expect(readResult(facts, "glob")).toContain('No file matches "ab�c"');
  // Words of a person, which are no tool's output.
  expect(readResult(facts, "ask")).toBe(`answer ${ODD}`);
  const said = facts.messages.filter(({ role }) => role !== "tool").map(({ text }) => text);
  expect(said).toEqual([`person ${ODD}`, `model ${ODD}`, "", `done ${ODD}`, "more", "again"]);
  expect(await listThreads(agent)).toEqual([
    expect.objectContaining({ thread: end.thread, status: "finished", task: `person ${ODD}` }),
  ]);
}

describe("NUL and halves of surrogate pairs", () => {
  it("of tools are shown, those of people and models are kept, in SQLite", () => runOddTexts(undefined));
});

describePostgres("NUL and halves of surrogate pairs", () => {
  it("of tools are shown, those of people and models are kept, in PostgreSQL", async () =>
    runOddTexts(await makePostgresPlace()));
});
