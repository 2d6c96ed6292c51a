/** An entry of `allowed-tools` as far as a rule of the lint needs it. */
export interface GrantedEntry {
  text: string;
  /** As written, in small letters. */
  tool: string;
  isShell: boolean;
  /** What stands in parentheses, in words without the wildcard at the end; absent for the whole tool. */
  words?: string[];
  /** It ends in a wildcard: anything may follow the words. */
  isOpen: boolean;
}

const SHELL_TOOLS =
  /^(?:bash|bashtool|shell|execute_command|run_command|run_terminal_cmd|run_shell_command|run_in_terminal)$/;

/** Splits an entry such as `Bash(git status:*)`. */
export function readGrant(text: string): GrantedEntry {
  const [, name = "", pattern] = /^([^()]*)(?:\(([\s\S]*)\))?$/.exec(text.trim()) ?? [];
  const tool = name.trim().toLowerCase();
  const isShell = SHELL_TOOLS.test(tool);
  const inner = pattern?.trim();
  if (inner === undefined) return { text, tool, isShell, isOpen: true };
  const bare = inner.replace(/(?::\*|\s\*|\*)$/, "").trim();
  const words = bare === "" ? [] : bare.split(/\s+/);
  return { text, tool, isShell, words, isOpen: inner.endsWith("*") };
}

/** The program of a command's first word: `git` of `/usr/bin/git`. */
export function toProgram(word: string): string {
  return word
    .replace(/^["']|["']$/g, "")
    .replace(/^.*[/\\]/, "")
    .replace(/\.exe$/i, "");
}
