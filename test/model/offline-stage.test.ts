import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { planTurn } from "../../src/model/offline-plan.ts";
import { renderSkillEnvelope, type SkillEnvelope } from "../../src/skills/envelope.ts";
import { renderListing } from "../../src/skills/listing/listing.ts";
import { renderStageEnvelope, type StageEnvelope } from "../../src/skills/stages/stage-envelope.ts";

const catalog = renderListing([
  { name: "publish", description: "Publishes a package." },
  { name: "count-lines", description: "Counts the lines of a file." },
]).text;
const tools = [
  { name: "Bash", description: "" },
  { name: "AskUser", description: "" },
  { name: "CompleteStage", description: "" },
  { name: "Skill", description: catalog },
];
const without = (name: string) => tools.filter((tool) => tool.name !== name);

const person = (text: string) => new HumanMessage(text);

function skill(change: Partial<SkillEnvelope> = {}): HumanMessage {
  const base = { name: "publish", directory: "/s", arguments: "", argumentHint: "<package>", digest: "d" };
  return new HumanMessage(
    renderSkillEnvelope({ ...base, text: "Intro.\n```bash run\nintro\n```", ...change }),
  );
}

function stage(change: Partial<StageEnvelope> = {}): HumanMessage {
  return new HumanMessage(
    renderStageEnvelope({
      skill: "publish",
      id: "plan",
      title: "Plan",
      number: 2,
      total: 3,
      gate: "approve",
      results: [{ id: "inspect", summary: "3 commits." }],
      text: "Look.\n```bash run\nlook\n```\nThen plan.\n```bash run\nplan\n```\n",
      ...change,
    }),
  );
}

const block = (...commands: string[]) => commands.map((code) => `\`\`\`sh run\n${code}\n\`\`\``).join("\n");

let calls = 0;

/** A call and its result, as they stand in a history. */
function did(name: string, args: Record<string, unknown>, result: string, status?: "error"): BaseMessage[] {
  calls += 1;
  const id = `call-${calls}`;
  return [
    new AIMessage({ content: "", tool_calls: [{ id, name, args, type: "tool_call" }] }),
    new ToolMessage({ tool_call_id: id, content: result, ...(status ? { status } : {}) }),
  ];
}

const bash = (command: string, result: string, status?: "error") => did("Bash", { command }, result, status);
const answered = (question: unknown, answer: string) => did("AskUser", { question }, answer);
const completed = (summary: string, result: string, status?: "error") =>
  did("CompleteStage", { summary }, result, status);

const begin = (change: Partial<StageEnvelope> = {}): BaseMessage[] => [
  new SystemMessage("s"),
  person("/publish"),
  skill(),
  ...bash("inspect", "ok"),
  ...completed("3 commits.", 'The stage "Inspect" is complete.'),
  stage(change),
];
const turnOf = (messages: BaseMessage[]) => planTurn(messages, tools);
const commandsOf = (messages: BaseMessage[]) => turnOf(messages).calls.map((call) => call.input.command);
const questionOf = (messages: BaseMessage[]) => turnOf(messages).calls[0]?.input.question;
const callOf = (messages: BaseMessage[]) => {
  const [call, ...others] = turnOf(messages).calls;
  expect(others).toEqual([]);
  return call;
};
const ran = (printed = "") => [...bash("look", ""), ...bash("plan", printed)];

