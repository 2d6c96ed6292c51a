import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { type RunEnd, readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { complete, listTools, readPrompt, stageText, tripFiles } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const write = (id: string) => ({ id, name: "Write", arguments: { path: "out.txt", content: "x" } });
const read = (id: string) => ({ id, name: "Read", arguments: { path: "a.txt" } });

function stageOf(end: RunEnd): string | undefined {
  return end.request?.items[0]?.stage;
}

describe("what a stage grants", () => {
  const files = {
    "a.txt": "AAA",
    "skills/g/SKILL.md": skillText({ name: "g", description: "Grants." }, "INTRO"),
    "skills/g/stages/1-one.md": stageText(["allowed-tools: Write(out.txt)"], "ONE"),
    "skills/g/stages/2-two.md": stageText(["gate: none"], "TWO"),
  };

  it("its allowed-tools count in it, and end with it", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [write("w1")] },
      complete("s1"),
      { calls: [write("w2")] },
    ]);
    const first = await send(agent, "/g");
    expect(workspace.read("out.txt")).toBe("x");
    expect(stageOf(first.end)).toBe("one");
    const second = await answer(agent, first.end.thread, { reply: true });
    expect(second.end.request?.items[0]).toMatchObject({ kind: "call", id: "w2", name: "Write" });
    server.assertDone();
  });

  it("in a folder that is not trusted a stage grants nothing", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(files), [{ calls: [write("w1")] }], {
      trust: false,
    });
    const { end } = await send(agent, "/g");
    expect(end.request?.items[0]?.kind).toBe("skill");
    const after = await answer(agent, end.thread, { reply: true });
    expect(after.end.request?.items[0]).toMatchObject({ kind: "call", id: "w1" });
  });
});

describe("C9: a stage's list with `restrict: true` is a limit", () => {
  const files = {
    "a.txt": "AAA",
    "skills/r/SKILL.md": skillText({ name: "r", description: "Reads.", "allowed-tools": "Write" }, "INTRO"),
    "skills/r/stages/1-look.md": stageText(["allowed-tools: Read", "restrict: true"], "LOOK"),
    "skills/r/stages/2-do.md": stageText(["gate: none"], "DO"),
    "skills/w/SKILL.md": skillText({ name: "w", description: "Writes.", "allowed-tools": "Write" }, "W-TEXT"),
  };

  it("other tools are absent from the request and refused when they are called", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [read("r1"), write("w1")] },
      complete("s1"),
    ]);
    const { end } = await send(agent, "/r");
    expect(listTools(server.requests[0]).sort()).toEqual(["AskUser", "CompleteStage", "Read", "Skill"]);
    expect(readPrompt(server.requests[1])).toContain("AAA");
    expect(readPrompt(server.requests[1])).toContain(
      'Not allowed: "Write" is not among the allowed tools of "r/look"',
    );
    expect(workspace.exists("out.txt")).toBe(false);
    expect(stageOf(end)).toBe("look");
    server.assertDone();
  });

  it("in the turn that loads the wizard", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [{ id: "k1", name: "Skill", arguments: { name: "r" } }] },
      { calls: [write("w1")] },
      complete("s1"),
    ]);
    await send(agent, "read it");
    expect(readPrompt(server.requests[2])).toContain("Not allowed");
    expect(workspace.exists("out.txt")).toBe(false);
    server.assertDone();
  });

  it("after a resume in a new process", async () => {
    const workspace = createWorkspace(files);
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      complete("s1"),
      { calls: [write("w1")] },
      complete("s2"),
    ]);
    const { end } = await send(agent, "/r");
    const after = await answer(await reopen(), end.thread, { reply: { type: "reject", message: "again" } });
    expect(stageOf(after.end)).toBe("look");
    expect(listTools(server.requests[1])).not.toContain("Write");
    expect(workspace.exists("out.txt")).toBe(false);
    server.assertDone();
  });

  it("with a second active skill that allows the tool", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [{ id: "k1", name: "Skill", arguments: { name: "w" } }] },
      { calls: [write("w1")] },
      complete("s1"),
    ]);
    await send(agent, "/r");
    expect(readPrompt(server.requests[1])).toContain("W-TEXT");
    expect(listTools(server.requests[1])).not.toContain("Write");
    expect(workspace.exists("out.txt")).toBe(false);
    server.assertDone();
  });

  it("with another wizard that is loaded in the middle of it", async () => {
    const other = {
      "skills/open/SKILL.md": skillText({ name: "open", description: "Opens." }, "OPEN"),
      "skills/open/stages/1-go.md": stageText(["allowed-tools: Write"], "GO"),
    };
    const workspace = createWorkspace({ ...files, ...other });
    const { agent, server } = await createScriptedAgent(
      workspace,
      [
        { calls: [{ id: "k1", name: "Skill", arguments: { name: "open" } }] },
        { calls: [write("w1")] },
        complete("s1"),
      ],
      { permissions: { mode: "allow" } },
    );
    await send(agent, "/r");
    expect(readPrompt(server.requests[2])).toContain(
      'Not allowed: "Write" is not among the allowed tools of "r/look"',
    );
    expect(workspace.exists("out.txt")).toBe(false);
    server.assertDone();
  });

  it("and ends with the stage", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [
      complete("s1"),
      { calls: [write("w1")] },
      complete("s2"),
      { text: "Done." },
    ]);
    const { end } = await send(agent, "/r");
    const after = await answer(agent, end.thread, { reply: true });
    expect(after.end.status).toBe("finished");
    expect(listTools(server.requests[1])).toContain("Write");
    expect(workspace.read("out.txt")).toBe("x");
    server.assertDone();
  });
});

