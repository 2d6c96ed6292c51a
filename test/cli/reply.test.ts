import { describe, expect, it } from "vitest";
import { parseAnswer, pickAnswer, toReply } from "../../src/cli/reply.ts";
import { readReply } from "../../src/graph/reply.ts";
import type { ReviewItem, ReviewRequest } from "../../src/graph/request.ts";

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

function toRequest(...items: ReviewItem[]): ReviewRequest {
  return {
    id: "req-1",
    items,
    action_requests: [],
    actionRequests: [],
    review_configs: [],
    reviewConfigs: [],
  };
}

describe("toReply", () => {
  it("no answer is no reply", () => {
    expect(toReply({}, toRequest(call("a")))).toBeUndefined();
  });

  it("--approve is for every call", () => {
    expect(toReply({ approve: true }, toRequest(call("a"), call("b")))?.decisions).toEqual([
      { type: "approve" },
      { type: "approve" },
    ]);
  });

  it("--approve stops before a question, and is refused where one comes first", () => {
    expect(toReply({ approve: true }, toRequest(call("a"), question("q")))?.decisions).toHaveLength(1);
    expect(() => toReply({ approve: true }, toRequest(question("q"), call("a")))).toThrow(
      '"Which colour?" asks for an answer, not for an approval: use --answer TEXT.',
    );
  });

  it("--reject is for every item, also without words", () => {
    expect(toReply({ reject: "" }, toRequest(call("a"), question("q")))?.decisions).toEqual([
      { type: "reject", message: "" },
      { type: "reject", message: "" },
    ]);
  });

  it("--edit gives the one open call new arguments, or calls by id", () => {
    const action = (args: object) => ({ type: "edit", edited_action: { name: "Bash", args } });
    expect(toReply({ edit: '{"command":"ls"}' }, toRequest(call("a")))?.decisions).toEqual([
      action({ command: "ls" }),
    ]);
    const byId = toReply(
      { edit: '{"b":{"command":"2"},"a":{"command":"1"}}' },
      toRequest(call("a"), call("b")),
    );
    expect(byId?.decisions).toEqual([action({ command: "1" }), action({ command: "2" })]);
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
    expect(reply?.decisions).toEqual([{ type: "respond", value }]);
    expect(readReply(reply, [question("q")])).toEqual({ decisions: [{ type: "respond", value }] });
  });

  it("D5: --answer null is no answer", () => {
    expect(() => toReply({ answer: "null" }, toRequest(question("q")))).toThrow("null is no answer");
  });

  it("--answer settles the first question and leaves the rest, or is for questions by id", () => {
    const request = toRequest(question("q"), question("r"));
    expect(toReply({ answer: "red" }, request)?.decisions).toHaveLength(1);
    expect(toReply({ answer: '{"q":"red","r":2}' }, request)?.decisions).toEqual([
      { type: "respond", value: "red" },
      { type: "respond", value: 2 },
    ]);
  });

  it("an unknown outcome is run again, told, or skipped", () => {
    const request = toRequest(outcome);
    expect(toReply({ approve: true }, request)?.decisions).toEqual([{ type: "approve" }]);
    expect(toReply({ answer: "it worked" }, request)?.decisions).toEqual([
      { type: "respond", value: "it worked" },
    ]);
    expect(toReply({ reject: "skip" }, request)?.decisions).toEqual([{ type: "reject", message: "skip" }]);
  });
});

describe("answers", () => {
  it.each(["007", "1.10", "1e3", "12345678901234567890", "{broken", "yes"])("%s stays text", (text) => {
    expect(parseAnswer(text)).toBe(text);
  });

  it("two answers at once and --goto are wrong usage", () => {
    expect(() => pickAnswer({ approve: true, answer: "" })).toThrow("got --approve, --answer");
    expect(() => pickAnswer({ goto: "plan" })).toThrow('There is no stage to go to: --goto "plan".');
  });
});
