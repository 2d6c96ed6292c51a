import { Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLineAsk, type LineAskOptions } from "../../src/cli/ask-by-line.ts";
import { openLines } from "../../src/cli/lines.ts";
import type { ReviewRequest } from "../../src/graph/review/request.ts";
import type { ReviewItem } from "../../src/graph/review/review-item.ts";
import { createTestScreen } from "../support/screen.ts";
import { failedGate, formGate, planGate, wordsGate } from "../support/stage-items.ts";

const call: ReviewItem = {
  kind: "call",
  id: "a",
  name: "Bash",
  args: { command: "ls" },
  description: "why",
  allowed: ["approve", "edit", "reject"],
};
const question: ReviewItem = { ...call, kind: "question", id: "q", allowed: ["respond", "reject"] };
const skill: ReviewItem = { ...call, kind: "skill", id: "s", name: "tidy", allowed: ["approve", "reject"] };
const outcome: ReviewItem = { ...call, kind: "outcome", id: "o", allowed: ["approve", "respond", "reject"] };

const offering: ReviewItem = { ...call, always: ["Bash(ls)"] };

const drift: ReviewItem = {
  ...call,
  kind: "drift",
  id: "tidy",
  name: "tidy",
  allowed: ["approve", "edit", "respond", "reject"],
  choices: ["pin", "refresh", "stop"],
};

async function ask(items: ReviewItem[], typed: string, options: LineAskOptions = {}) {
  const lines = openLines(Readable.from([typed]), new Writable());
  const screen = createTestScreen();
  const reply = await createLineAsk(lines, screen, options)({ id: "r", items } as unknown as ReviewRequest);
  lines.close();
  return { reply, ...screen.read() };
}

describe("asking in plain lines", () => {
  it.each([
    [call, "y\n", { type: "approve" }],
    [call, "YES\n", { type: "approve" }],
    [offering, "y\n", { type: "approve" }],
    [offering, "always\n", { type: "approve", always: true }],
    [offering, "Approve always\n", { type: "approve", always: true }],
    [question, "always\n", { type: "respond", value: "always" }],
    [call, "n always\n", { type: "reject", message: "always" }],
    [call, "n\n", { type: "reject", message: "" }],
    [call, "approve\n", { type: "approve" }],
    [call, "n not today\n", { type: "reject", message: "not today" }],
    [call, "No, not today\n", { type: "reject", message: "not today" }],
    [call, "reject: not today\n", { type: "reject", message: "not today" }],
    [skill, "y\n", { type: "approve" }],
    [outcome, "no file was written\n", { type: "respond", value: "no file was written" }],
    [question, "no, blue\n", { type: "respond", value: "no, blue" }],
    [question, "/tmp\n", { type: "respond", value: "/tmp" }],
    [call, "\ny\n", { type: "approve" }],
    [outcome, "it worked\n", { type: "respond", value: "it worked" }],
    [outcome, "n\n", { type: "reject", message: "" }],
    [question, "red\n", { type: "respond", value: "red" }],
    [question, "y\n", { type: "respond", value: "y" }],
    [question, "\n", { type: "respond", value: "" }],
    [drift, "y\nno\nmaybe\nRefresh\n", { type: "respond", value: "refresh" }],
    [drift, "pin\n", { type: "respond", value: "pin" }],
    [question, "0\n", { type: "respond", value: 0 }],
    [question, "null\n", { type: "respond", value: "null" }],
  ])("%#: %j", async (item, typed, decision) => {
    expect((await ask([item], typed)).reply).toEqual({ decisions: [decision] });
  });

  it.each(["", "/later\n", "/quit\n", "\n"])("%j leaves it open", async (typed) => {
    expect((await ask([call], typed)).reply).toBeUndefined();
  });

  it.each(["/skills", "not today", "yes please", "nope", "note it", "/etc/passwd", "yy"])(
    "%j decides no call and no skill: what can be typed is said again",
    async (typed) => {
      for (const item of [call, skill]) {
        const { reply, err } = await ask([item], `${typed}\ny\n`);
        expect(reply).toEqual({ decisions: [{ type: "approve" }] });
        const ways = "Type y, n, n and why not, or /later.\n";
        expect(err).toBe(`${ways}"${typed}" was not understood.\n${ways}`);
        expect((await ask([item], `${typed}\n`)).reply).toBeUndefined();
      }
    },
  );

  it("always is said to be a way only where a rule is offered, and decides nothing elsewhere", async () => {
    const offered = await ask([offering], "y\n");
    expect(offered.err).toContain("Type y, always, n, n and why not, or /later.\n");
    expect(offered.out).toContain("Bash(ls)");
    for (const item of [call, skill, outcome, drift])
      expect((await ask([item], "always\n/later\n")).reply, item.kind).toBeUndefined();
    expect((await ask([call], "always\n/later\n")).err).toContain("No rule is offered for this call");
  });

  it("what can be typed is said for questions and unknown ends, too", async () => {
    expect((await ask([question], "red\n")).err).toBe("Type your answer, or /later.\n");
    expect((await ask([outcome], "n\n")).err).toContain("the result it had");
  });

  it("a line with a slash goes to who takes commands, and only then is an answer", async () => {
    const seen: string[] = [];
    const takeCommand = async (line: string) => {
      seen.push(line);
      return line === "/skills" ? "again" : line === "/tidy" ? "leave" : "answer";
    };
    expect((await ask([question], "/skills\n/x/y\n", { takeCommand })).reply).toEqual({
      decisions: [{ type: "respond", value: "/x/y" }],
    });
    expect((await ask([call], "/skills\n/tidy\ny\n", { takeCommand })).reply).toBeUndefined();
    expect(seen).toEqual(["/skills", "/x/y", "/skills", "/tidy"]);
  });

  it("asks for every item, in order", async () => {
    const { reply, out } = await ask([call, question], "y\nred\n");
    expect(reply).toEqual({ decisions: [{ type: "approve" }, { type: "respond", value: "red" }] });
    expect(out.indexOf("wants to use")).toBeLessThan(out.indexOf("asks:"));
  });
});

