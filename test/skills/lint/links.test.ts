import { describe, expect, it } from "vitest";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { HEADER, lint, readFaults, skillFile } from "./lint.ts";

const files = {
  "scripts/run.sh": "x",
  "references/a b.md": "x",
  "references/deep/c(1).md": "x",
  "notes.md": "x",
};

/** What is wrong with the paths of a body that begins at line 5. */
function judge(body: string) {
  return lint(skillFile(HEADER, body), { files });
}

describe("files that the instructions name", () => {
  it.each([
    ["a link", "[x](notes.md) ![x](./scripts/run.sh)"],
    ["a link with a title and a place", '[x](notes.md#part "Notes")'],
    [
      "a link in angle brackets, or with signs written as numbers",
      "[x](<references/a b.md>) [y](references/a%20b.md)",
    ],
    ["a link with parentheses", "[x](references/deep/c(1).md)"],
    ["a link to a folder", "[x](references/) [y](references/deep)"],
    ["a definition", "[x]: notes.md\n[y]: <notes.md>"],
    ["a script", "Run `scripts/run.sh`.\n\n```bash\nsh scripts/run.sh\n```"],
    [
      "a script behind a placeholder",
      '```bash\nsh "${CLAUDE_SKILL_DIR}/scripts/run.sh" {baseDir}/scripts/run.sh\n```',
    ],
  ])("%s that leads to a file: no fault", async (_title, body) => {
    expect(await judge(body)).toEqual([]);
  });

  it.each([
    ["another place", "[a](https://x.org/a.md) [b](mailto:a@x.org) [c](#part) [d](//x.org/a.md)"],
    [
      "what stands for a path",
      "[a](<name>.md) [b](path/to/{name}.md) [c](*.md) [d](.../a.md) [e](url) [f]()",
    ],
    ["a link in code", "`[x](a.md)`\n\n```markdown\n[x](a.md)\n```"],
    ["a script in code of another language", "```python\nopen('scripts/a.py')\n```"],
    ["a comment", "<!-- [x](a.md)\nscripts/a.sh -->"],
    ["a folder of somebody else", "src/scripts/a.sh $HOME/scripts/a.sh my-scripts/a.sh"],
    ["a name that goes on", "[x](scripts/run.sh) scripts/run.runtime-template"],
    ["a pattern", "scripts/a.* scripts/*.sh scripts/a.{js,ts}"],
    ["a folder as a word", "scripts/ references/or"],
    ["a footnote", "x[^1]\n\n[^1]: Mermaid. A tool."],
    ["an example", "**Examples**: `assets/a.png` for a logo, `assets/b.png`\nSome file, e.g. scripts/a.py"],
    ["a wish", "A `scripts/a.py` script would be helpful"],
    ["a link in code", "Link as `[text](references/a.md)`."],
    [
      "what a command writes",
      "```bash\nsh scripts/run.sh > assets/a.txt\nsh scripts/run.sh -o assets/b.txt\n```",
    ],
    ["the name of a link", "[`scripts/a.py`](https://x.org/scripts/a.py)"],
  ])("%s is not looked for", async (_title, body) => {
    expect(await judge(body)).toEqual([]);
  });

  it.each([
    ["a link", "x\n[x](a.md)"],
    ["a picture", "x\n![x](assets/a.png)"],
    ["a definition", "x\n[x]: a.md"],
    ["a script in a sentence", "x\nRun scripts/a.sh."],
    ["a script that is named after examples", "x\nFor examples see references/examples.md."],
    ["a script in code", "x\nRun `./scripts/a.sh`."],
    ["a script in a block of commands", "```bash\nsh {baseDir}/scripts/a.sh\n```"],
  ])("%s that leads nowhere is told once, with its line", async (_title, body) => {
    expect(
      await judge(`${body}

${body}`),
    ).toEqual(["warning link-missing 6"]);
  });

  it.each([
    ["](a"],
    ["a"],
    ["`"],
    ["[x]("],
    ["scripts/"],
    ["](<"],
    ["(a)"],
    ["e.g. scripts/a.py "],
    ["`[a]("],
    ["[a"],
  ])("a line of %j without end is read at once", async (part) => {
    const readCpu = startCpuClock();
    await judge(`](${part.repeat(200_000 / part.length)}`);
    expect(readCpu()).toBeLessThan(2000);
  });

  it("a place outside of the skill's folder is told, there or not", async () => {
    const faults = await readFaults(skillFile(HEADER, "[x](../tidy/../other/SKILL.md)"), { files });
    expect(faults).toEqual([
      'SKILL.md:5 "../tidy/../other/SKILL.md" leads out of the skill\'s folder: it is not there where the skill is installed alone. Name the other skill instead.',
    ]);
    expect(await readFaults(skillFile(HEADER, "[x](../a.md)"), { files })).toEqual([
      'SKILL.md:5 "../a.md" leads out of the skill\'s folder: it is not there where the skill is installed alone. Put a copy into the skill.',
    ]);
  });

  it.each([["/home/me/notes.md"], ["/docs/notes"], ["~/notes.md"], ["file:///notes.md"], ["C:/notes.md"]])(
    "%s does not begin in the skill, whether there is such a file or not",
    async (path) => {
      expect(await readFaults(skillFile(HEADER, `[x](${path})`), { files })).toEqual([
        `SKILL.md:5 "${path}" does not begin in the skill's folder: it leads nowhere for others. Put the file into the skill, or write the whole address.`,
      ]);
    },
  );
});
