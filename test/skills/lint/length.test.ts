import { describe, expect, it } from "vitest";
import { HEADER, lint, readFaults, skillFile } from "./lint.ts";

const lines = (count: number, line = "Look at the line.\n") => line.repeat(count);
const judge = (body: string) => lint(skillFile(HEADER, body));

describe("how long the instructions are", () => {
  it("5,000 tokens are no fault, more are", async () => {
    expect(await judge(`# X\n${"word".repeat(4998)}`)).toEqual([]);
    expect(await judge(`# X\n${"word".repeat(5000)}`)).toEqual(["warning body-tokens 5"]);
    expect(await judge(`# X\n${"字".repeat(5000)}`)).toEqual(["warning body-tokens 5"]);
  });

  it("too many lines are not told as too many tokens, too", async () => {
    expect(await judge(`# X\n${lines(500, `${"word ".repeat(20)}\n`)}`)).toEqual(["warning body-long 505"]);
  });

  it("is told with the number", async () => {
    expect(await readFaults(skillFile(HEADER, `# X\n${"word".repeat(5000)}`))).toEqual([
      'SKILL.md:5 The instructions are about 5001 tokens; at most 5000 are advised. Move details to "references".',
    ]);
  });
});

describe("a long text has headings", () => {
  it("61 lines without one are a fault, 60 are none", async () => {
    expect(await judge(lines(61))).toEqual(["warning body-headings 5"]);
    expect(await judge(lines(60))).toEqual([]);
  });

  it.each([
    ["a heading", "## Part\n"],
    ["an underlined heading", "Part\n----\n"],
    ["a line in bold letters", "**Part**\n"],
    ["a tag", "<part>\n"],
  ])("%s is enough", async (_title, heading) => {
    expect(await judge(`${lines(30)}\n${heading}\n${lines(40)}`)).toEqual([]);
  });

  it("lines of code are no text", async () => {
    expect(await judge(`${lines(40)}\n\`\`\`text\n${lines(40)}\`\`\`\n`)).toEqual([]);
    expect(await judge(`${lines(61)}\n\`\`\`bash\n# no heading\n\`\`\`\n`)).toEqual([
      "warning body-headings 5",
    ]);
  });
});
