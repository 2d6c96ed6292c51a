import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tool } from "@langchain/core/tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import type { ChatRequest, ScriptedTurn } from "../support/openai-server.ts";
import { listTools, stageText } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

/** Every tool that the limited skill leaves out, of each kind that there is. */
const OUTSIDE = ["Bash", "WebFetch", "pay", "mcp__files__put"];

/** `limited` is to read only: by its list where that is a limit, by what it forbids, or by its stage. */
type Kind = [name: string, header: Record<string, string>, settings: object];

const KINDS: Kind[] = [
  ["skills.restrict", { "allowed-tools": "Read" }, { skills: { restrict: true } }],
  ["disallowed-tools", { "disallowed-tools": "Bash WebFetch pay mcp__files" }, {}],
  ["a stage", {}, {}],
];

/** A place in which everything is allowed by the person, so that only the limit can refuse it. */
async function createPlace(
  [kind, header, settings]: Kind,
  script: (calls: { id: string; name: string; arguments: object }[]) => ScriptedTurn[],
) {
  const ran: string[] = [];
  const web = createServer((_request, response) => {
    ran.push("WebFetch");
    response.setHeader("content-type", "text/plain").end("page");
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => void web.close());
  const { port } = web.address() as AddressInfo;
  const allow = [...OUTSIDE, "WebFetch(domain:127.0.0.1)"];
  const workspace = createWorkspace({
    "skillgraph.json": JSON.stringify({
      ...settings,
      permissions: { allow },
      webFetch: { privateHosts: [`127.0.0.1:${port}`] },
    }),
    "skills/limited/SKILL.md": skillText({ name: "limited", description: "Reads.", ...header }, "READ"),
    "skills/open/SKILL.md": skillText(
      { name: "open", description: "Opens.", "allowed-tools": OUTSIDE.join(" ") },
      "OPEN",
    ),
    ...(kind === "a stage"
      ? { "skills/limited/stages/1-look.md": stageText(["allowed-tools: Read", "restrict: true"], "LOOK") }
      : {}),
  });
  const own = (name: string) =>
    tool(
      async () => {
        ran.push(name);
        return "done";
      },
      { name, description: "Does it.", schema: z.object({}) },
    );
  const calls = [
    { id: "touch", name: "Bash", arguments: { command: "touch P" } },
    { id: "look", name: "Bash", arguments: { command: "ls" } },
    { id: "alias", name: "execute_command", arguments: { command: "cat skillgraph.json" } },
    { id: "web", name: "WebFetch", arguments: { url: `http://127.0.0.1:${port}/` } },
    { id: "pay", name: "pay", arguments: {} },
    { id: "put", name: "mcp__files__put", arguments: {} },
  ];
  const agent = await createScriptedAgent(workspace, script(calls), {
    tools: [own("pay"), own("mcp__files__put")],
    drift: "pin",
  });
  const resultsOf = (request: ChatRequest | undefined) =>
    calls.map(({ id }) => {
      const message = request?.body.messages?.find(
        (each) => each.role === "tool" && each.tool_call_id === id,
      );
      return String(message?.content ?? "");
    });
  return { ...agent, workspace, ran, resultsOf };
}

type Place = Awaited<ReturnType<typeof createPlace>>;

function expectRefused({ workspace, ran, resultsOf }: Place, request: ChatRequest | undefined): void {
  for (const result of resultsOf(request)) expect(result).toMatch(/^Not allowed: /);
  expect(workspace.exists("P")).toBe(false);
  expect(ran).toEqual([]);
}

function expectRan({ workspace, ran, resultsOf }: Place, request: ChatRequest | undefined): void {
  for (const result of resultsOf(request)) expect(result).not.toMatch(/^Not allowed: /);
  expect(workspace.exists("P")).toBe(true);
  expect([...ran].sort()).toEqual(["WebFetch", "mcp__files__put", "pay"]);
}

const load = (id: string, name: string) => ({ id, name: "Skill", arguments: { name } });

describe.each(KINDS)("C9: a limit by %s holds for every kind of tool", (...kind) => {
  it("C9: directly: they are absent from the request and refused when they are called", async () => {
    const place = await createPlace(kind, (calls) => [{ calls }, { text: "ok" }]);
    await send(place.agent, "/limited");
    for (const name of OUTSIDE) expect(listTools(place.server.requests[0])).not.toContain(name);
    expect(listTools(place.server.requests[0])).toContain("Read");
    expectRefused(place, place.server.requests[1]);
    place.server.assertDone();
  });

  it.each(["before", "after"])("C9: in the turn that loads it, %s the load", async (when) => {
    const place = await createPlace(kind, (calls) => [
      { calls: when === "before" ? [...calls, load("s1", "limited")] : [load("s1", "limited"), ...calls] },
      { text: "ok" },
    ]);
    await send(place.agent, "read");
    expect(listTools(place.server.requests[0])).toEqual(expect.arrayContaining(OUTSIDE));
    for (const name of OUTSIDE) expect(listTools(place.server.requests[1])).not.toContain(name);
    expectRefused(place, place.server.requests[1]);
    place.server.assertDone();
  });

  it("C9: after a resume in a new process", async () => {
    const place = await createPlace(kind, (calls) => [{ text: "1" }, { calls }, { text: "2" }]);
    const { end } = await send(place.agent, "/limited");
    await send(await place.reopen(), "go on", { thread: end.thread });
    for (const name of OUTSIDE) expect(listTools(place.server.requests[1])).not.toContain(name);
    expectRefused(place, place.server.requests[2]);
    place.server.assertDone();
  });

  it("C9: it ends with the skill", async () => {
    const place = await createPlace(kind, (calls) => [{ text: "1" }, { calls }, { text: "2" }]);
    const { end } = await send(place.agent, "/limited");
    await send(place.agent, "/unload limited", { thread: end.thread });
    await send(place.agent, "go on", { thread: end.thread });
    expect(listTools(place.server.requests[1])).toEqual(expect.arrayContaining(OUTSIDE));
    expectRan(place, place.server.requests[2]);
    place.server.assertDone();
  });

  it("C9: with a second skill that lists them: lists add up, what is forbidden and a stage's list do not", async () => {
    const place = await createPlace(kind, (calls) => [
      { calls: [load("s1", "open")] },
      { calls },
      { text: "ok" },
    ]);
    await send(place.agent, "/limited");
    if (kind[0] === "skills.restrict") expectRan(place, place.server.requests[2]);
    else expectRefused(place, place.server.requests[2]);
    for (const name of OUTSIDE)
      expect(listTools(place.server.requests[1]).includes(name)).toBe(kind[0] === "skills.restrict");
    place.server.assertDone();
  });
});

it("C9: a limit leaves the search for skills, and disallowed-tools shuts it out", async () => {
  const search = { id: "f1", name: "SearchSkills", arguments: { query: "reads" } };
  for (const [header, settings, isRefused] of [
    [{ "allowed-tools": "Read" }, { skills: { restrict: true } }, false],
    [{ "disallowed-tools": "SearchSkills" }, {}, true],
  ] as const) {
    const workspace = createWorkspace({
      "skillgraph.json": JSON.stringify(settings),
      "skills/reader/SKILL.md": skillText({ name: "reader", description: "Reads.", ...header }, "READ"),
    });
    const { agent, server } = await createScriptedAgent(workspace, [{ calls: [search] }, { text: "ok" }]);
    await send(agent, "/reader");
    const result = server.requests[1]?.body.messages?.at(-1);
    expect(String(result?.content).startsWith("Not allowed: ")).toBe(isRefused);
  }
});

describe("a grant", () => {
  const write = { id: "w1", name: "Write", arguments: { path: "P", content: "x" } };
  const ask = { id: "q1", name: "AskUser", arguments: { question: "Which?" } };
  const files = {
    "skills/pen/SKILL.md": skillText({ name: "pen", description: "P.", "allowed-tools": "Write(P)" }, "PEN"),
  };

  it("survives a resume in a new process", async () => {
    const workspace = createWorkspace(files);
    const script = [{ text: "1" }, { calls: [write] }, { text: "2" }];
    const { agent, reopen } = await createScriptedAgent(workspace, script);
    const { end } = await send(agent, "/pen");
    expect((await send(await reopen(), "write", { thread: end.thread })).end.status).toBe("finished");
    expect(workspace.exists("P")).toBe(true);
  });

  it.each([
    ["a deny that was added", { deny: ["Write"] }, "finished"],
    ["an ask that was added", { ask: ["Write"] }, "waiting"],
  ] as const)(
    "is weighed against today's policy: %s between the question and the answer",
    async (_what, permissions, status) => {
      const workspace = createWorkspace(files);
      const script = [{ calls: [ask, write] }, { text: "2" }];
      const { agent, reopen } = await createScriptedAgent(workspace, script);
      const { end } = await send(agent, "/pen");
      const after = await answer(await reopen({ permissions }), end.thread, { reply: "this" });
      expect(after.end.status).toBe(status);
      expect(workspace.exists("P")).toBe(false);
    },
  );

  it("that the person took away between the question and the answer is asked about", async () => {
    const workspace = createWorkspace(files);
    const script = [{ calls: [ask, write] }];
    const { agent, reopen } = await createScriptedAgent(workspace, script, {
      permissions: { allow: ["Write(P)"] },
    });
    const { end } = await send(agent, "write");
    const after = await answer(await reopen({ permissions: {} }), end.thread, { reply: "this" });
    expect(after.end.request?.items).toMatchObject([{ kind: "call", id: "w1" }]);
    expect(workspace.exists("P")).toBe(false);
  });

  it("ends when its skill is unloaded by the person", async () => {
    const workspace = createWorkspace(files);
    const { agent } = await createScriptedAgent(workspace, [{ text: "1" }, { calls: [write] }]);
    const { end } = await send(agent, "/pen");
    await send(agent, "/unload pen", { thread: end.thread });
    expect((await send(agent, "write", { thread: end.thread })).end.status).toBe("waiting");
    expect(workspace.exists("P")).toBe(false);
  });
});
