import { describe, expect, it } from "vitest";
import { coversTool, parseRule, toToolName } from "../../src/permissions/rule.ts";

describe("parseRule", () => {
  it.each([
    ["Read", { tool: "Read", text: "Read" }],
    [" Bash(git status:*) ", { tool: "Bash", pattern: "git status:*", text: "Bash(git status:*)" }],
    ["Shell(git add *)", { tool: "Bash", pattern: "git add *", text: "Shell(git add *)" }],
    ["Bash( ls )", { tool: "Bash", pattern: "ls", text: "Bash( ls )" }],
    ["Bash(echo (a) b)", { tool: "Bash", pattern: "echo (a) b", text: "Bash(echo (a) b)" }],
    ["mcp__files__read(x)", { tool: "mcp__files__read", pattern: "x", text: "mcp__files__read(x)" }],
    ["WebFetch(domain:a.org)", { tool: "WebFetch", pattern: "domain:a.org", text: "WebFetch(domain:a.org)" }],
  ])("reads %j", (text, rule) => {
    expect(parseRule(text)).toEqual(rule);
  });

  it.each([
    "",
    "  ",
    "Bash(git",
    "Bash git)",
    "Bash)",
    "(ls)",
    "Bash()",
    "Bash( )",
    "Bash(a)(b)",
    "Bash(a) b",
    "a b",
  ])("A7: takes %j for no rule", (text) => {
    expect(parseRule(text)).toBeUndefined();
  });
});

describe("toToolName", () => {
  it.each([
    ["Bash", "Shell shell execute_command run_command run_terminal_cmd BashTool bash BASH"],
    ["Read", "read_file ReadFile View read"],
    ["Write", "write_file create_file"],
    ["Edit", "edit_file str_replace MultiEdit"],
    ["Glob", "list_files find_files"],
    ["Grep", "search ripgrep search_files"],
    ["AskUser", "AskUserQuestion ask_user"],
    ["SearchSkills", "search_skills SearchSkills find_skills"],
    ["CompleteStage", "complete_stage CompleteStage"],
  ])("knows %s by its aliases", (tool, aliases) => {
    expect(aliases.split(" ").map(toToolName)).toEqual(aliases.split(" ").map(() => tool));
  });

  it.each(["Task", "constructor", "__proto__", "mcp__x__read", ""])("leaves %j as it is", (name) => {
    expect(toToolName(name)).toBe(name);
  });
});

describe("coversTool", () => {
  it.each([
    ["mcp__files", "mcp__files__read", true],
    ["mcp__files__*", "mcp__files__read", true],
    ["mcp__files__read", "mcp__files__read", true],
    ["mcp__my__files__*", "mcp__my__files__read", true],
    ["mcp__files", "mcp__filesystem__read", false],
    ["mcp__files__read", "mcp__files__read__all", false],
    ["mcp__files__read", "mcp__files__write", false],
    ["mcp__*", "mcp__files__read", false],
    ["Read", "Read", true],
    ["Read", "ReadAll", false],
  ])("%s for %s: %s", (rule, tool, covers) => {
    expect(coversTool({ tool: rule }, tool)).toBe(covers);
  });
});
