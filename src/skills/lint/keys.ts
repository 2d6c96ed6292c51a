import { findNearest } from "../nearest.ts";
import { type Finding, type LintedFile, toError } from "./rule.ts";

const KEYS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/** Keys beyond the specification that more than one client reads. */
const CLIENT_KEYS: ReadonlySet<string> = new Set([
  "agent",
  "argument-hint",
  "context",
  "disable-model-invocation",
  "disallowed-tools",
  "hooks",
  "model",
  "user-invocable",
  "when_to_use",
  "when-to-use",
]);

/** The header has no other keys than those of the specification. */
export function judgeKeys({ frontmatter: { header, keyLines } }: Pick<LintedFile, "frontmatter">): Finding[] {
  return [...header.keys()]
    .filter((key) => !KEYS.includes(key))
    .map((key) => toError("key-unknown", keyLines.get(key) ?? 1, describeKey(key)));
}

function describeKey(key: string): string {
  const what = `"${key}" is no key of the specification`;
  if (CLIENT_KEYS.has(key)) return `${what}, though several clients read it. ${list()}`;
  const [meant] = findNearest(key.replace(/[_ ]/g, "-"), KEYS, 1);
  return meant === undefined
    ? `${what}. ${list()} Others belong into "metadata".`
    : `${what}. Did you mean "${meant}"?`;
}

function list(): string {
  return `Its keys: ${KEYS.join(", ")}.`;
}
