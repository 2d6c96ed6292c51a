import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createTerminalAsk } from "../../src/cli/ask.ts";
import type { ReviewItem } from "../../src/graph/review/review-item.ts";
import { createTestScreen } from "../support/screen.ts";
import { failedGate, formGate, planGate, toRequest, wordsGate } from "../support/stage-items.ts";

const ENTER = "\r";
const UP = "\u001b[A";
const DOWN = "\u001b[B";
const ESCAPE = "\u001b";
const CLEAR = "\u0015";

/** Presses keys one by one, each when all is drawn: an Escape is known as such after 50 ms. */
async function press(item: ReviewItem, keys: string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...keys];
  let drawn = "";
  let timer: NodeJS.Timeout | undefined;
  const pressNext = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const key = left.shift();
      if (key === undefined) return;
      input.write(key);
      pressNext();
    }, 80);
  };
  output.on("data", (chunk) => {
    drawn += String(chunk);
    pressNext();
  });
  const screen = createTestScreen();
  const ask = createTerminalAsk(screen, { streams: { input, output } });
  const reply = await ask(toRequest(item));
  return { reply, left, drawn, noted: screen.read().err };
}

const edited = (args: object) => ({
  decisions: [{ type: "edit", edited_action: { name: "release/plan", args } }],
});
/** From Later up to the first choice, and down from there. */
const choose = (index: number, count: number) => [...Array(count - index).fill(UP), ENTER];
const down = (steps: number) => Array(steps).fill(DOWN);

describe("asking at a stage", () => {
  it.each([planGate, formGate, failedGate, wordsGate])("Enter alone opens no gate (%#)", async (item) => {
    const { reply, drawn } = await press(item, [ENTER]);
    expect(reply).toBeUndefined();
    expect(drawn).toContain("Left open.");
  });

  it.each([planGate, formGate])(
    "no letter and no step past the end reaches another choice (%#)",
    async (item) => {
      for (const keys of [["/", "l", "a", "t", "e", "r"], ["j"], ["k"], ["h"], ["l"], [DOWN], [DOWN, DOWN]]) {
        const { reply } = await press(item, [...keys, ENTER, CLEAR, ESCAPE]);
        expect(reply, keys.join("")).toBeUndefined();
      }
    },
  );

  it.each([
    ["y", { decisions: [{ type: "approve" }] }],
    ["n too early", { decisions: [{ type: "reject", message: "too early" }] }],
    ["goto plan", { goto: "plan" }],
    ["stop", { goto: "__end__" }],
    ["/later", undefined],
  ])("what is typed beside the choices says what it says: %j", async (typed, expected) => {
    expect((await press(planGate, [typed, ENTER])).reply).toEqual(expected);
  });

  it("a form takes no yes, and says which fields it has", async () => {
    const { reply, noted } = await press(formGate, [
      "y",
      ENTER,
      "whoo=ann",
      ENTER,
      "versio=2",
      ENTER,
      ESCAPE,
    ]);
    expect(reply).toBeUndefined();
    expect(noted).toContain("cannot be approved as it is");
    expect(noted).toContain('"whoo" is no field of the form. Fields: version, ');
    expect(noted).toContain('"versio" is no field of the form. Nearest: version.');
  });

  it("a yes or no that nothing stands for is not chosen by Enter alone", async () => {
    const form = { properties: { really: { type: "boolean" } }, required: ["really"] };
    const gate = { ...formGate, form, args: {} };
    expect((await press(gate, [...choose(0, 4), ENTER])).reply).toBeUndefined();
    for (const keys of [["y"], ["Yes"], [UP, UP], ["maybe", ENTER, UP, UP]]) {
      expect((await press(gate, [...choose(0, 4), ...keys, ENTER])).reply).toEqual({
        decisions: [{ type: "respond", value: { really: true } }],
      });
    }
  });

  it("a person approves, stops, or goes back to a stage", async () => {
    // Approve, change, feedback, go back, stop, later.
    expect((await press(planGate, choose(0, 5))).reply).toEqual({ decisions: [{ type: "approve" }] });
    expect((await press(planGate, choose(4, 5))).reply).toEqual({ goto: "__end__" });
    expect((await press(planGate, [...choose(3, 5), DOWN, ENTER])).reply).toEqual({ goto: "plan" });
    expect((await press(planGate, [...choose(3, 5), ESCAPE])).reply).toBeUndefined();
  });

  it("feedback goes with the rejection", async () => {
    const { reply } = await press(planGate, [...choose(2, 5), "Use 2.0", ENTER]);
    expect(reply).toEqual({ decisions: [{ type: "reject", message: "Use 2.0" }] });
  });

  it("fields are changed one by one; the others stay as they are", async () => {
    // Five fields, all as JSON, nothing more, later: the cursor is on the field that was changed last.
    const keys = [...choose(1, 5), ENTER, CLEAR, "2.0.0", ENTER, ...down(6), ENTER];
    const { reply, left } = await press(planGate, keys);
    expect(left).toEqual([]);
    expect(reply).toEqual(edited({ ...planGate.args, version: "2.0.0" }));
  });

  it("a text of several lines is changed as JSON, and a field that is left stays", async () => {
    const leave = [...choose(1, 5), ENTER, CLEAR, "9", ESCAPE];
    const notes = [DOWN, ENTER, CLEAR, '"a\\nb"', ENTER, ...down(5), ENTER];
    expect((await press(planGate, [...leave, ...notes])).reply).toEqual(
      edited({ ...planGate.args, notes: "a\nb" }),
    );
  });

  it("a change is not taken before the person says that it is all", async () => {
    expect(
      (await press(planGate, [...choose(1, 5), ENTER, CLEAR, "2.0.0", ENTER, ESCAPE])).reply,
    ).toBeUndefined();
  });

  it("an output that is not there yet is written as JSON", async () => {
    // Change, feedback, go back, stop, later; five fields, all as JSON.
    const keys = [...choose(0, 4), ...down(5), ENTER, CLEAR, '{"version":"3.0.0"}', ENTER];
    expect((await press(failedGate, keys)).reply).toEqual(edited({ version: "3.0.0" }));
  });

  it("a form is filled in field by field, with what is known", async () => {
    const form = {
      ...formGate,
      form: { properties: { version: { type: "string" }, rounds: { type: "integer" } } },
    };
    // Fill in, feedback, go back, stop, later.
    const { reply } = await press(form, [...choose(0, 4), ENTER, "3", ENTER]);
    expect(reply).toEqual({ decisions: [{ type: "respond", value: { version: "1.2.0", rounds: 3 } }] });
  });

  it("a field is named, then shown, and its title says what it is", async () => {
    const form = { properties: { days: { type: "integer", description: "How long you stay" } } };
    const { drawn } = await press({ ...planGate, form, args: { days: 3 } }, [...choose(1, 5), ESCAPE]);
    expect(drawn).toContain("days: 3 (How long you stay)");
  });
});
