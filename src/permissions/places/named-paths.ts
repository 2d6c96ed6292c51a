import { existsSync } from "node:fs";
import { type SimpleCommand, toProgramName } from "../command/scan.ts";
import type { Policy } from "../policy.ts";
import type { Rule } from "../rule.ts";
import { matchesPlace, toPatternFolder } from "./path-pattern.ts";
import { findRestriction } from "./path-rule.ts";
import { isInside } from "./real-path.ts";
import { listReplaced } from "./replaced.ts";
import type { PlaceFinder } from "./spelled-places.ts";
import { isFed } from "./touched-places.ts";
import { listUses, type Use } from "./uses.ts";
import { listViewFolders } from "./view-folders.ts";

/**
 * The first deny or ask rule for paths that commands fall under: `Read(private/**)` when a word leads there,
 * `Write(locked/**)` when a program that is known to write is given such a word, either when a redirection does.
 */
export function findNamedPathRule(
  rules: Rule[],
  commands: SimpleCommand[],
  folders: string[],
  policy: Policy,
  places: PlaceFinder,
): Rule | undefined {
  if (!rules.some((rule) => rule.tool === "Read" || rule.tool === "Write")) return undefined;
  const patterned = rules.filter((rule) => rule.pattern !== undefined);
  const fed = isFed(commands);
  for (const command of commands) {
    const seen = listViewFolders(command, folders, policy);
    // Nobody moves so often; what is not looked at is not said to keep clear of a rule.
    if (seen === undefined && patterned.length > 0) return patterned[0];
    const find = ({ word, computed }: Use): string[] => places.find(word, seen ?? folders, computed);
    for (const use of listUses({ ...command, words: [] }, folders, policy)) {
      const tool = use.access === "read" ? "Read" : "Write";
      const rule = findRestriction(rules, tool, find(use), policy);
      if (rule !== undefined) return rule;
    }
    for (const use of listUses({ ...command, writes: [], reads: [] }, folders, policy, fed)) {
      const found = find(use).filter((place) => isPlace(command, use, place));
      const rule =
        findRestriction(patterned, "Read", found, policy) ??
        (use.access === "write" ? findRestriction(patterned, "Write", found, policy) : undefined);
      if (rule !== undefined) return rule;
    }
    const removed = listReplaced(command.words).flatMap((word) =>
      places.find(word, folders, command.computed.length > 0),
    );
    const rule = patterned.find(
      ({ tool, pattern = "" }) =>
        tool === "Write" &&
        (matchesPlace(pattern, removed, policy) ||
          removed.some((place) => isInside(place, toPatternFolder(pattern, policy)))),
    );
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** To git and unknown programs a word without a slash or a dot is a path only where there is such a file. */
function isPlace({ words }: SimpleCommand, { word, access }: Use, place: string): boolean {
  const isSure = access !== "unknown" && toProgramName(words[0] ?? "") !== "git";
  return isSure || /[./]/.test(word) || existsSync(place);
}