describe("the check of a stage", () => {
  const files = (check: string, more: string[] = []) => ({
    "skills/c/SKILL.md": skillText({ name: "c", description: "Checks." }, "INTRO"),
    "skills/c/stages/1-make.md": stageText([`check: ${check}`, ...more], "MAKE"),
    "skills/c/stages/2-end.md": stageText(["gate: none"], "END"),
  });

  it("runs when a rule allows it, and its failure goes back to the model", async () => {
    const workspace = createWorkspace(
      files("bash check.sh", ["allowed-tools: Bash(bash check.sh) Write(ok)"]),
    );
    workspace.write("check.sh", "echo run >> log; test -f ok || { echo no ok file; exit 3; }");
    const { agent, server } = await createScriptedAgent(workspace, [
      complete("s1"),
      { calls: [{ id: "w1", name: "Write", arguments: { path: "ok", content: "" } }] },
      complete("s2"),
    ]);
    const { end } = await send(agent, "/c");
    expect(end.request?.items[0]).toMatchObject({ kind: "stage", id: "s2" });
    expect(readPrompt(server.requests[1])).toContain("no ok file");
    expect(readPrompt(server.requests[1])).toContain("[exit code 3]");
    expect(workspace.read("log")).toBe("run\nrun\n");
    server.assertDone();
  });

  it("that no rule allows is asked like a command, and a refusal keeps the stage open", async () => {
    const workspace = createWorkspace(files("bash check.sh"));
    workspace.write("check.sh", "echo run >> log");
    const { agent, server } = await createScriptedAgent(workspace, [complete("s1"), complete("s2")]);
    const { end } = await send(agent, "/c");
    expect(end.request?.items[0]).toMatchObject({ kind: "call", name: "CompleteStage" });
    expect(end.request?.items[0]?.description).toContain("bash check.sh");
    const again = await answer(agent, end.thread, { reply: { type: "reject", message: "not now" } });
    expect(again.end.request?.items[0]).toMatchObject({ kind: "call", id: "s2" });
    expect(workspace.exists("log")).toBe(false);
    const gate = await answer(agent, end.thread, { reply: true });
    expect(gate.end.request?.items[0]).toMatchObject({ kind: "stage", id: "s2" });
    expect(workspace.read("log")).toBe("run\n");
    server.assertDone();
  });

  it("that a rule denies is never run", async () => {
    const workspace = createWorkspace(files("rm -rf keep"));
    workspace.write("keep/a", "");
    const { agent } = await createScriptedAgent(workspace, [complete("s1"), { text: "It is not allowed." }], {
      permissions: { deny: ["Bash(rm:*)"] },
    });
    const { end } = await send(agent, "/c");
    expect(end.answer).toBe("It is not allowed.");
    expect(workspace.exists("keep/a")).toBe(true);
    expect((await readThread(agent, end.thread)).stage).toBe("make");
  });

  it("with a value that no stage gave is not run", async () => {
    const workspace = createWorkspace(files("touch {make.tag}"));
    workspace.write(
      "skills/c/stages/2-end.md",
      stageText(["check: test -n {make.tag}", "gate: none"], "END"),
    );
    workspace.write("skills/c/stages/1-make.md", stageText([], "MAKE"));
    const { agent, server } = await createScriptedAgent(
      workspace,
      [complete("s1"), complete("s2"), { text: "It cannot be checked." }],
      { permissions: { allow: ["Bash(test:*)"] } },
    );
    const { end } = await send(agent, "/c");
    await answer(agent, end.thread, { reply: true });
    expect(readPrompt(server.requests[2])).toContain("there is no value for {make.tag}");
    expect((await readThread(agent, end.thread)).stage).toBe("end");
    server.assertDone();
  });
});

it("a summary that nobody can read goes back to the model", async () => {
  const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [
    complete("s1", { places: ["Rome"] }, "x".repeat(20_001)),
    complete("s2", { places: ["Rome"] }, "x".repeat(20_000)),
  ]);
  const { end } = await send(agent, "/trip");
  expect(readPrompt(server.requests[1])).toMatch(/summary.*20000/);
  expect(end.request?.items[0]?.id).toBe("s2");
  server.assertDone();
});

it("CompleteStage under a name that is nearly its own is no tool", async () => {
  const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [
    { calls: [{ id: "s1", name: "CompleteStage_", arguments: { summary: "x", output: { places: ["a"] } } }] },
    { text: "Oh." },
  ]);
  const { end } = await send(agent, "/trip");
  expect(end.answer).toBe("Oh.");
  expect(readPrompt(server.requests[1])).toContain('No tool named "CompleteStage_"');
});

