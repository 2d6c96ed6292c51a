import { toToolName } from "../permissions/rule.ts";
import { applyDirectory } from "../skills/arguments/apply-arguments.ts";

/** Fills a skill's folder into one of its `allowed-tools`, so that it matches the calls that the skill's text leads to. */
export function fillFolder(entry: string, directory: string): string {
  const named = entry.replace(/\$\{SKILL_DIR\}|\$(CLAUDE_)?SKILL_DIR\b/g, "$${CLAUDE_SKILL_DIR}");
  // Rules for commands are read as a shell reads words; patterns for paths are not, and a quote would be part of them.
  if (toToolName(named.split("(", 1)[0]?.trim() ?? "") === "Bash") return applyDirectory(named, directory);
  // The folder stands for itself, whatever a pattern makes of the characters in its name.
  const literal = directory.replace(/[\\*?[\]{}()!+@|^$]/g, "\\$&");
  return named.replace(/\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}/g, () => literal);
}
