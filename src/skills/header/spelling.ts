import { KNOWN_KEYS, toReadText } from "./fields.ts";
import { toKeyFix } from "./fix.ts";
import { findSkillLimit, findSpelling, type SkillLimit, toLetters } from "./limits.ts";
import { isNo, type Report } from "./read-fields.ts";

const KEYS_BY_LETTERS = new Map([
  ...[...KNOWN_KEYS].map((key): [string, string] => [toLetters(key), key]),
  ["userinvokable", "user-invocable"],
]);

/**
 * Tells which keys are misspelled, and puts limits among them into the header as they were meant, beside what stands
 * under the right name. A grant is not read, and no fix writes it right: it is for a person to give a skill more.
 */
export function readMisspelledKeys(
  header: Map<string, unknown>,
  lines: Map<string, number>,
  report: Report,
): void {
  const taken = new Set(header.keys());
  for (const [key, value] of [...header]) {
    if (KNOWN_KEYS.has(key)) continue;
    const limit = findSkillLimit(key);
    const meant = limit ?? findSpelling(key, ["allowed-tools"]) ?? KEYS_BY_LETTERS.get(toLetters(key));
    if (meant === undefined) continue;
    const isFree = !taken.has(meant) && meant !== "allowed-tools";
    taken.add(meant);
    report("warning", "key-spelling", key, `"${key}" is ${describe(meant, limit !== undefined)}.`, {
      ...(limit && { read: toReadText(value) }),
      ...(isFree && { fix: (source) => toKeyFix(source, key, meant) }),
    });
    if (limit === undefined) continue;
    header.set(limit, joinLimits(limit, header.get(limit), value));
    lines.set(limit, lines.get(limit) ?? lines.get(key) ?? 1);
  }
}

function describe(meant: string, isKept: boolean): string {
  if (isKept) return `read as "${meant}"`;
  const purpose = meant === "allowed-tools" ? " yourself, which pre-approves what it lists" : "";
  return `not read; write "${meant}"${purpose}`;
}

function joinLimits(limit: SkillLimit, first: unknown, second: unknown): unknown {
  if (first === undefined) return second;
  if (limit === "disallowed-tools") return [first, second].flat();
  return isNo(first) ? second : first;
}
