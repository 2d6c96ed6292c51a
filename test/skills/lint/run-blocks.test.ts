import { describe, expect, it } from "vitest";
import { HEADER, readFaults, skillFile } from "./lint.ts";

function judge(body: string) {
  return readFaults(skillFile(HEADER, body));
}

describe("code that is marked to be run", () => {
  it.each([["bash run"], ["sh run"], ["shell run x"], ["bash"], ["python"], ["python title=run"], [""]])(
    "```%s is no fault",
    async (info) => {
      expect(await judge(`\`\`\`${info}\nls\n\`\`\``)).toEqual([]);
    },
  );

  it.each([
    ["python run", '"python" is not run, only bash, sh or shell. Call the program from there.'],
    ["run", 'A language comes before "run": bash, sh or shell. This code is not run.'],
    ["bash Run", 'Write "run" in small letters.'],
  ])("```%s is not run", async (info, message) => {
    expect(await judge(`x\n\n~~~${info}\nls\n~~~\n`)).toEqual([`SKILL.md:7 ${message}`]);
  });

  it("without a command nothing is run", async () => {
    expect(await judge("```bash run\n\n```\n")).toEqual(["SKILL.md:5 There is no command to run."]);
  });

  it("code within code, or within a comment, is text", async () => {
    expect(await judge("````md\n```python run\nx\n```\n````\n<!--\n```python run\n-->\n")).toEqual([]);
  });

  it("a mark at the end, which nothing follows, holds nothing", async () => {
    expect(await judge("x\n```\n\n")).toEqual([]);
    expect(await judge("x\n```\n\ny")).toHaveLength(1);
  });

  it("a comment that is never closed is told", async () => {
    expect(await judge("x\n<!-- x\n\ny")).toEqual([
      "SKILL.md:6 The comment that begins here is never closed; it holds all that follows.",
    ]);
  });
});
