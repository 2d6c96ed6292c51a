import { DESCRIPTION_LIMIT } from "../schema.ts";
import { type Finding, type LintedFile, toError, toWarning } from "./rule.ts";
import type { StrictHeader, StrictValue } from "./strict-header.ts";

/** The header is YAML to every client, and its values have the types of the specification. */
export function judgeValues(strict: StrictHeader, { reported }: Pick<LintedFile, "reported">): Finding[] {
  const { values, metadata, faults } = strict;
  // What was repaired at reading is told there, in words that help more than those of the parser.
  const isTold = reported.some(({ code }) => code.startsWith("header-") && code !== "header-comment");
  return [
    ...(isTold ? [] : faults.slice(0, 1).map(toYamlFinding)),
    ...["name", "description"].flatMap((key) => judgeText(key, values.get(key))),
    ...judgeLength(values.get("description")),
    ...judgeCompatibility(values.get("compatibility")),
    ...judgeLicense(values.get("license")),
    ...judgeTools(values.get("allowed-tools")),
    ...[...metadata].flatMap(([key, value]) => judgeMetadata(key, value)),
  ];
}

function toYamlFinding({ line, message }: { line: number; message: string }): Finding {
  return toError("header-yaml", line, `The header is not valid YAML: ${message}`);
}

function judgeText(key: string, value: StrictValue | undefined): Finding[] {
  if (value === undefined || !isBare(value)) return [];
  const { line, written, text, type } = value;
  const message = `"${key}" is a ${type} to YAML; put it in quotes.`;
  const changes = type === "date" || text !== written;
  return [changes ? toError("value-type", line, message) : toWarning("value-type", line, message)];
}

/** The line break at the end of a block counts for other clients; without it, the reading reports the length. */
function judgeLength(value: StrictValue | undefined): Finding[] {
  if (value?.text.length !== DESCRIPTION_LIMIT + 1 || !value.text.endsWith("\n")) return [];
  const message = `With its line break at the end the description is longer than ${DESCRIPTION_LIMIT} characters; write ">-".`;
  return [toError("description-long", value.line, message)];
}

function judgeCompatibility(value: StrictValue | undefined): Finding[] {
  if (value === undefined || value.type === "text") return [];
  return [
    toError("value-type", value.line, `"compatibility" is ${toPhrase(value)} to YAML; write it as text.`),
  ];
}

function judgeLicense(value: StrictValue | undefined): Finding[] {
  if (value === undefined || value.type === "text") return [];
  return [toWarning("value-type", value.line, `"license" is ${toPhrase(value)} to YAML; write it as text.`)];
}

function judgeTools(value: StrictValue | undefined): Finding[] {
  if (value === undefined || value.type === "text" || value.type === "nothing") return [];
  const message = `"allowed-tools" is ${toPhrase(value)}; the specification wants one text, its entries parted by blanks.`;
  return [toWarning("tools-type", value.line, message)];
}

function judgeMetadata(key: string, value: StrictValue): Finding[] {
  if (value.type === "text" || value.type === "date") return [];
  const what = `"${key}" of "metadata" is ${toPhrase(value)} to YAML`;
  const advice = isBare(value) ? "put it in quotes" : "the specification wants text";
  return [toWarning("metadata-type", value.line, `${what}; ${advice}.`)];
}

function isBare({ type }: StrictValue): boolean {
  return type === "number" || type === "boolean" || type === "date";
}

function toPhrase({ type }: StrictValue): string {
  return type === "nothing" ? "nothing" : `a ${type}`;
}