describe("carrying out a stage", () => {
  it("runs the blocks of the stage in their order, none of the intro, and hands it over alone", () => {
    expect(commandsOf([person("/publish"), skill(), stage()])).toEqual(["look"]);
    expect(commandsOf(begin())).toEqual(["look"]);
    const second = turnOf([...begin(), ...bash("look", "2 files")]);
    expect(second.calls).toMatchObject([{ name: "Bash", input: { command: "plan" } }]);
    expect(second.text).toContain("`look` printed:\n\n```\n2 files\n```");
    expect(second.text).toContain('Command 2 of 2 of the stage "Plan" of the skill publish: `plan`');
    const last = turnOf([...begin(), ...bash("look", ""), ...bash("plan", "all good")]);
    expect(last.calls).toEqual([
      { name: "CompleteStage", input: { summary: "Ran 2 commands: `look`, `plan`" } },
    ]);
    expect(last.text).toContain("all good");
    expect(last.text).toContain('Stage 2 of 3, "Plan": done.');
    expect(last.failed).toBeUndefined();
  });

  it("says nothing beside the only command of a stage, and leaves the summary to the gate", () => {
    const output = { type: "object" };
    const start = begin({ output, text: block("look") });
    expect(turnOf(start)).toMatchObject({ text: "", calls: [{ name: "Bash", input: { command: "look" } }] });
    const printed = bash("look", '{"summary":"3 files."}');
    expect(turnOf([...start, ...printed])).toMatchObject({
      text: 'Stage 2 of 3, "Plan": done.',
      calls: [{ name: "CompleteStage", input: { summary: "3 files." } }],
    });
    const passed = [...begin({ output, text: block("look"), gate: "none" }), ...printed];
    expect(turnOf(passed).text).toBe('Stage 2 of 3, "Plan": 3 files.');
  });

  it("does not count what earlier stages ran", () => {
    const history = [skill(), ...bash("look", "old"), ...completed("x", "done"), stage()];
    expect(commandsOf(history)).toEqual(["look"]);
  });

  it("asks for a missing argument in the words of the skill's hint", () => {
    const change = { text: block('plan "$1"') };
    expect(questionOf(begin(change))).toBe("What is <package>?");
    expect(commandsOf([...begin(change), ...answered("What is <package>?", "my 'p'")])).toEqual([
      "plan 'my '\\''p'\\'''",
    ]);
  });

  it("stops at a command that fails, and says that the stage is done again on any message", () => {
    const failing = [...begin(), ...bash("look", "no repository\n[exit code 1]")];
    const turn = turnOf(failing);
    expect(turn).toMatchObject({ calls: [], failed: true });
    expect(turn.text).toMatch(/^Stopped: 0 of 2 commands of the stage "Plan" of the skill publish ran/);
    expect(turn.text).toContain("exit code 1");
    expect(turn.text).toContain("no repository");
    expect(turn.text).toContain("write any message");
    expect(turn.text).toContain('    skillgraph run --continue "again"    # the newest thread\n');
    expect(turn.text).toContain("    skillgraph chat --thread ID");
    expect(commandsOf([...failing, new AIMessage("Stopped."), person("try again")])).toEqual(["look"]);
  });

  it("stops when a command is refused", () => {
    const turn = turnOf([...begin(), ...bash("look", "The person refused: no", "error")]);
    expect(turn).toMatchObject({ calls: [], failed: true });
    expect(turn.text).toContain("The person refused: no");
  });

  it("runs every block again after a new message, and asks again", () => {
    const change = { text: block("a $1", "b") };
    const question = "What is <package>?";
    const before = [
      ...begin(change),
      ...answered(question, "x"),
      ...bash("a x", "ok"),
      ...bash("b", "no", "error"),
    ];
    const after = [...before, new AIMessage("Stopped."), person("try again")];
    expect(questionOf(after)).toBe(question);
    expect(commandsOf([...after, ...answered(question, "y")])).toEqual(["a y"]);
    expect(commandsOf([...after, ...answered(question, "x"), ...bash("a x", "ok")])).toEqual(["b"]);
  });

  it("runs the stage again when its skill is asked for by name while it is open", () => {
    expect(commandsOf([...begin(), ...ran(), person("/publish")])).toEqual(["look"]);
  });

  it("stays at the stage when another skill was done in between, and leaves it for one that is asked for", () => {
    const other = skill({ name: "count-lines", text: block("count") });
    const between = [...begin(), person("/count-lines"), other];
    expect(commandsOf(between)).toEqual(["count"]);
    const after = [...between, ...bash("count", "7"), new AIMessage("Done."), person("go on")];
    expect(commandsOf(after)).toEqual(["look"]);
    expect(commandsOf([...after.slice(0, -1), person("/count-lines")])).toEqual(["count"]);
    expect(commandsOf([...after, ...did("Skill", { name: "count-lines" }, "Active.")])).toEqual(["count"]);
    const moved = [...between, ...bash("count", "7"), ...ran(), ...completed("x", "Complete."), stage()];
    expect(commandsOf(moved)).toEqual(["look"]);
  });

  it.each(["apply {inspect.head}", 'apply "v{inspect.head}"'])(
    "runs nothing while a value of an earlier stage is missing: %s",
    (code) => {
      const turn = turnOf(begin({ text: block("look", code) }));
      expect(turn).toMatchObject({ calls: [], failed: true });
      expect(turn.text).toContain("was not run: {inspect.head} has no value.");
    },
  );

  it.each(["a {x.y}", "a {a,b.c}", "say 'use {inspect.head}'", "awk '{print $1}'"])(
    "takes other braces for a part of the command: %s",
    (code) => expect(commandsOf(begin({ text: block(code) }))).toEqual([code]),
  );

  it.each(["Bash", "CompleteStage"])("says so when there is no %s tool", (name) => {
    const turn = planTurn(begin(), without(name));
    expect(turn).toMatchObject({ calls: [], failed: true });
    expect(turn.text).toContain(`There is no ${name} tool here`);
  });
});

