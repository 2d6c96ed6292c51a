import { describe, expect, it } from "vitest";
import { HEADER, lint, readFaults, skillFile } from "./lint.ts";

const run = (code: string) => `Look at the table.\n\n\`\`\`bash run\n${code}\n\`\`\`\n`;
const judge = (tools: string, body: string, files?: Record<string, string>) =>
  lint(skillFile(`${HEADER}\nallowed-tools: ${tools}`, body), files ? { files } : {});

describe("a tool that is used and not pre-approved", () => {
  it.each([
    ["a command", "Read", run("git log"), 9],
    ["a command behind another", "Bash(ls:*)", run("ls | sort"), 9],
    ["a command after an assignment", "Bash(ls:*)", run("ls\nA=1 git log"), 10],
    ["a tool that is named", "Grep", "Look for it with grep.\n\nUse the Read tool.", 8],
    ["a tool in backticks", "Grep", "Look for it with grep, and call the `WebFetch` tool.", 6],
  ])("%s", async (_title, tools, body, line) => {
    expect(await judge(tools, body)).toEqual([`warning tools-missing ${line}`]);
  });

  it.each([
    ["a command of a granted program", "Bash(git status:*)", run("git log")],
    ["words of the shell", "Bash(ls:*)", run('cd x && if [ -f y ]; then echo "ls"; ls; fi # git')],
    ["any command", "Bash", run("git log")],
    ["a block that is only shown", "Read", "Read it.\n\n```bash\ngit log\n```"],
    ["a tool that is not to be used", "Read", "Read it. Do not use the Write tool."],
    ["what a tool is given", "Read", "Read the Write tool input."],
    ["a tool under another name", "execute_command", "Run it with the Bash tool."],
  ])("is not this: %s", async (_title, tools, body) => {
    expect((await judge(tools, body)).filter((fault) => fault.includes("tools-missing"))).toEqual([]);
  });

  it("is no fault of a skill that pre-approves nothing", async () => {
    expect(await lint(skillFile(HEADER, run("git log")))).toEqual([]);
  });

  it("is told once, with all names", async () => {
    const faults = await readFaults(
      skillFile(`${HEADER}\nallowed-tools: Read`, run("git log\njq . a\ngit show")),
    );
    expect(faults).toEqual([
      'SKILL.md:9 The instructions use git, jq, which "allowed-tools" does not name: their uses may be asked about. Name what needs no approval.',
    ]);
  });
});

describe("a grant that nothing needs", () => {
  it.each([
    ["a program", "Bash(terraform plan:*)"],
    ["a tool of a server", "mcp__calendar__create_event"],
    ["a tool for pages", "WebFetch"],
    ["a tool for notebooks", "NotebookEdit"],
  ])("%s", async (_title, entry) => {
    expect(await judge(entry, "Look at the table.\n\n```bash\nls\n```")).toEqual(["warning tools-unused 4"]);
  });

  it.each([
    ["a program of the text", "Bash(terraform plan:*)", "Plan the change with Terraform."],
    ["a program of a script", "Bash(jq:*)", "Run the [script](scripts/a.sh)."],
    ["a tool of a server", "mcp__calendar__create_event", "Put the day into the calendar."],
    ["a program where no command is shown", "Bash(cloc:*)", "Count the lines of the code."],
    ["a program that every task may need", "Bash(wc:*)", "Count the lines.\n\n```bash\nls\n```"],
    [
      "a program that another one runs",
      "Bash(npx -y terraform:*)",
      "Run it.\n\n```bash\nterraform plan\n```",
    ],
    ["a program with its version", "Bash(python3 scripts/a.py:*)", "Run it.\n\n```bash\npython a.py\n```"],
    ["a word of the shell", "Bash(echo:*)", "Say it.\n\n```bash\nls\n```"],
    ["a tool that leaves no trace", "Read Glob Task", "Look at the table and say what is missing."],
    ["another language than English", "Bash(jq:*)", "整理下载文件夹"],
  ])("is not this: %s", async (_title, entry, body) => {
    expect(await judge(entry, body, { "scripts/a.sh": "jq . a.json\n" })).toEqual([]);
  });
});
