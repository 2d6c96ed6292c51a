import { describe, expect, it } from "vitest";
import { describeFault, findRuleFault, findRuleSurprise } from "../../src/permissions/rule-fault.ts";

describe("findRuleFault", () => {
  it.each([
    ...[
      "Read",
      "Bash",
      "Bash(*)",
      "Bash(git status:*)",
      "Bash(git status *)",
      "Bash(npm run test*)",
      "Shell(ls)",
    ],
    ...[
      "Read(~/x)",
      "Read(//etc/hosts)",
      "Edit(src/**)",
      "Write(./a)",
      "Glob(src)",
      "Grep(docs/**)",
      "Read(./)",
    ],
    ...["WebFetch(domain:example.com)", "WebFetch(domain:*.example.com)", "WebFetch(domain:localhost:3000)"],
    ...[
      "WebFetch(domain:*)",
      "WebFetch(domain:[::1]:3000)",
      "WebSearch",
      "Skill(pdf)",
      "Skill(pdf:*)",
      "Task",
    ],
    ...["Agent(x)", "mcp__files", "mcp__files__*", "mcp__files__read", "Bash(echo 'a, b')"],
  ])("A7: %s can be followed", (entry) => {
    expect(findRuleFault(entry)).toBeUndefined();
  });

  it.each([
    ["", "It is empty."],
    ["Bash(git status", "A parenthesis is not closed. Write Bash(git status)."],
    ["Bash(git (status)", "A parenthesis is not closed."],
    ["Bash git)", "A parenthesis is closed that was not opened."],
    ["Read()", "Nothing stands in its parentheses. Write Read."],
    ["Bash( )", "Nothing stands in its parentheses."],
    ["Bash(a) b", "Something stands behind its parentheses."],
    ["Bash git status", "It does not begin with one tool's name."],
    ["*", '"*" is no tool\'s name.'],
    ["mcp__files__read(x)", "A tool of a server takes no pattern. Write mcp__files__read."],
    ["mcp__files__get_*", "A * can only stand for all tools of one server."],
    ["mcp__*", "A * can only stand for all tools of one server."],
    ["AskUser(x)", '"AskUser" takes no pattern. Write AskUser.'],
    [
      "WebFetch(example.com)",
      "Addresses are named by their host, as in domain:example.com. Write WebFetch(domain:example.com).",
    ],
    [
      "WebFetch(https://example.com/docs/*)",
      "Addresses are named by their host, as in domain:example.com. Write WebFetch(domain:example.com).",
    ],
    ["WebFetch(domain:example.*)", "Addresses are named by their host, as in domain:example.com."],
    [
      "Bash(npm ci && npm test:*)",
      "A rule is for one command, and each of several needs its own. Write Bash(npm ci) and Bash(npm test:*).",
    ],
    ["Bash(git:* status)", '":*" can only stand at the end. Write Bash(git status).'],
    ["Bash(git status: *)", 'A blank stands before "*". Write Bash(git status:*).'],
    ["Bash(CI=1 npm test:*)", "Its command cannot be read: a variable is set before the command."],
    ["Bash(echo $HOME)", 'Its command cannot be read: the shell computes "$HOME" when it runs.'],
    ["Bash(ls > out)", "Files of redirections are a matter of Write and Read rules."],
    [
      "Bash({baseDir}/x.sh)",
      '"{baseDir}" stands for nothing here: only a skill has a folder, and not between single quotes.',
    ],
  ])("A7: %j grants nothing, and it is said why", (entry, text) => {
    const fault = findRuleFault(entry);
    expect(fault && describeFault(fault)).toBe(text);
    for (const nearest of fault?.nearest ?? []) expect(findRuleFault(nearest)).toBeUndefined();
  });
});

describe("findRuleSurprise", () => {
  it.each([
    "Bash(git status:*)",
    "Bash(git status)",
    "Bash(*)",
    "Bash",
    "Read(src/*)",
    "Bash(ls *)",
    "Bash(cat 'a*')",
  ])("%s says what it seems to", (entry) => {
    expect(findRuleSurprise(entry)).toBeUndefined();
  });

  it("a star at the end of a word is not followed by others", () => {
    expect(findRuleSurprise("Bash(git status*)")).toEqual({
      reason: '"status*" stands for one word that begins so, and none may follow it',
      nearest: ["Bash(git status:*)"],
    });
  });
});