describe("the output of a stage", () => {
  const output = {
    type: "object",
    required: ["version", "level"],
    properties: {
      version: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$", description: "The next version." },
      level: { enum: ["major", "minor", "patch"], title: "Kind of release" },
      count: { type: "integer" },
    },
  };

  it("is what the blocks printed, later over earlier, without what the schema does not know", () => {
    const first = `note\n${JSON.stringify({ version: "0.9.0", level: "patch", secret: 1 })}`;
    const history = [
      ...begin({ output }),
      ...bash("look", first),
      ...bash("plan", '{\n  "version": "1.0.0"\n}'),
    ];
    expect(callOf(history)?.input).toEqual({
      summary: "Ran 2 commands: `look`, `plan`",
      output: { version: "1.0.0", level: "patch" },
    });
  });

  it("takes the summary that the commands print", () => {
    const printed = JSON.stringify({ version: "1.0.0", level: "minor", summary: "1.0.0 with 2 changes.\n" });
    expect(callOf([...begin({ output }), ...ran(printed)])?.input).toEqual({
      summary: "1.0.0 with 2 changes.",
      output: { version: "1.0.0", level: "minor" },
    });
    expect(callOf([...begin(), ...ran('{"summary":"Fine."}')])?.input).toEqual({ summary: "Fine." });
  });

  it("keeps a summary to three lines", () => {
    const summary = `${"x".repeat(500)}\nb\n\nc\nd\ne`;
    const lines = String(callOf([...begin(), ...ran(JSON.stringify({ summary }))])?.input.summary).split(
      "\n",
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]?.length).toBeLessThan(200);
  });

  it("is asked for one value at a time where the blocks did not print it, as its schema wants it", () => {
    const start = [
      ...begin({ output: { ...output, required: ["version", "level", "count"] } }),
      ...ran("{}"),
    ];
    const version = 'What is "version"? The next version.';
    expect(questionOf(start)).toBe(version);
    expect(turnOf(start).text).toContain(
      'Stage 2 of 3, "Plan" needs a value that its commands did not print.',
    );
    const level = 'What is Kind of release ("level")? One of: major, minor, patch.';
    const second = [...start, ...answered(version, "1.0.0\n")];
    expect(questionOf(second)).toBe(level);
    const third = [...second, ...answered(level, "minor")];
    expect(questionOf(third)).toBe('What is "count"?');
    const whole = [...third, ...answered('What is "count"?', "12")];
    expect(turnOf(start).text).toContain("`plan` printed");
    expect(turnOf(whole).text).not.toContain("`plan` printed");
    expect(callOf(whole)?.input).toEqual({
      summary: 'Ran 2 commands: `look`, `plan`\nA person gave "version", "level" and "count".',
      output: { version: "1.0.0", level: "minor", count: 12 },
    });
  });

  it("asks once more with the reason when an answer does not fit, then fails", () => {
    const start = [...begin({ output }), ...ran('{"level":"minor"}')];
    const first = questionOf(start);
    const again = [...start, ...answered(first, "next")];
    const second = String(questionOf(again));
    expect(second).toMatch(/^That does not fit: .*version.*pattern.* What is "version"\?/);
    expect(callOf([...again, ...answered(second, "1.0.0")])?.input.output).toEqual({
      level: "minor",
      version: "1.0.0",
    });
    const turn = turnOf([...again, ...answered(second, "later")]);
    expect(turn).toMatchObject({ calls: [], failed: true });
    expect(turn.text).toMatch(/The answer does not fit: .*version/);
  });

  it("stops when a value is refused, and when there is no one to ask", () => {
    const start = [...begin({ output }), ...ran()];
    const refused = turnOf([...start, ...did("AskUser", { question: questionOf(start) }, "Nobody", "error")]);
    expect(refused).toMatchObject({ calls: [], failed: true });
    expect(refused.text).toContain('There is no answer to "What is "version"? The next version.": Nobody');
    const alone = planTurn(start, without("AskUser"));
    expect(alone).toMatchObject({ calls: [], failed: true });
    expect(alone.text).toContain('There is no AskUser tool here, and a value is missing. What is "version"?');
  });

  it("takes defaults, and asks what is required though it is not described", () => {
    const schema = { type: "object", required: ["a", "b"], properties: { a: { default: 3 } } };
    const start = [...begin({ output: schema }), ...ran()];
    expect(questionOf(start)).toBe('What is "b"?');
    expect(callOf([...start, ...answered('What is "b"?', "x")])?.input.output).toEqual({ a: 3, b: "x" });
  });

  it("keeps the order in which the commands printed it, with defaults after it", () => {
    const properties = { a: {}, b: { default: 1 }, c: {}, d: { default: 2 } };
    const printed = ran('{"c":3,"b":2,"a":1}');
    const made = callOf([...begin({ output: { type: "object", properties } }), ...printed])?.input.output;
    expect(JSON.stringify(made)).toBe('{"c":3,"b":2,"a":1,"d":2}');
  });

  it("keeps every value for a schema that describes none", () => {
    expect(callOf([...begin({ output: { type: "object" } }), ...ran('{"a":1}')])?.input.output).toEqual({
      a: 1,
    });
    expect(callOf([...begin({ output: {} }), ...ran('{"a":1}')])?.input.output).toEqual({ a: 1 });
    const byPattern = { properties: { b: {} }, patternProperties: { "^a": {} } };
    expect(callOf([...begin({ output: byPattern }), ...ran('{"a":1}')])?.input.output).toEqual({ a: 1 });
    const closed = { type: "object", additionalProperties: false };
    expect(callOf([...begin({ output: closed }), ...ran('{"a":1}')])?.input.output).toEqual({});
  });

  it("resolves definitions of the schema for an answer", () => {
    const schema = {
      type: "object",
      required: ["n"],
      properties: { n: { $ref: "#/$defs/number" } },
      $defs: { number: { type: "integer" } },
    };
    const start = [...begin({ output: schema }), ...ran()];
    expect(callOf([...start, ...answered('What is "n"?', "4")])?.input.output).toEqual({ n: 4 });
  });

  it("may be no object", () => {
    const list = { type: "array", items: { type: "string" } };
    expect(callOf([...begin({ output: list }), ...ran('note\n["a","b"]')])?.input.output).toEqual(["a", "b"]);
    const start = [...begin({ output: list }), ...ran("none")];
    const question = 'What is the result of the stage "Plan"? Answer with JSON.';
    expect(questionOf(start)).toBe(question);
    expect(callOf([...start, ...answered(question, '["c"]')])?.input).toEqual({
      summary: "Ran 2 commands: `look`, `plan`\nA person gave the result.",
      output: ["c"],
    });
    expect(callOf([...begin({ output: { type: "string" } }), ...ran("a text")])?.input.output).toBe("a text");
  });

  it("is left to the form of a form gate where it is missing", () => {
    const half = callOf([...begin({ output, gate: "form" }), ...ran('{"version":"1.0.0"}')]);
    expect(half).toMatchObject({ name: "CompleteStage", input: { output: { version: "1.0.0" } } });
    const none = callOf(begin({ output, gate: "form", text: "Choose." }));
    expect(none).toEqual({
      name: "CompleteStage",
      input: { summary: "No command is declared for this stage; its values are yours to fill in." },
    });
  });

  it("is asked for with the instructions when the stage declares no commands", () => {
    const start = begin({ output, text: "Read the history." });
    expect(turnOf(start).text).toContain("Read the history.");
    const first = [...start, ...answered(questionOf(start), "1.0.0")];
    expect(turnOf(first).text).not.toContain("Read the history.");
    const done = callOf([...first, ...answered(questionOf(first), "minor")]);
    expect(done?.input).toEqual({
      summary: 'A person gave "version" and "level".',
      output: { version: "1.0.0", level: "minor" },
    });
  });
});

