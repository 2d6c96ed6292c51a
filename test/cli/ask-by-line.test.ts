import { Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLineAsk } from "../../src/cli/ask-by-line.ts";
import { openLines } from "../../src/cli/lines.ts";
import type { ReviewItem, ReviewRequest } from "../../src/graph/request.ts";
import { createTestScreen } from "../support/screen.ts";

const call: ReviewItem = {
  kind: "call",
  id: "a",
  name: "Bash",
  args: { command: "ls" },
  description: "why",
  allowed: ["approve", "edit", "reject"],
};
const question: ReviewItem = { ...call, kind: "question", id: "q", allowed: ["respond", "reject"] };
const outcome: ReviewItem = { ...call, kind: "outcome", id: "o", allowed: ["approve", "respond", "reject"] };

async function ask(items: ReviewItem[], typed: string) {
  const lines = openLines(Readable.from([typed]), new Writable());
  const screen = createTestScreen();
  const reply = await createLineAsk(lines, screen, false)({ id: "r", items } as unknown as ReviewRequest);
  lines.close();
  return { reply, ...screen.read() };
}

describe("asking in plain lines", () => {
  it.each([
    [call, "y\n", { type: "approve" }],
    [call, "YES\n", { type: "approve" }],
    [call, "n\n", { type: "reject", message: "" }],
    [call, "not today\n", { type: "reject", message: "not today" }],
    [call, "\ny\n", { type: "approve" }],
    [outcome, "it worked\n", { type: "respond", value: "it worked" }],
    [outcome, "n\n", { type: "reject", message: "" }],
    [question, "red\n", { type: "respond", value: "red" }],
    [question, "y\n", { type: "respond", value: "y" }],
    [question, "\n", { type: "respond", value: "" }],
    [question, "0\n", { type: "respond", value: 0 }],
    [question, "null\n", { type: "respond", value: "null" }],
  ])("%#: %j", async (item, typed, decision) => {
    expect((await ask([item], typed)).reply).toEqual({ decisions: [decision] });
  });

  it.each(["", "/later\n", "/quit\n", "\n"])("%j leaves it open", async (typed) => {
    expect((await ask([call], typed)).reply).toBeUndefined();
  });

  it("asks for every item, in order", async () => {
    const { reply, out } = await ask([call, question], "y\nred\n");
    expect(reply?.decisions).toEqual([{ type: "approve" }, { type: "respond", value: "red" }]);
    expect(out.indexOf("wants to use")).toBeLessThan(out.indexOf("asks:"));
  });
});
