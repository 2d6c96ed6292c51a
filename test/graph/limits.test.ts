import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { matchesPath } from "../../src/permissions/places/path-pattern.ts";
import { parseRule } from "../../src/permissions/rule.ts";
import { createScriptedAgent, send } from "../support/agent.ts";
import type { ChatRequest } from "../support/openai-server.ts";
import { listTools } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: "x" } });
const load = (id: string, name: string) => ({ id, name: "Skill", arguments: { name } });

function resultOf(request: ChatRequest | undefined, id: string): string {
  const message = request?.body.messages?.find((each) => each.role === "tool" && each.tool_call_id === id);
  return String(message?.content ?? "");
}

/** `reader` is to read only: by its allowed-tools where these are a limit, or by what it forbids. */
const KINDS = [
  ["skills.restrict", { "allowed-tools": "Read" }, { skills: { restrict: true } }],
  ["disallowed-tools", { "allowed-tools": "Read", "disallowed-tools": "Write" }, {}],
] as const;

/** The person lets everything be written, so that only the skill's limit can refuse it. */
function createFiles(header: Record<string, string>, settings: object): Record<string, string> {
  return {
    "skillgraph.json": JSON.stringify({ ...settings, permissions: { allow: ["Write"] } }),
    "skills/reader/SKILL.md": skillText({ name: "reader", description: "Reads.", ...header }, "READ"),
    "skills/writer/SKILL.md": skillText(
      { name: "writer", description: "Writes.", "allowed-tools": "Write" },
      "WRITE",
    ),
  };
}

describe.each(KINDS)("C9: a limit by %s", (kind, header, settings) => {
  const files = createFiles(header, settings);

  it("C9: directly: Write is absent from the request, and refused when it is called", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [{ calls: [write("P")] }, { text: "ok" }]);
    await send(agent, "/reader");
    expect(listTools(server.requests[0])).not.toContain("Write");
    expect(listTools(server.requests[0])).toContain("Read");
    expect(resultOf(server.requests[1], "P")).toMatch(/^Not allowed: /);
    expect(workspace.exists("P")).toBe(false);
    server.assertDone();
  });

  it.each([
    ["before", [write("P"), load("s1", "reader")]],
    ["after", [load("s1", "reader"), write("P")]],
  ])("C9: in the turn that loads it, %s the load", async (_place, calls) => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [{ calls }, { text: "ok" }]);
    await send(agent, "read");
    expect(resultOf(server.requests[1], "P")).toMatch(/^Not allowed: /);
    expect(resultOf(server.requests[1], "s1")).toBe("Launching skill: reader");
    expect(listTools(server.requests[1])).not.toContain("Write");
    expect(workspace.exists("P")).toBe(false);
    server.assertDone();
  });

  it("C9: after a resume in a new process", async () => {
    const workspace = createWorkspace(files);
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      { text: "1" },
      { calls: [write("P")] },
      { text: "2" },
    ]);
    const { end } = await send(agent, "/reader");
    await send(await reopen(), "go on", { thread: end.thread });
    expect(listTools(server.requests[1])).not.toContain("Write");
    expect(resultOf(server.requests[2], "P")).toMatch(/^Not allowed: /);
    expect(workspace.exists("P")).toBe(false);
    server.assertDone();
  });

  it("C9: it ends with the skill", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [
      { text: "1" },
      { calls: [write("P")] },
      { text: "2" },
    ]);
    const { end } = await send(agent, "/reader");
    await send(agent, "/unload reader", { thread: end.thread });
    await send(agent, "go on", { thread: end.thread });
    expect(listTools(server.requests[1])).toContain("Write");
    expect(workspace.exists("P")).toBe(true);
    server.assertDone();
  });

  it("C9: with a second skill that allows Write: what is listed adds up, what is forbidden stays so", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [{ calls: [write("P")] }, { text: "ok" }]);
    await send(agent, "$reader and $writer");
    const isListed = kind === "skills.restrict";
    expect(listTools(server.requests[0]).includes("Write")).toBe(isListed);
    expect(workspace.exists("P")).toBe(isListed);
    server.assertDone();
  });
});

