import { describe, expect, it } from "vitest";
import type { ResumeFlags } from "../../src/cli/flags.ts";
import { pickAnswer, toReply } from "../../src/cli/reply.ts";
import { readReply } from "../../src/graph/review/reply.ts";
import type { ReviewRequest } from "../../src/graph/review/request.ts";
import type { ReviewItem } from "../../src/graph/review/review-item.ts";
import { failedGate, formGate, planGate, toRequest, wordsGate } from "../support/stage-items.ts";

const call = (id: string): ReviewItem => ({
  kind: "call",
  id,
  name: "Bash",
  args: { command: `run ${id}` },
  description: "unlisted",
  allowed: ["approve", "edit", "reject"],
});
const question = (id: string): ReviewItem => ({
  kind: "question",
  id,
  name: "AskUser",
  args: {},
  description: "Which colour?",
  allowed: ["respond", "reject"],
});
const outcome: ReviewItem = { ...call("o"), kind: "outcome", allowed: ["approve", "respond", "reject"] };

function decide(flags: ResumeFlags, request: ReviewRequest) {
  const reply = toReply(flags, request);
  return reply && "decisions" in reply ? reply.decisions : undefined;
}

describe("toReply", () => {
  it("no answer is no reply", () => {
    expect(toReply({}, toRequest(call("a")))).toBeUndefined();
  });

  it("--approve is for every call", () => {
    expect(decide({ approve: true }, toRequest(call("a"), call("b")))).toEqual([
      { type: "approve" },
      { type: "approve" },
    ]);
  });

  it("--always goes with --approve only", () => {
    expect(pickAnswer({ approve: true, always: true })).toBe("approve");
    expect(() => pickAnswer({ always: true })).toThrow("--always goes with --approve; it was given alone.");
    for (const flags of [{ reject: "no" }, { edit: "{}" }, { answer: "x" }, { goto: "y" }])
      expect(() => pickAnswer({ ...flags, always: true })).toThrow(
        `--always goes with --approve; it was given with --${Object.keys(flags)[0]}.`,
      );
  });

  it("--always adds the rules of the calls that offer some, and is refused where none does", () => {
    const offering = { ...call("a"), always: ["Bash(run a)"] };
    const flags: ResumeFlags = { approve: true, always: true };
    expect(decide(flags, toRequest(offering, call("b")))).toEqual([
      { type: "approve", always: true },
      { type: "approve" },
    ]);
    expect(() => toReply(flags, toRequest(call("a"), call("b")))).toThrow(
      "--always adds a rule, and none is offered for Bash (a), Bash (b): use --approve alone.",
    );
    // What comes after the question is not answered.
    expect(() => toReply(flags, toRequest(call("b"), question("q"), offering))).toThrow("none is offered");
    expect(readReply(toReply(flags, toRequest(offering)), [offering])).toEqual({
      decisions: [{ type: "approve", always: true }],
    });
  });

  it("--approve stops before a question, and is refused where one comes first", () => {
    expect(decide({ approve: true }, toRequest(call("a"), question("q")))).toHaveLength(1);
    expect(() => toReply({ approve: true }, toRequest(question("q"), call("a")))).toThrow(
      '"Which colour?" asks for an answer, not for an approval: use --answer TEXT.',
    );
  });

  it("--reject is for every item, also without words", () => {
    expect(decide({ reject: "" }, toRequest(call("a"), question("q")))).toEqual([
      { type: "reject", message: "" },
      { type: "reject", message: "" },
    ]);
  });

  it("--edit gives the one open call new arguments, or calls by id", () => {
    const action = (args: object) => ({ type: "edit", edited_action: { name: "Bash", args } });
    expect(decide({ edit: '{"command":"ls"}' }, toRequest(call("a")))).toEqual([action({ command: "ls" })]);
    const byId = decide(
      { edit: '{"b":{"command":"2"},"a":{"command":"1"}}' },
      toRequest(call("a"), call("b")),
    );
    expect(byId).toEqual([action({ command: "1" }), action({ command: "2" })]);
  });

  it.each([
    ["text", "ls", "takes a JSON object"],
    ["a list", "[1]", "takes a JSON object"],
    ["two open calls without ids", '{"command":"ls"}', "2 items are open"],
    ["not from the first on", '{"b":{}}', "from the first on"],
    ["too many", '{"a":{},"b":{},"c":{}}', "from the first on"],
    ["no object for an id", '{"a":1}', 'takes an object for "a"'],
  ])("--edit is refused for %s", (_name, edit, message) => {
    expect(() => toReply({ edit }, toRequest(call("a"), call("b")))).toThrow(message);
  });

  it("--answer and --edit name what fits instead", () => {
    expect(() => toReply({ answer: "x" }, toRequest(call("a")))).toThrow(
      "use --approve, --edit JSON, --reject TEXT",
    );
    expect(() => toReply({ edit: "{}" }, toRequest(question("q")))).toThrow(
      "use --answer TEXT, --reject TEXT",
    );
  });

  it.each([
    ["", ""],
    ["0", 0],
    ["false", false],
    ["no", "no"],
    ['{"colour":"red"}', { colour: "red" }],
    ['"quoted"', "quoted"],
  ])("D5: --answer %j is an answer", (answer, value) => {
    const reply = toReply({ answer }, toRequest(question("q")));
    expect(reply).toEqual({ decisions: [{ type: "respond", value }] });
    expect(readReply(reply, [question("q")])).toEqual({ decisions: [{ type: "respond", value }] });
  });

  it("D5: --answer null is no answer", () => {
    expect(() => toReply({ answer: "null" }, toRequest(question("q")))).toThrow("null is no answer");
  });

  it("--answer settles the first question and leaves the rest, or is for questions by id", () => {
    const request = toRequest(question("q"), question("r"));
    expect(decide({ answer: "red" }, request)).toHaveLength(1);
    expect(decide({ answer: '{"q":"red","r":2}' }, request)).toEqual([
      { type: "respond", value: "red" },
      { type: "respond", value: 2 },
    ]);
  });

  it("an unknown outcome is run again, told, or skipped", () => {
    const request = toRequest(outcome);
    expect(decide({ approve: true }, request)).toEqual([{ type: "approve" }]);
    expect(decide({ answer: "it worked" }, request)).toEqual([{ type: "respond", value: "it worked" }]);
    expect(decide({ reject: "skip" }, request)).toEqual([{ type: "reject", message: "skip" }]);
  });
});

