import { normalizeText, splitFences } from "../header/fences.ts";
import { toFenceFix } from "../header/fix.ts";
import { type Finding, type LintedFile, toError, toWarning, withFix } from "./rule.ts";
import { readStrictHeader } from "./strict-header.ts";

const NEEDED = ["name", "description"];

/** The header stands where every client looks for it, and ends where every client ends it. */
export function judgeFences({ text, frontmatter }: Pick<LintedFile, "text" | "frontmatter">): Finding[] {
  const fences = splitFences(normalizeText(text));
  if (fences.kind !== "found") return [];
  const { header, headerLine } = fences;
  const findings: Finding[] = [];
  if (!text.startsWith("---")) {
    const what = text.startsWith("\uFEFF") ? "a byte-order mark" : "empty lines";
    const message = `Before the first "---" stands ${what}: the header must begin with the file.`;
    findings.push(withFix(toError("header-start", 1, message), toFenceFix(text)));
  }
  const end = header.indexOf("---");
  if (end === -1 || !frontmatter.readable) return findings;
  const line = headerLine + header.slice(0, end).split("\n").length - 1;
  const rest = readStrictHeader(header.slice(0, end), headerLine);
  const isBroken = rest.faults.length > 0 || NEEDED.some((key) => !rest.values.has(key));
  const message = 'Several clients end the header at any "---", also within a line: write it in another way.';
  findings.push(
    isBroken ? toError("header-dashes", line, message) : toWarning("header-dashes", line, message),
  );
  return findings;
}
