import { readFileSync } from "node:fs";
import { fillFolder } from "../../graph/fill-folder.ts";
import { describeFault, findRuleFault, findRuleSurprise } from "../../permissions/rule-fault.ts";
import type { Diagnostic, Skill } from "../../skills/schema.ts";

/** What is wrong with one entry of a list of tools: its code, and a sentence. */
export interface EntryFault {
  code: string;
  message: string;
}

/**
 * Warns of entries of `allowed-tools` and `disallowed-tools` that are no rule: they grant nothing, and one that forbids
 * is taken for the whole tool.
 */
export function checkSkillRules(skills: readonly Skill[]): Diagnostic[] {
  return skills.flatMap(({ path, directory, allowedTools, disallowedTools }) =>
    [...allowedTools, ...disallowedTools].flatMap((entry): Diagnostic[] => {
      const fault = findEntryFault(entry, directory);
      return fault === undefined
        ? []
        : [{ ...fault, severity: "warning", path, line: findLine(path, entry) }];
    }),
  );
}

/** The fault of an entry, with the folder of its skill filled in. */
function findEntryFault(entry: string, directory: string): EntryFault | undefined {
  const fault = findRuleFault(fillFolder(entry, directory));
  if (fault === undefined) return undefined;
  // What is advised has the folder in it, which nobody should write.
  const advised = { ...fault, nearest: entry === fillFolder(entry, directory) ? fault.nearest : [] };
  return {
    code: "tools-unreadable",
    message: `"${entry}" is no rule and grants nothing. ${describeFault(advised)}`,
  };
}

/** The fault of an entry, or what one that can be followed is hardly meant to say. */
export function judgeEntry(entry: string, directory: string): EntryFault | undefined {
  const fault = findEntryFault(entry, directory);
  const surprise = findRuleSurprise(entry);
  if (fault !== undefined || surprise === undefined) return fault;
  const message = `"${entry}" may grant less than it seems. ${describeFault(surprise)}`;
  return { code: "tools-surprise", message };
}

function findLine(path: string, entry: string): number {
  try {
    const index = readFileSync(path, "utf8").indexOf(entry);
    return index === -1 ? 1 : readFileSync(path, "utf8").slice(0, index).split("\n").length;
  } catch {
    return 1; // It is gone since it was read.
  }
}