it("C9: allowed-tools alone is no limit: an unlisted tool is there, and the rules decide", async () => {
  const workspace = createWorkspace(createFiles({ "allowed-tools": "Read" }, {}));
  const { agent, server } = await createScriptedAgent(workspace, [{ calls: [write("P")] }, { text: "ok" }]);
  await send(agent, "/reader");
  expect(listTools(server.requests[0])).toContain("Write");
  expect(workspace.exists("P")).toBe(true);
});

it("C9: a model that loads a changed skill again does not shed what it forbade", async () => {
  const header = { name: "reader", description: "Reads." };
  const workspace = createWorkspace(createFiles({ "disallowed-tools": "Write" }, {}));
  const { agent, server } = await createScriptedAgent(workspace, [
    { text: "1" },
    { calls: [load("s1", "reader")] },
    { calls: [write("P")] },
    { text: "2" },
  ]);
  const { end } = await send(agent, "/reader");
  workspace.write("skills/reader/SKILL.md", skillText(header, "READ MORE"));
  await send(agent, "go on", { thread: end.thread });
  expect(resultOf(server.requests[2], "s1")).toBe("Launching skill: reader");
  expect(listTools(server.requests[2])).not.toContain("Write");
  expect(workspace.exists("P")).toBe(false);
  server.assertDone();
});

describe("a folder whose name means something in a pattern", () => {
  const folders = ["notes (1)", "a[1]b", "a{b,c}", "a*", "a!b", "a\\b"];
  const header = { name: "n", description: "N." };
  const read = { id: "r1", name: "Read", arguments: { path: "private/x" } };

  it.each(folders)("keeps its limit: %s", async (folder) => {
    const denials = { "disallowed-tools": "Read({baseDir}/private/**)" };
    const workspace = createWorkspace({
      [`skills/${folder}/SKILL.md`]: skillText({ ...header, ...denials }, "N"),
      [`skills/${folder}/private/x`]: "PRIVATE",
    });
    const { agent, server } = await createScriptedAgent(workspace, [{ calls: [read] }, { text: "2" }]);
    await send(agent, "/n");
    expect(resultOf(server.requests[1], "r1")).toMatch(/^Not allowed: /);
    server.assertDone();
  });

  it.each(folders)("is granted, and no other one: %s", async (folder) => {
    const grant = skillText({ ...header, "allowed-tools": "Read({baseDir}/**)" }, "N");
    const workspace = createWorkspace({ [`skills/${folder}/SKILL.md`]: grant });
    const { agent } = await createScriptedAgent(workspace, [{ text: "2" }]);
    const { end } = await send(agent, "/n");
    const { active } = (await agent.getState({ configurable: { thread_id: end.thread } })).values;
    const pattern = parseRule(active[0].allowedTools[0])?.pattern ?? "";
    const base = { workspace: workspace.folder, home: workspace.home };
    expect(matchesPath(pattern, join(workspace.folder, "skills", folder, "x"), base)).toBe(true);
    expect(matchesPath(pattern, join(workspace.folder, "skills/a1b/x"), base)).toBe(false);
    expect(matchesPath(pattern, join(workspace.folder, "skills/ab/x"), base)).toBe(false);
  });

  it("and makes a limit unreadable refuses the skill", async () => {
    const denials = { "disallowed-tools": "Read({baseDir}/private/**)" };
    const workspace = createWorkspace({
      "skills/a)b/SKILL.md": skillText({ ...header, ...denials }, "TEXT"),
    });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "1" }]);
    const { events } = await send(agent, "/n");
    expect(events).toContainEqual({
      type: "notice",
      text: expect.stringContaining('"disallowed-tools" cannot be read'),
    });
    expect(JSON.stringify(server.requests[0]?.body.messages)).not.toContain("TEXT");
  });
});
