import { relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { rebaseRules } from "../../skills/discovery/ignore-lines.ts";

/** Folders that are looked into only where one begins there. */
export const NEVER_WALKED = new Set([".git", "node_modules"]);
/** A longer file is no list of rules. */
export const MAX_RULE_BYTES = 256 * 1024;

/** The rules that count in a folder: those of all ignore files above it in one, as the last that fits decides. */
export interface IgnoreRules {
  base: string;
  rules: Ignore;
}

/** No rules yet, for what is below a folder. */
export function startRules(base: string): IgnoreRules {
  return { base, rules: ignore() };
}

/** The rules with those of one more ignore file, which lies in the folder at `path`. */
export function addRules(text: string, path: string, outer: IgnoreRules): IgnoreRules {
  if (text === "") return outer;
  const lines = rebaseRules(text, toBelow(outer.base, path));
  return { base: outer.base, rules: ignore().add(outer.rules).add(lines) };
}

export function isIgnored(path: string, isFolder: boolean, { base, rules }: IgnoreRules): boolean {
  const below = toBelow(base, path);
  return rules.ignores(isFolder ? `${below}/` : below);
}

function toBelow(base: string, path: string): string {
  return relative(base, path).split(sep).join("/");
}
