import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createTerminalAsk } from "../../src/cli/ask.ts";
import { readFormFields, renderFormFields, toFormExample } from "../../src/cli/form-fields.ts";
import { readDecision } from "../../src/cli/line-decision.ts";
import { toReply } from "../../src/cli/reply.ts";
import type { ReviewItem } from "../../src/graph/review/review-item.ts";
import { createTestScreen } from "../support/screen.ts";
import { formGate, toRequest } from "../support/stage-items.ts";

const [ENTER, UP, DOWN, SPACE, CLEAR] = ["\r", "\u001b[A", "\u001b[B", " ", "\u0015"];
const form = {
  type: "object",
  required: ["day"],
  properties: {
    day: { type: "string", format: "date" },
    areas: { type: "array", items: { enum: ["docs", "code", "tests"] }, default: ["code"] },
    level: {
      oneOf: [
        { const: "minor", title: "New features" },
        { const: "major", title: "Breaking" },
      ],
    },
  },
};
const gate: ReviewItem = { ...formGate, form, args: { level: "major" } };
const question: ReviewItem = {
  ...{ kind: "question", id: "q1", name: "AskUser", description: "When?", allowed: ["respond", "reject"] },
  args: { question: "When?", form },
  form,
};

/** Presses keys one by one, each when all is drawn. */
async function press(item: ReviewItem, keys: string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const left = [...keys];
  let drawn = "";
  let timer: NodeJS.Timeout | undefined;
  output.on("data", (chunk) => {
    drawn += String(chunk);
    clearTimeout(timer);
    timer = setTimeout(function next() {
      const key = left.shift();
      if (key === undefined) return;
      input.write(key);
      timer = setTimeout(next, 40);
    }, 40);
  });
  const ask = createTerminalAsk(createTestScreen(), { streams: { input, output } });
  const reply = await ask(toRequest(item));
  clearTimeout(timer);
  return { reply, left, drawn };
}

const respond = (value: object) => ({ decisions: [{ type: "respond", value }] });

describe("a form on the terminal", () => {
  it("takes a day that there is, several of a list, and what the choices are called", async () => {
    const day = ["2026-02-30", ENTER, CLEAR, "2026-02-28", ENTER];
    const { reply, drawn, left } = await press(question, [...day, SPACE, ENTER, UP, UP, UP, ENTER]);
    expect(drawn).toContain("Write a day as YYYY-MM-DD.");
    expect(drawn).toContain("New features");
    expect(left).toEqual([]);
    expect(reply).toEqual(respond({ day: "2026-02-28", areas: ["docs", "code"], level: "minor" }));
  });

  it("a list of which nothing is chosen and a text that is cleared are empty, not their defaults", async () => {
    const note = { type: "string", default: "soon" };
    const item = {
      ...question,
      form: { type: "object", properties: { areas: form.properties.areas, note } },
    };
    const { reply, left } = await press(item, [DOWN, SPACE, ENTER, CLEAR, ENTER]);
    expect(left).toEqual([]);
    expect(reply).toEqual(respond({ areas: [], note: "" }));
  });

  it("asks only for what did not fit, with the reason beside it", async () => {
    const item = { ...question, fieldErrors: { day: 'must match format "date"' } };
    const { reply, drawn } = await press(item, ["2026-02-28", ENTER]);
    expect(drawn).toContain('day - not taken: must match format "date"');
    expect(reply).toEqual(respond({ day: "2026-02-28" }));
  });

  it("asks at a gate only for what did not fit, too", async () => {
    const item = { ...gate, fieldErrors: { areas: "must be array" } };
    // Fill in, feedback, go back, stop, later.
    const { reply } = await press(item, [UP, UP, UP, UP, ENTER, SPACE, ENTER]);
    expect(reply).toEqual(respond({ areas: ["docs", "code"] }));
  });
});

describe("a form in lines", () => {
  const fields = readFormFields(form, { level: "major" }, { day: "is missing" });

  it("says of each field what it takes, its default, and why the last answer did not fit", () => {
    expect(renderFormFields(fields)).toEqual([
      "  - day (date as YYYY-MM-DD; required) - not taken: is missing",
      '  - areas (several of docs, code, tests; by name or number; default ["code"])',
      '  - level (one of minor (New features), major (Breaking); default "major")',
    ]);
    expect(toFormExample(fields)).toEqual({ day: "2026-01-31", areas: ["code"], level: "major" });
  });

  it.each<[string, unknown]>([
    ["areas=1, 3", { areas: ["docs", "tests"] }],
    ["areas=docs, tests", { areas: "docs, tests" }],
    ["areas=1, 4", { areas: "1, 4" }],
    ["level=2", { level: "major" }],
    ["day=2026-11-30", { day: "2026-11-30" }],
    ['{"day":"2026-11-30"}', { day: "2026-11-30" }],
  ])("%j is read", (line, value) => {
    for (const item of [gate, question]) {
      expect(readDecision(item, line)).toEqual({ type: "respond", value });
      expect(toReply({ answer: line }, toRequest(item))).toEqual(respond(value as object));
    }
  });

  it("a number is itself where the choices are numbers", () => {
    const numbers = { ...gate, form: { type: "object", properties: { level: { enum: [10, 2] } } } };
    expect(readDecision(numbers, "level=2")).toEqual({ type: "respond", value: { level: 2 } });
  });
});
