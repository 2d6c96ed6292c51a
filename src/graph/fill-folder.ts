import { applyDirectory } from "../skills/arguments/apply-arguments.ts";

/** Fills a skill's folder into one of its `allowed-tools`, so that it matches the calls that the skill's text leads to. */
export function fillFolder(entry: string, directory: string): string {
  // Rules for commands are read as a shell reads words; patterns for paths are not, and a quote would be part of them.
  if (/^(Bash|Shell)\b/i.test(entry)) return applyDirectory(entry, directory);
  // The folder stands for itself, whatever a pattern makes of the characters in its name.
  const literal = directory.replace(/[\\*?[\]{}()!+@|^$]/g, "\\$&");
  return entry.replace(/\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}/g, () => literal);
}