describe("asking in plain lines at a stage", () => {
  const edited = (args: object) => ({
    decisions: [{ type: "edit", edited_action: { name: "release/plan", args } }],
  });

  it.each([
    ["approve", { decisions: [{ type: "approve" }] }],
    ["y", { decisions: [{ type: "approve" }] }],
    ["reject", { decisions: [{ type: "reject", message: "" }] }],
    ["reject Use 2.0", { decisions: [{ type: "reject", message: "Use 2.0" }] }],
    ["goto inspect", { goto: "inspect" }],
    ["GOTO plan", { goto: "plan" }],
    ["stop", { goto: "__end__" }],
    ['{"version":"2.0.0"}', edited({ ...planGate.args, version: "2.0.0" })],
  ])("%j", async (typed, reply) => {
    expect((await ask([planGate], `${typed}\n`)).reply).toEqual(reply);
  });

  it.each([
    ["goto apply", 'There is no way to "apply" from here. Ways: inspect, plan, __end__.'],
    ["goto", "Where to? Ways: inspect, plan, __end__."],
    ['{"suggested":', "This is no JSON object."],
    ["[1]", "This is no JSON object."],
    ["{}", "This changes nothing: type approve to go on."],
  ])("%j decides nothing, and the reason is said", async (typed, reason) => {
    const { reply, err } = await ask([planGate], `${typed}\ny\n`);
    expect(reply).toEqual({ decisions: [{ type: "approve" }] });
    expect(err).toMatch(/^Type approve, /);
    expect(err.split("\n")[1]).toBe(reason);
    expect(err.split("\n")[2]).toMatch(/^Type approve, /);
  });

  it("a way that a call in a wizard does not have is told, too", async () => {
    const { err } = await ask([{ ...call, stage: "plan", back: ["plan"] }], "goto apply\ny\n");
    expect(err).toContain('There is no way to "apply" from here. Ways: plan, __end__.\n');
  });

  it.each(["skip", "version=2", "stop it", "Use 2.0", "approve?"])(
    "%j decides nothing: what can be typed is said again",
    async (typed) => {
      const { reply, err } = await ask([planGate], `${typed}\ny\n`);
      expect(reply).toEqual({ decisions: [{ type: "approve" }] });
      const ways =
        "Type approve, reject and what to change, JSON with what you change, goto inspect, goto plan, stop (ends the wizard), or /later.\n";
      expect(err).toBe(`${ways}"${typed}" was not understood.\n${ways}`);
    },
  );

  it("a form takes its values, and its yes only where nothing is missing", async () => {
    expect((await ask([formGate], 'y\n{"version":"2"}\n')).reply).toEqual({
      decisions: [{ type: "respond", value: { version: "2" } }],
    });
    expect((await ask([formGate], "version=2\n")).reply).toEqual({
      decisions: [{ type: "respond", value: { version: "2" } }],
    });
    expect((await ask([formGate], "versio=2\n")).err).toContain(
      '"versio" is no field of the form. Nearest: version.\n',
    );
    expect((await ask([formGate], "/later\n")).err).toMatch(
      /^Type reject and what to change, the values as JSON/,
    );
  });

  it("what failed cannot be approved, and a summary has no other key", async () => {
    expect((await ask([failedGate], "approve\n")).reply).toBeUndefined();
    const other = await ask([wordsGate], '{"version":"2"}\n');
    expect(other.reply).toBeUndefined();
    expect(other.err).toContain('The stage hands over a summary only: {"summary": TEXT}.\n');
    expect((await ask([wordsGate], '{"summary":"New."}\n')).reply).toMatchObject({
      decisions: [{ edited_action: { args: { summary: "New." } } }],
    });
  });
});