describe("toReply at a stage", () => {
  const edit = (text: string, item = planGate) => decide({ edit: text }, toRequest(item));

  it("--approve and --reject are decisions", () => {
    expect(decide({ approve: true }, toRequest(planGate))).toEqual([{ type: "approve" }]);
    expect(decide({ reject: "Use 2.0" }, toRequest(planGate))).toEqual([
      { type: "reject", message: "Use 2.0" },
    ]);
  });

  it("--edit changes the keys that it names and no other", () => {
    expect(edit('{"version":"2.0.0","added":1}')).toEqual([
      {
        type: "edit",
        edited_action: {
          name: "release/plan",
          args: { ...planGate.args, version: "2.0.0", added: 1 },
        },
      },
    ]);
  });

  it.each(["{}", '{"version":"1.2.0"}', '{"files":[{"to":"b, c.md","from":"a.md"}]}'])(
    "--edit %s changes nothing, so it is no edit",
    (text) => {
      expect(() => edit(text)).toThrow(`--edit ${text} changes nothing; use --approve.`);
    },
  );

  it("--edit {} is an output where there is none to approve", () => {
    expect(edit("{}", failedGate)).toMatchObject([{ edited_action: { args: {} } }]);
  });

  it("--edit of a summary takes a summary and nothing else", () => {
    expect(edit('{"summary":"New."}', wordsGate)).toMatchObject([
      { edited_action: { args: { summary: "New." } } },
    ]);
    expect(() => edit('{"version":"2"}', wordsGate)).toThrow(
      'The stage "apply" hands over a summary only: --edit takes {"summary": TEXT}, not "{\\"version\\":\\"2\\"}".',
    );
    expect(() => edit("New.")).toThrow('--edit takes a JSON object of new output, not "New.".');
  });

  it("what could not be completed cannot be approved", () => {
    expect(() => decide({ approve: true }, toRequest(failedGate))).toThrow(
      'The stage "plan" cannot be approved as it is: use --edit JSON, --reject TEXT, --goto STAGE.',
    );
  });

  it.each([
    ['{"version":"2.0.0"}', { version: "2.0.0" }],
    ["version=2", { version: "2" }],
    ["rounds = 2", { rounds: 2 }],
    ["notes=a = b", { notes: "a = b" }],
  ])("--answer %j gives the values of a form", (answer, value) => {
    expect(decide({ answer }, toRequest(formGate))).toEqual([{ type: "respond", value }]);
  });

  it.each([
    [
      "versio=2",
      '"versio" is no field of the form. Nearest: version. Use --answer JSON, --answer NAME=VALUE',
    ],
    ["other=2", '"other" is no field of the form. Fields: version, notes, files, draft, rounds.'],
    ["toString=2", '"toString" is no field of the form.'],
    ['{"versio":"2"}', '"versio" is no field of the form. Nearest: version.'],
    ["2.0.0", '"2.0.0" fills in no field of the form. Fields: version, '],
    ["a yes = sure", '"a yes = sure" fills in no field of the form.'],
    ["[1]", '"[1]" fills in no field of the form.'],
    ["", '"" fills in no field of the form.'],
  ])("--answer %j is no value of the form, and no rejection", (answer, message) => {
    expect(() => decide({ answer }, toRequest(formGate))).toThrow(message);
  });

  it("a form that takes other fields, too, gets them", () => {
    const open = { ...formGate, form: { ...formGate.form, additionalProperties: true } };
    expect(decide({ answer: '{"other":2}' }, toRequest(open))).toEqual([
      { type: "respond", value: { other: 2 } },
    ]);
  });

  it("--answer is refused where no form is to be filled in", () => {
    expect(() => decide({ answer: "{}" }, toRequest(planGate))).toThrow(
      'The stage "plan" asks for a decision, not for an answer: use --approve, --edit JSON, --reject TEXT, --goto STAGE.',
    );
  });

  it.each(["inspect", "plan", "__end__"])("--goto %s leaves the stage", (stage) => {
    const reply = toReply({ goto: stage }, toRequest(planGate));
    expect(reply).toEqual({ goto: stage });
    expect(readReply(reply, [planGate])).toEqual({ goto: stage });
  });

  it.each(["apply", "", "Inspect"])("--goto %j is no way back: the ways are listed", (stage) => {
    expect(() => toReply({ goto: stage }, toRequest(planGate))).toThrow(
      `--goto cannot go to "${stage}". Choices: inspect, plan, __end__ (__end__ stops the wizard).`,
    );
  });

  it.each([[call("a")], [question("q")], [outcome]])(
    "--goto __end__ ends a run at a $kind of no wizard",
    (item) => {
      const reply = toReply({ goto: "__end__" }, toRequest(item));
      expect(reply).toEqual({ goto: "__end__" });
      expect(readReply(reply, [item])).toEqual({ goto: "__end__" });
    },
  );

  it.each([[call("a")], [question("q")], [outcome]])("--goto leaves a $kind of a wizard, too", (item) => {
    const request = toRequest({ ...item, stage: "plan", back: ["inspect", "plan"] });
    for (const stage of ["inspect", "plan", "__end__"]) {
      expect(toReply({ goto: stage }, request)).toEqual({ goto: stage });
    }
    expect(() => toReply({ goto: "apply" }, request)).toThrow(
      '--goto cannot go to "apply". Choices: inspect, plan, __end__ (__end__ stops the wizard).',
    );
  });

  it.each([
    ["a call", toRequest(call("a"))],
    ["a question of a caller's own tool", { question: "Which?" } as unknown as ReviewRequest],
  ])("%s that belongs to no wizard leads to no stage", (_title, request) => {
    expect(() => toReply({ goto: "inspect" }, request)).toThrow(
      'What waits here belongs to no wizard, so there is no stage to go to: --goto "inspect".',
    );
  });
});

it("two answers at once are wrong usage", () => {
  expect(() => pickAnswer({ approve: true, answer: "" })).toThrow("got --approve, --answer");
  expect(() => pickAnswer({ approve: true, goto: "plan" })).toThrow("got --approve, --goto");
  expect(pickAnswer({ goto: "plan" })).toBe("goto");
});