it.each(['{"lc":1,"type":"constructor","id":["nope","N"],"kwargs":{}}', "[".repeat(40) + "]".repeat(40)])(
  "an output that no thread can keep is refused, and the thread stays readable: %s",
  async (data) => {
    const schema = ["output:", "  type: object", "  properties: { data: { type: [object, array] } }"];
    const workspace = createWorkspace({
      "skills/k/SKILL.md": skillText({ name: "k", description: "Keeps." }, "INTRO"),
      "skills/k/stages/1-a.md": stageText(schema, "A"),
    });
    const { agent, server } = await createScriptedAgent(workspace, [
      complete("s1", { data }),
      complete("s2", { data: {} }),
    ]);
    const { end } = await send(agent, "/k");
    expect(end.request?.items[0]?.id).toBe("s2");
    expect(readPrompt(server.requests[1])).toContain("which no thread can keep");
    await expect(answer(agent, end.thread, { reply: { data } })).resolves.toBeDefined();
    const { status, request } = await readThread(agent, end.thread);
    expect(status).toBe("waiting");
    expect(request?.errors?.join()).toContain("which no thread can keep");
    server.assertDone();
  },
);

it("going back at a skill that waits for a person's word does not load it", async () => {
  const stranger = skillText({ name: "stranger", description: "Is strange." }, "STRANGE");
  const workspace = createWorkspace({ ...tripFiles, ".claude/skills/stranger/SKILL.md": stranger });
  const { agent, server } = await createScriptedAgent(
    workspace,
    [
      { calls: [{ id: "k1", name: "Skill", arguments: { name: "stranger" } }] },
      complete("s1", { places: ["Rome"] }),
    ],
    { trust: false, skills: [`${workspace.folder}/skills`] },
  );
  const { end } = await send(agent, "/trip");
  expect(end.request?.items[0]).toMatchObject({ kind: "skill", name: "stranger", back: ["look"] });
  const after = await answer(agent, end.thread, { reply: { goto: "look" } });
  expect(after.end.request?.items[0]).toMatchObject({ kind: "stage", stage: "look" });
  expect(readPrompt(server.requests[1])).toContain("Not loaded.");
  expect(readPrompt(server.requests[1])).not.toContain("STRANGE");
  server.assertDone();
});

it.each([
  ["none", []],
  ["a check", ["check: bash ok.sh"]],
])("a deny rule for CompleteStage holds, with %s", async (_what, header) => {
  const workspace = createWorkspace({
    "ok.sh": "exit 0",
    "skills/d/SKILL.md": skillText({ name: "d", description: "Does." }, "INTRO"),
    "skills/d/stages/1-a.md": stageText(header, "A"),
  });
  const { agent, server } = await createScriptedAgent(workspace, [complete("s1"), { text: "Not allowed." }], {
    permissions: { allow: ["Bash(bash ok.sh)"], deny: ["CompleteStage"] },
  });
  const { end } = await send(agent, "/d");
  expect(end).toMatchObject({ status: "finished", stage: "a" });
  expect(readPrompt(server.requests[1])).toContain('rule "CompleteStage" denies it');
});

it("consent is for one file: a skill of that name from elsewhere is not loaded with it", async () => {
  const stranger = (text: string) => skillText({ name: "x", description: "Is strange." }, text);
  const workspace = createWorkspace({
    ".claude/skills/x/SKILL.md": stranger("FIRST"),
    "skills/keep/a.txt": "",
  });
  const { agent, server, reopen } = await createScriptedAgent(
    workspace,
    [{ calls: [{ id: "k1", name: "Skill", arguments: { name: "x" } }] }, { text: "Then not." }],
    { trust: false },
  );
  const { end } = await send(agent, "do it");
  expect(end.request?.items[0]).toMatchObject({ kind: "skill", name: "x" });
  workspace.write("skills/x/SKILL.md", stranger("SECOND"));
  const after = await answer(await reopen(), end.thread, { reply: true });
  expect(after.end.answer).toBe("Then not.");
  expect(readPrompt(server.requests[1])).toContain("is now another file");
  expect(readPrompt(server.requests[1])).not.toContain("SECOND");
});

it("an answer to a question is read and checked by its form", async () => {
  const form = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const question = { calls: [{ id: "q1", name: "AskUser", arguments: { question: "How many?", form } }] };
  const { agent, server } = await createScriptedAgent(createWorkspace(), [question, { text: "Done." }]);
  const { end } = await send(agent, "count");
  const config = { configurable: { thread_id: end.thread } };
  await agent.invoke(new Command({ resume: { n: "x" } }) as never, config);
  expect((await readThread(agent, end.thread)).request?.errors?.join()).toContain('"n"');
  await agent.invoke(new Command({ resume: { n: "5" } }) as never, config);
  expect(readPrompt(server.requests[1])).toContain('{"n":5}');
});
