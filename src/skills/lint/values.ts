import { toMetadataFix, toToolsFix, toValueFix } from "../header/fix.ts";
import { DESCRIPTION_LIMIT, type Fix } from "../schema.ts";
import { type Finding, type LintedFile, toError, toWarning, withFix } from "./rule.ts";
import type { StrictHeader, StrictValue } from "./strict-header.ts";

/** Puts a value in quotes, as it is written. */
type Quote = (key: string, value: StrictValue) => Fix | undefined;

/** The header is YAML to every client, and its values have the types of the specification. */
export function judgeValues(
  strict: StrictHeader,
  { reported, source, skill }: Pick<LintedFile, "reported" | "source" | "skill">,
): Finding[] {
  const { values, metadata, faults } = strict;
  const quote = (key: string, { written, line }: StrictValue): Fix | undefined =>
    source && toValueFix(source, key, written, line);
  // What was repaired at reading is told there, in words that help more than those of the parser.
  const isRepaired = reported.some(({ code }) => code.startsWith("header-") && code !== "header-comment");
  return [
    ...(isRepaired ? [] : faults.slice(0, 1).map(toYamlFinding)),
    ...["name", "description"].flatMap((key) => judgeText(key, values.get(key), quote)),
    ...judgeLength(values.get("description")),
    ...judgeCompatibility(values.get("compatibility"), quote),
    ...judgeLicense(values.get("license"), quote),
    ...judgeTools(
      values.get("allowed-tools"),
      source && skill && toToolsFix(source, "allowed-tools", skill.allowedTools),
    ),
    ...[...metadata].flatMap(([key, value]) =>
      judgeMetadata(key, value, source && toMetadataFix(source, key, value.written, value.line)),
    ),
  ];
}

function toYamlFinding({ line, message }: { line: number; message: string }): Finding {
  return toError("header-yaml", line, `The header is not valid YAML: ${message.replace(/\.$/, "")}.`);
}

function judgeText(key: string, value: StrictValue | undefined, quote: Quote): Finding[] {
  if (value === undefined || !isBare(value)) return [];
  const { line, written, text, type } = value;
  const message = `"${key}" is a ${type} to YAML; put it in quotes.`;
  const changes = type === "date" || text !== written;
  const finding = changes ? toError("value-type", line, message) : toWarning("value-type", line, message);
  return [withFix(finding, quote(key, value))];
}

/** The line break at the end of a block counts for other clients; without it, the reading reports the length. */
function judgeLength(value: StrictValue | undefined): Finding[] {
  if (value?.text.length !== DESCRIPTION_LIMIT + 1 || !value.text.endsWith("\n")) return [];
  const message = `With its line break at the end the description is longer than ${DESCRIPTION_LIMIT} characters; write ">-".`;
  return [toError("description-long", value.line, message)];
}

function judgeCompatibility(value: StrictValue | undefined, quote: Quote): Finding[] {
  if (value === undefined || isTold(value)) return [];
  const message = `"compatibility" is ${toPhrase(value)} to YAML; write it as text.`;
  const fix = isBare(value) ? quote("compatibility", value) : undefined;
  return [withFix(toError("value-type", value.line, message), fix)];
}

function judgeLicense(value: StrictValue | undefined, quote: Quote): Finding[] {
  if (value === undefined || isTold(value)) return [];
  const message = `"license" is ${toPhrase(value)} to YAML; write it as text.`;
  const fix = isBare(value) ? quote("license", value) : undefined;
  return [withFix(toWarning("value-type", value.line, message), fix)];
}

function judgeTools(value: StrictValue | undefined, fix: Fix | undefined): Finding[] {
  if (value === undefined || value.type === "text" || value.type === "nothing") return [];
  const message = `"allowed-tools" is ${toPhrase(value)}; the specification wants one text, its entries parted by blanks.`;
  return [withFix(toWarning("tools-type", value.line, message), value.type === "list" ? fix : undefined)];
}

function judgeMetadata(key: string, value: StrictValue, fix: Fix | undefined): Finding[] {
  if (value.type === "text" || value.type === "date") return [];
  const what = `"${key}" of "metadata" is ${toPhrase(value)} to YAML`;
  const advice = isBare(value) ? "put it in quotes" : "the specification wants text";
  const finding = toWarning("metadata-type", value.line, `${what}; ${advice}.`);
  return [withFix(finding, isBare(value) ? fix : undefined)];
}

/** A text is right, and of a list or a map the reading tells. */
function isTold({ type }: StrictValue): boolean {
  return type === "text" || type === "list" || type === "map";
}

function isBare({ type }: StrictValue): boolean {
  return type === "number" || type === "boolean" || type === "date";
}

function toPhrase({ type }: StrictValue): string {
  return type === "nothing" ? "nothing" : `a ${type}`;
}