describe("a stage that needs a model", () => {
  const start = begin({ text: "Think hard." });
  const question = String(questionOf(start));

  it("is shown and left to the person, whose answer is the summary", () => {
    expect(question).toMatch(/^Stage 2 of 3, "Plan": I cannot do this stage without a model\. When you have/);
    expect(turnOf(start).text).toContain("Think hard.");
    expect(callOf([...start, ...answered(question, "I thought.\n")])).toEqual({
      name: "CompleteStage",
      input: { summary: "I thought." },
    });
    expect(callOf([...start, ...answered(question, "")])?.input.summary).toMatch(/^Done by a person/);
  });

  it("stops when the person does not answer, and when nobody can be asked", () => {
    const refused = turnOf([
      ...start,
      ...did("AskUser", { question }, "The person did not answer.", "error"),
    ]);
    expect(refused).toMatchObject({ calls: [], failed: true });
    expect(refused.text).toContain("The person did not answer.");
    const alone = planTurn(start, without("AskUser"));
    expect(alone).toMatchObject({ calls: [], failed: true });
    expect(alone.text).toContain("Think hard.");
    expect(alone.text).toContain("There is no AskUser tool here");
    expect(alone.text).toContain("export OPENAI_API_KEY");
  });
});

describe("after the gate", () => {
  it("does a stage again that was sent back, and says that feedback takes a model", () => {
    const before = [...begin(), ...ran(), ...completed("x", "The person sent it back. They said: shorter")];
    const again = [...before, stage({ feedback: "shorter\nplease" })];
    expect(commandsOf(again)).toEqual(["look"]);
    const long = JSON.stringify({ summary: "a\nb\nc\nd" });
    expect(String(callOf([...again, ...ran(long)])?.input.summary)).toMatch(/^a\nb\nc …\nWithout a model/);
    const summary = String(callOf([...again, ...ran()])?.input.summary);
    expect(summary.split("\n")).toEqual([
      "Ran 2 commands: `look`, `plan`",
      'Without a model I cannot act on the feedback "shorter …": to change the result, edit the output.',
    ]);
  });

  it.each([
    ["where the stage stays above it", []],
    ["where the stage stands below it again", [stage({ failures: ['"version": is missing'] })]],
  ])("stops when the completion did not fit, %s", (_title, below) => {
    const refused = completed("x", 'The output does not fit: "version": is missing', "error");
    const history = [...begin(), ...ran(), ...refused, ...below];
    const turn = turnOf(history);
    expect(turn).toMatchObject({ calls: [], failed: true });
    expect(turn.text).toContain('"version": is missing');
    expect(turn.text).toContain("write any message");
    expect(commandsOf([...history, new AIMessage("Stopped."), person("again")])).toEqual(["look"]);
  });

  it("begins again when a new message withdrew the question of the gate", () => {
    const withdrawn = completed("x", "Cancelled: the person wrote a new message.", "error");
    expect(commandsOf([...begin(), ...ran(), ...withdrawn, person("do it again")])).toEqual(["look"]);
  });

  it("ends with the summary of every stage, the last one of each", () => {
    const history: BaseMessage[] = [person("/publish"), skill()];
    const hand = (change: Partial<StageEnvelope>, printed: string, result: string) => {
      const shown = [...history, stage({ text: block("go"), ...change }), ...bash("go", printed)];
      const turn = turnOf(shown);
      calls += 1;
      const id = `call-${calls}`;
      const [call] = turn.calls;
      history.push(
        ...bash("go", printed),
        new AIMessage({
          content: turn.text,
          tool_calls: [{ id, name: call?.name ?? "", args: call?.input ?? {}, type: "tool_call" }],
        }),
        new ToolMessage({ tool_call_id: id, content: result }),
      );
    };
    hand({ title: "Inspect", number: 1 }, '{"summary":"3 commits."}', "Complete.");
    hand({}, '{"summary":"Version 1."}', "The person sent it back.");
    hand({}, '{"summary":"Version 2."}', "Complete.");
    history.push(person("go on"));
    hand(
      { title: "Apply", number: 3 },
      '{"summary":"Tagged."}',
      "Complete. All stages are complete. Report.",
    );
    const turn = turnOf(history);
    expect(turn).toEqual({
      text: "All stages of the skill publish are complete.\n\n- Inspect: 3 commits.\n- Plan: Version 2.\n- Apply: Tagged.",
      calls: [],
    });
    expect(callOf([...history, new AIMessage("Done."), person("count the lines")])).toMatchObject({
      input: { name: "count-lines" },
    });
    const other = skill({ name: "count-lines", text: block("count") });
    expect(commandsOf([other, ...history, new AIMessage("Done."), person("/count-lines")])).toEqual([
      "count",
    ]);
    // Asked for once more, the finished wizard runs nothing of its intro.
    expect(turnOf([...history, new AIMessage("Done."), person("/publish")])).toEqual(turn);
    expect(turnOf([...history, person("/count-lines"), other, person("/publish")])).toEqual(turn);
  });

  it("ends with the summaries that another model gave, and without those of an earlier run", () => {
    const history = [
      person("/publish"),
      skill(),
      ...completed("Old.", "All stages are complete."),
      person("/publish"),
      ...completed("Refused.", "No.", "error"),
      ...completed("First.", "Complete."),
      ...completed("Second.", "Complete, and the person changed its output."),
      ...completed("Third.", "All stages are complete."),
    ];
    expect(turnOf(history).text).toBe(
      "All stages of the skill publish are complete.\n\n- First.\n- changed by the person at the gate, before that: Second.\n- Third.",
    );
  });

  it("says that the stages were left when the last of them was not completed", () => {
    const history = [person("/publish"), skill(), ...completed("First.", "Complete.")];
    expect(turnOf(history)).toEqual({
      text: "The stages of the skill publish were left early.\n\n- First.",
      calls: [],
    });
  });
});
