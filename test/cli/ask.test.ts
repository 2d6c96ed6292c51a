import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createTerminalAsk, type TakeCommand } from "../../src/cli/ask.ts";
import type { ReviewRequest } from "../../src/graph/review/request.ts";
import type { ReviewItem } from "../../src/graph/review/review-item.ts";
import { createTestScreen } from "../support/screen.ts";

const call: ReviewItem = {
  kind: "call",
  id: "a",
  name: "Bash",
  args: { command: "ls" },
  description: "why",
  allowed: ["approve", "edit", "reject"],
};
const skill: ReviewItem = { ...call, kind: "skill", id: "s", name: "tidy", allowed: ["approve", "reject"] };
const outcome: ReviewItem = { ...call, kind: "outcome", id: "o", allowed: ["approve", "respond", "reject"] };
const question: ReviewItem = { ...call, kind: "question", id: "q", allowed: ["respond", "reject"] };

const drift: ReviewItem = {
  ...call,
  kind: "drift",
  id: "tidy",
  name: "tidy",
  args: { choice: "pin" },
  allowed: ["approve", "edit", "respond", "reject"],
  choices: ["pin", "refresh", "stop"],
};

const ENTER = "\r";
const UP = "\u001b[A";

/** Presses keys, each when the prompt before it has been drawn. */
async function press(item: ReviewItem, keys: string[], takeCommand?: TakeCommand) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...keys];
  output.on("data", () => {
    setTimeout(() => {
      const key = left.shift();
      if (key !== undefined) input.write(key);
    }, 20);
  });
  const ask = createTerminalAsk(createTestScreen(), {
    streams: { input, output },
    ...(takeCommand ? { takeCommand } : {}),
  });
  return ask({ id: "r", items: [item] } as unknown as ReviewRequest);
}

describe("asking on the terminal", () => {
  it.each([call, skill, outcome, drift])("Enter alone leaves a $kind open", async (item) => {
    expect(await press(item, [ENTER])).toBeUndefined();
  });

  it.each([call, skill, outcome, drift])(
    "no letter moves the mark of a $kind, and it does not turn around",
    async (item) => {
      for (const keys of [["j"], ["l"], ["k"], ["h"], ["\u001b[B"], ["\u001b[B", "\u001b[B"], ["x"], [" "]]) {
        // What is typed and means nothing is asked about again; an arrow alone stays on Later.
        expect(await press(item, [...keys, ENTER, "/later", ENTER]), keys.join("")).toBeUndefined();
      }
    },
  );

  it.each([
    [call, "y", { type: "approve" }],
    [call, "yes", { type: "approve" }],
    [call, "n", { type: "reject", message: "" }],
    [call, "no", { type: "reject", message: "" }],
    [skill, "no, not that one", { type: "reject", message: "not that one" }],
    [drift, "pin", { type: "respond", value: "pin" }],
  ])("words beside the choices do what they say: %j", async (item, typed, decision) => {
    expect(await press(item, [typed, ENTER])).toEqual({ decisions: [decision] });
  });

  it.each(["/later", "/quit", "later", "maybe", "/nothing", "yellow"])(
    "%j decides nothing",
    async (typed) => {
      for (const item of [call, skill, outcome, drift])
        expect(await press(item, [typed, ENTER, "/later", ENTER])).toBeUndefined();
    },
  );

  it("an arrow after words takes them back", async () => {
    expect(await press(call, ["y", UP, UP, UP, UP, "\u001b[B", ENTER, "/later", ENTER])).not.toEqual({
      decisions: [{ type: "approve" }],
    });
  });

  it("a command beside the choices is taken, and asked on", async () => {
    const seen: string[] = [];
    const takeCommand: TakeCommand = async (line) => {
      seen.push(line);
      return line === "/skills" ? "again" : "leave";
    };
    expect(await press(call, ["/skills", ENTER, "/tidy", ENTER], takeCommand)).toBeUndefined();
    expect(seen).toEqual(["/skills", "/tidy"]);
  });

  it("a yes for ever stands below the yes, with what it adds, and takes a clear choice", async () => {
    const offering = { ...call, always: ["Bash(npm test:*)"] };
    const forEver = { decisions: [{ type: "approve", always: true }] };
    expect(await press(offering, [UP, UP, UP, ENTER])).toEqual(forEver);
    expect(await press(offering, [UP, UP, UP, UP, ENTER])).toEqual({ decisions: [{ type: "approve" }] });
    expect(await press(offering, ["always", ENTER])).toEqual(forEver);
    expect(await press(offering, [ENTER])).toBeUndefined();
    expect(await press(call, ["always", ENTER, "/later", ENTER])).toBeUndefined();
  });

  it("a decision is chosen on purpose", async () => {
    const reply = await press(skill, [UP, UP, ENTER]);
    expect(reply).toEqual({ decisions: [{ type: "approve" }] });
  });

  it.each([
    [1, "stop"],
    [2, "refresh"],
    [3, "pin"],
  ])("of a changed skill the choice that is %i above is %s", async (steps, value) => {
    const reply = await press(drift, [...Array.from({ length: steps }, () => UP), ENTER]);
    expect(reply).toEqual({ decisions: [{ type: "respond", value }] });
  });

  it("a command is no answer to a question", async () => {
    const seen: string[] = [];
    const takeCommand: TakeCommand = async (line) => {
      seen.push(line);
      return line === "/skills" ? "again" : "leave";
    };
    expect(await press(question, ["/skills", ENTER, "/quit", ENTER], takeCommand)).toBeUndefined();
    expect(seen).toEqual(["/skills", "/quit"]);
    expect(await press(question, ["/x/y", ENTER], async () => "answer")).toEqual({
      decisions: [{ type: "respond", value: "/x/y" }],
    });
  });
});
