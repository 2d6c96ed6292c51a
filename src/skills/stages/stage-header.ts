import type { Frontmatter } from "../frontmatter.ts";
import { findSkillLimit, findSpelling, isLimit } from "../header/limits.ts";
import { type Report, readFlag, readText, readTools } from "../header/read-fields.ts";
import { findFormSizeFault } from "../json-schema/form-size.ts";
import { findIdleWords, findSchemaFault } from "../json-schema/json-schema.ts";
import { findNearest } from "../nearest.ts";
import type { JsonSchema, Stage, StageGate } from "./stage.ts";
import { toFileId } from "./stage-names.ts";

/** Completions that may fail before a person is asked, where the header does not say. */
export const DEFAULT_ATTEMPTS = 3;

const ATTEMPT_LIMIT = 20;
const GATES: readonly string[] = ["approve", "form", "none"] satisfies StageGate[];
const LIMITS = ["gate", "output", "form", "restrict", "needs", "check"];
const KEYS = ["title", ...LIMITS, "auto", "allowed-tools", "model", "max-attempts"];

/** What the header of a stage file says; `needs` as it is written. */
export type StageHeader = Omit<Stage, "id" | "title" | "text" | "needs"> & {
  title?: string;
  needs?: string[];
};

/**
 * Reads the header of a stage. What cannot be read of its limits is an error: a stage never has a wider gate than
 * was meant.
 *
 * @param options.nameIsTitle - Whether `name` stands for `title`.
 */
export function readStageHeader(
  { header, faults, keyLines }: Frontmatter,
  report: Report,
  options: { nameIsTitle: boolean },
): StageHeader {
  reportUnknownKeys(header, report, options.nameIsTitle ? [...KEYS, "name"] : KEYS);
  const title = readText(header, "title") ?? (options.nameIsTitle ? readText(header, "name") : undefined);
  const gate = readGate(header, report);
  const output = readSchema(header, "output", report);
  const form = readSchema(header, "form", report);
  if (form !== undefined && gate !== "form") {
    report("warning", "stage-form-unused", "form", `"form" is not used at the gate "${gate}".`);
  }
  if (gate === "form" && !header.has("form") && !header.has("output")) {
    report(
      "error",
      "stage-form-missing",
      "gate",
      'The gate "form" needs a "form" or an "output" to fill in.',
    );
  }
  if (gate === "form") checkForm(header.has("form") ? "form" : "output", form ?? output, report);
  const auto = readAuto(header, gate, report);
  const isText = !faults.some(({ code, line }) => code === "header-text" && line === keyLines.get("check"));
  const check = readCheck(header, isText, report);
  const model = readText(header, "model");
  const needs = readNeeds(header, report);
  return {
    ...(title === undefined ? {} : { title }),
    gate,
    ...(auto ? { auto } : {}),
    ...(output === undefined ? {} : { output }),
    ...(form === undefined || gate !== "form" ? {} : { form }),
    allowedTools: readTools(header, "allowed-tools", report) ?? [],
    restrict: readFlag(header, "restrict", { default: false, unclear: true }, report),
    ...(needs === undefined ? {} : { needs }),
    ...(check === undefined ? {} : { check }),
    ...(model === undefined ? {} : { model }),
    maxAttempts: readAttempts(header, report),
  };
}

/** Whether a key limits a stage, in whatever spelling. */
export function isStageLimit(key: string): boolean {
  return isLimit(key) || findStageLimit(key) !== undefined;
}

/** The limit that a key means: `restricted` is "restrict", and what a stage does not have is one, too. */
function findStageLimit(key: string): string | undefined {
  if (KEYS.includes(key)) return LIMITS.find((limit) => limit === key);
  if (findSkillLimit(key) === "disallowed-tools") return "disallowed-tools";
  return findSpelling(key, LIMITS);
}

function reportUnknownKeys(header: Map<string, unknown>, report: Report, known: string[]): void {
  for (const key of header.keys()) {
    if (known.includes(key)) continue;
    const limit = findStageLimit(key);
    if (limit === "disallowed-tools") {
      const message = `"${key}" is no key of a stage; write "allowed-tools" with "restrict: true".`;
      report("error", "stage-key-limit", key, message);
      continue;
    }
    if (limit !== undefined) {
      report("error", "stage-key-limit", key, `"${key}" is not read; write "${limit}".`);
      continue;
    }
    const [meant] = findNearest(key.replaceAll("_", "-"), known, 1);
    // A step was written for other clients, whose keys are no slips.
    if (meant === undefined && known.includes("name")) continue;
    const hint = meant === undefined ? `Keys of a stage: ${known.join(", ")}.` : `Did you mean "${meant}"?`;
    report("warning", "stage-key", key, `"${key}" is no key of a stage; it is not read. ${hint}`);
  }
}

