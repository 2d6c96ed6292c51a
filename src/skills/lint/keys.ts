import { findKnownKey, KNOWN_HEADER_KEYS } from "../header/known-keys.ts";
import { findNearest } from "../nearest.ts";
import { type Finding, type LintedFile, toError, withFix } from "./rule.ts";

const KEYS = KNOWN_HEADER_KEYS.filter(({ level }) => level === "specification").map(({ name }) => name);

/** So many are told one by one. */
const TOLD = 20;

/** The header has no other keys than those of the specification. */
export function judgeKeys({
  frontmatter: { header, keyLines },
  reported,
}: Pick<LintedFile, "frontmatter" | "reported">): Finding[] {
  const findings = [...header.keys()]
    .filter((key) => !KEYS.includes(key))
    .map((key) => {
      const line = keyLines.get(key) ?? 1;
      // The reading knows which key was meant, and what it makes of it.
      const spelling = reported.find((each) => each.code === "key-spelling" && each.line === line);
      const finding = withFix(toError("key-unknown", line, describeKey(key, spelling)), spelling?.fix);
      return { finding, spelling };
    });
  const told = findings.filter(({ spelling }, index) => index < TOLD || spelling !== undefined);
  const [next] = findings.filter((each) => !told.includes(each));
  const listed = told.map(({ finding }) => finding);
  if (next === undefined) return listed;
  const more = findings.length - told.length;
  const keys = more === 1 ? "key is" : "keys are";
  return [
    ...listed,
    toError("key-unknown", next.finding.line, `And ${more} more ${keys} not in the specification.`),
  ];
}

function describeKey(key: string, spelling: Finding | undefined): string {
  const what = `"${key}" is no key of the specification`;
  if (spelling) return `${what}: it ${spelling.message.slice(`"${key}" `.length)}`;
  const known = findKnownKey(key);
  if (known === undefined) {
    const [meant] = findNearest(key.replace(/[_ ]/g, "-"), KEYS, 1);
    return meant === undefined
      ? `${what}, and it is ignored here. ${list()} Others belong into "metadata".`
      : `${what}. Did you mean "${meant}"?`;
  }
  return known.use === "ignored"
    ? `${what}, and it is ignored here. ${known.meaning}`
    : `${what}, though it is ${known.use} here; other clients may refuse it. ${list()}`;
}

function list(): string {
  return `Its keys: ${KEYS.join(", ")}.`;
}
