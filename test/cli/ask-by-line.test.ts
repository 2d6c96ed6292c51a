import { Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLineAsk, type LineAskOptions } from "../../src/cli/ask-by-line.ts";
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
const skill: ReviewItem = { ...call, kind: "skill", id: "s", name: "tidy", allowed: ["approve", "reject"] };
const outcome: ReviewItem = { ...call, kind: "outcome", id: "o", allowed: ["approve", "respond", "reject"] };

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
        expect(err).toBe("Type y, n, n and why not, or /later.\n".repeat(2));
        expect((await ask([item], `${typed}\n`)).reply).toBeUndefined();
      }
    },
  );

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
    expect(reply?.decisions).toEqual([{ type: "approve" }, { type: "respond", value: "red" }]);
    expect(out.indexOf("wants to use")).toBeLessThan(out.indexOf("asks:"));
  });
});
