import { describe, expect, it } from "vitest";
import { toAgentOptions, toCarriedFlags } from "../../../src/cli/flags.ts";
import { createSkillAgent, readThread, type SkillAgentOptions } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { complete, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const output = "output: {type: object, required: [days], properties: {days: {type: integer}}}";
const form = (field: string) => `form: {type: object, required: [level], properties: {level: ${field}}}`;

/** A wizard whose first stage has this header, and whose last one asks nobody. */
async function open(
  header: string[],
  turns: Parameters<typeof createScriptedAgent>[1],
  options: SkillAgentOptions = { autoGates: true },
  more: Record<string, string> = {},
) {
  const workspace = createWorkspace({
    "skills/go/SKILL.md": skillText({ name: "go", description: "Goes." }, "INTRO"),
    "skills/go/stages/1-plan.md": stageText(["title: Plan", ...header], "PLAN"),
    "skills/go/stages/2-apply.md": stageText(["gate: none"], "APPLY"),
    ...more,
  });
  const scripted = await createScriptedAgent(workspace, turns, options);
  return { ...scripted, ...(await send(scripted.agent, "/go")) };
}

const goesOn = [complete("s2"), { text: "Done." }];

describe("a gate that says auto, where such gates are opened", () => {
  it.each<[string, string[], unknown]>([
    ["an output that fits", ["auto: true", output], { days: 2 }],
    ["words only", ["auto: true"], undefined],
    [
      "a form whose defaults do",
      ["auto: true", "gate: form", form("{type: string, default: minor}")],
      undefined,
    ],
    ["a form that the output fills in", ["auto: true", "gate: form", output], { days: 2 }],
  ])("opens for %s", async (_name, header, handed) => {
    const { agent, end, events, server } = await open(header, [complete("s1", handed), ...goesOn]);
    expect(end.status).toBe("finished");
    const ends = events.filter(({ type }) => type === "stage-end");
    expect(ends).toMatchObject([
      { stage: "plan", result: "approved" },
      { stage: "apply", result: "passed" },
    ]);
    const { values } = await agent.getState({ configurable: { thread_id: end.thread } });
    const records = values.audit.filter(({ kind }: { kind: string }) => kind === "stage");
    expect(records).toMatchObject([{ id: "s1", name: "go/plan", verdict: "approve", by: "mode" }]);
    expect(records[0]?.reason).toContain("auto");
    expect(records[0]).not.toHaveProperty("who");
    server.assertDone();
  });

  it.each<[string, string[], unknown]>([
    ["a form with a value missing", ["auto: true", "gate: form", form("{type: string}")], undefined],
    ["a form that the output does not fill in", ["auto: true", "gate: form", output], {}],
    ["a default that does not fit", ["auto: true", "gate: form", form("{enum: [a], default: b}")], undefined],
    ["a stage that says nothing of it", [output], { days: 2 }],
    ["a stage that says no", ["auto: false", output], { days: 2 }],
    ["a word that is neither", ["auto: perhaps", output], { days: 2 }],
    ["a stage that failed too often", ["auto: true", "max-attempts: 1", output], { days: "x" }],
  ])("waits for %s", async (_name, header, handed) => {
    const { end } = await open(header, [complete("s1", handed)]);
    expect(end).toMatchObject({ status: "waiting", request: { items: [{ kind: "stage", stage: "plan" }] } });
  });

  it("opens anew when a person sends the wizard back to it", async () => {
    const turns = ["s1", "s2", "s3", "s4", "s5", "s6"].map((id) => complete(id));
    const { agent, end } = await open(
      ["auto: true"],
      turns,
      { autoGates: true },
      {
        "skills/go/stages/3-ask.md": stageText(["title: Ask"], "ASK"),
      },
    );
    expect(end).toMatchObject({ request: { items: [{ stage: "ask" }] } });
    const again = await answer(agent, end.thread, { reply: { goto: "plan" } });
    expect(again.end).toMatchObject({ request: { items: [{ stage: "ask" }] } });
    expect(again.events).toContainEqual({
      type: "stage-end",
      skill: "go",
      stage: "plan",
      result: "approved",
    });
  });

  it("opens nothing else: calls and questions of the stage wait", async () => {
    const write = { id: "w1", name: "Write", arguments: { path: "a.txt", content: "a" } };
    const { agent, end } = await open(
      ["auto: true"],
      [
        { calls: [write] },
        { calls: [{ id: "q1", name: "AskUser", arguments: { question: "Sure?" } }] },
        complete("s1"),
        ...goesOn,
      ],
    );
    expect(end).toMatchObject({ request: { items: [{ kind: "call", name: "Write" }] } });
    const asked = await answer(agent, end.thread, { reply: true });
    expect(asked.end).toMatchObject({ request: { items: [{ kind: "question" }] } });
    expect((await answer(agent, end.thread, { reply: "Yes" })).end.status).toBe("finished");
  });
});

describe("who may open gates", () => {
  it.each<[string, SkillAgentOptions, object, Record<string, string>]>([
    ["nobody by default", {}, {}, {}],
    ["the mode that allows what would ask does not", { permissions: { mode: "allow" } }, {}, {}],
    ["the files of the project do not", {}, {}, { "skillgraph.json": '{"autoGates": true}' }],
  ])("%s", async (_name, options, _more, files) => {
    const opened = open(["auto: true"], [complete("s1")], options, files);
    // A key that no settings file has is refused or told, and opens nothing.
    const end = await opened.then(
      ({ end }) => end.status,
      (error: Error) => error.message,
    );
    expect(["waiting", expect.stringContaining("autoGates")]).toContainEqual(end);
  });

  it("the context of a run does not", async () => {
    const { agent, end } = await open([], [complete("s1"), { text: "Oh." }], {});
    const context = { autoGates: true } as never;
    const input = { messages: [{ role: "user", content: "/go" }] };
    const config = { configurable: { thread_id: `${end.thread}-2` }, context };
    await agent
      .invoke(input as never, config as never)
      .catch((error: Error) => expect(error.message).toContain("autoGates"));
    expect((await readThread(agent, end.thread)).status).toBe("waiting");
  });

  it("an option that is no switch is refused", async () => {
    await expect(createSkillAgent({ autoGates: "yes" } as never)).rejects.toMatchObject({ code: "usage" });
  });

  it("the flag does, and printed commands repeat it", () => {
    expect(toAgentOptions({ autoGates: true, deny: true })).toEqual({
      autoGates: true,
      permissions: { mode: "deny" },
    });
    expect(toAgentOptions({})).toEqual({});
    expect(toCarriedFlags({ autoGates: true })).toBe("--auto-gates");
  });
});
