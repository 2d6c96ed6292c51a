/** One entry of `allowed-tools` or of the settings' permission lists, read. */
export interface Rule {
  /** Canonical tool name, for example `Bash` for `Shell` and `execute_command`. */
  tool: string;
  /** What stands in parentheses; absent when the rule is for every use of the tool. */
  pattern?: string;
  /** As written, for messages. */
  text: string;
  /** The skill that brings it; absent for a rule of the settings. */
  skill?: string;
}

/** What an active skill pre-approves (`allowed-tools`) and forbids (`disallowed-tools`). */
export interface Grant {
  skill: string;
  allow: Rule[];
  deny: Rule[];
}

/** Names that public skills and models use for our tools, in lower case. */
const ALIASES_OF_TOOL: [tool: string, aliases: string][] = [
  ["Skill", "skill load_skill load-skill use_skill activate_skill"],
  ["Read", "read read_file readfile view view_file open_file"],
  ["Write", "write write_file writefile create_file createfile write_to_file"],
  ["Edit", "edit edit_file editfile str_replace multiedit multi_edit search_replace replace_in_file"],
  ["Glob", "glob list_files find_files list_dir list_directory file_search ls"],
  ["Grep", "grep search ripgrep search_files grep_search"],
  [
    "Bash",
    "bash bashtool shell execute_command run_command run_terminal_cmd run_shell_command run_in_terminal",
  ],
  ["WebFetch", "webfetch web_fetch fetch_url"],
  ["AskUser", "askuser ask_user askuserquestion ask_user_question ask_followup_question"],
  ["SearchSkills", "searchskills search_skills search-skills find_skills"],
  ["CompleteStage", "completestage complete_stage"],
  ["UnloadSkill", "unloadskill unload_skill unload-skill deactivate_skill"],
];

const TOOL_OF_ALIAS = new Map(
  ALIASES_OF_TOOL.flatMap(([tool, aliases]) =>
    aliases.split(" ").map((alias): [string, string] => [alias, tool]),
  ),
);

/**
 * The canonical name of a tool: `Bash` for `Shell`, `execute_command` and other names that public skills and
 * models use, in any case of letters. A name that is nobody's alias is returned as it is.
 */
export function toToolName(name: string): string {
  return TOOL_OF_ALIAS.get(name.toLowerCase()) ?? name;
}

/**
 * Reads one entry such as `Read`, `Bash(git status:*)` or `Write(docs/**)`.
 *
 * @returns undefined for an entry that is empty, names no tool, has empty or unbalanced parentheses, or goes
 * on after them: such an entry grants nothing.
 */
export function parseRule(text: string): Rule | undefined {
  const entry = text.trim();
  const open = entry.indexOf("(");
  const name = open === -1 ? entry : entry.slice(0, open).trim();
  if (!/^[^\s(),]+$/u.test(name)) return undefined;
  if (open === -1) return { tool: toToolName(name), text: entry };
  if (findClosing(entry, open) !== entry.length - 1) return undefined;
  const pattern = entry.slice(open + 1, -1).trim();
  return pattern === "" ? undefined : { tool: toToolName(name), pattern, text: entry };
}

/** True when a rule is for a tool, or for all tools of its server: `mcp__files` and `mcp__files__*`. */
export function coversTool(rule: Pick<Rule, "tool">, tool: string): boolean {
  if (rule.tool === tool) return true;
  const server = /^(mcp__.+?)(__\*)?$/.exec(rule.tool);
  if (server === null || (server[2] === undefined && server[1]?.includes("__", 5))) return false;
  return tool.startsWith(`${server[1]}__`);
}

function findClosing(text: string, open: number): number {
  let depth = 0;
  for (let index = open; index < text.length; index += 1) {
    if (text[index] === "(") depth += 1;
    if (text[index] === ")") depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}
