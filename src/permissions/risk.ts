import { parseRule } from "./rule.ts";

/** What a skill asks for: `L0` reads, `L1` writes files, `L2` runs commands, calls out, or wants what nobody knows. */
export type Risk = "L0" | "L1" | "L2";

/** The levels in words. */
export const riskWords: Record<Risk, string> = {
  L0: "reads",
  L1: "writes files",
  L2: "runs commands or calls out",
};

const READING = new Set([
  ...["read", "glob", "grep", "notebookread", "todoread", "todowrite"],
  ...["skill", "searchskills", "unloadskill", "askuser", "completestage"],
]);
const WRITING = new Set(["write", "edit", "notebookedit"]);

/**
 * The highest level that entries of `allowed-tools` ask for. An entry that cannot be read grants nothing, but
 * somebody wanted something by it: it counts as the highest.
 */
export function toRisk(entries: string[]): Risk {
  const names = entries.map((entry) => parseRule(entry)?.tool.toLowerCase());
  if (names.some((name) => name === undefined || !(READING.has(name) || WRITING.has(name)))) return "L2";
  return names.some((name) => name !== undefined && WRITING.has(name)) ? "L1" : "L0";
}