function readGate(header: Map<string, unknown>, report: Report): StageGate {
  if (!header.has("gate")) return "approve";
  const written = String(header.get("gate")).trim().toLowerCase();
  if (GATES.includes(written)) return written as StageGate;
  report("error", "stage-gate", "gate", `The gate "${written}" is none of ${GATES.join(", ")}.`);
  return "approve";
}

/** Read as no where it is not plain: what it opens is a person's word. */
function readAuto(header: Map<string, unknown>, gate: StageGate, report: Report): boolean {
  const value = header.get("auto");
  const auto = value === true || value === "true";
  if (!auto && ![undefined, null, "", false, "false"].some((none) => none === value)) {
    const message = `"auto" must be true or false, not ${JSON.stringify(value)}; read as false.`;
    report("warning", "flag-form", "auto", message);
  }
  if (auto && gate === "none") {
    report("warning", "stage-auto-unused", "auto", '"auto" is not used: the gate "none" asks nobody.');
  }
  return auto && gate !== "none";
}

/** A person is not asked for more than fits on one card. */
function checkForm(key: "form" | "output", schema: JsonSchema | undefined, report: Report): void {
  const fault = schema && findFormSizeFault(schema);
  if (fault !== undefined) report("error", "stage-form-size", key, `"${key}" cannot be filled in. ${fault}`);
}

function readSchema(
  header: Map<string, unknown>,
  key: "output" | "form",
  report: Report,
): JsonSchema | undefined {
  if (!header.has(key)) return undefined;
  const schema = header.get(key);
  const fault = findSchemaFault(schema);
  if (fault === undefined) {
    for (const message of findIdleWords(schema as JsonSchema)) {
      report("warning", "schema-keyword", key, `In "${key}", ${message}`);
    }
    return schema as JsonSchema;
  }
  report("error", "stage-schema", key, `"${key}" is no JSON Schema. ${fault}`);
  return undefined;
}

function readCheck(header: Map<string, unknown>, isText: boolean, report: Report): string | undefined {
  if (!header.has("check")) return undefined;
  const value = header.get("check");
  const command = typeof value === "string" ? value.trim() : "";
  if (isText && command !== "" && !/[\0-\x08\x0b-\x1f\x7f]/.test(command)) return command;
  report("error", "stage-check", "check", '"check" must be one command, as text.');
  return undefined;
}

function readNeeds(header: Map<string, unknown>, report: Report): string[] | undefined {
  const value = header.get("needs");
  if (value === undefined || value === "") return undefined;
  const items = Array.isArray(value) ? value : typeof value === "string" ? value.split(/[\s,]+/) : [value];
  if (items.every((item) => typeof item === "string")) {
    return items.map((item) => item.trim()).filter((item) => item !== "");
  }
  report("error", "stage-needs", "needs", '"needs" must be a list of the ids of earlier stages.');
  return undefined;
}

function readAttempts(header: Map<string, unknown>, report: Report): number {
  const value = header.get("max-attempts");
  if (value === undefined) return DEFAULT_ATTEMPTS;
  const number = typeof value === "string" && /^\d{1,2}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 1 && number <= ATTEMPT_LIMIT) {
    return number;
  }
  const message = `"max-attempts" must be a whole number from 1 to ${ATTEMPT_LIMIT}, not ${JSON.stringify(value)}.`;
  report("error", "stage-attempts", "max-attempts", message);
  return DEFAULT_ATTEMPTS;
}

/** Names of needed stages as ids, or an error for the first that is no earlier stage. */
export function resolveNeeds(
  needs: string[] | undefined,
  earlier: string[],
  later: string[],
): { needs: string[] } | { error: string } {
  if (needs === undefined) return { needs: earlier };
  const wanted = new Set<string>();
  for (const name of needs) {
    const written = name.normalize("NFC");
    const id = [...earlier, ...later].find((each) => each === written || each === toFileId(written));
    if (id !== undefined && earlier.includes(id)) {
      wanted.add(id);
      continue;
    }
    const choices =
      earlier.length === 0 ? "It is the first stage." : `Earlier stages: ${earlier.join(", ")}.`;
    const reason = id === undefined ? "is no stage" : "does not come before this stage";
    return { error: `"needs" names "${name}", which ${reason}. ${choices}` };
  }
  return { needs: earlier.filter((id) => wanted.has(id)) };
}
