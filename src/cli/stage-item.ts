import { isDeepStrictEqual } from "node:util";
import type { DecisionType, ReviewItem } from "../graph/review/review-item.ts";
import { findNearest } from "../skills/nearest.ts";
import { isRecord } from "../skills/record.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import { readFormFields, readNumbers } from "./form-fields.ts";
import { parseAnswer, parseObject } from "./json-text.ts";

/** True where a stage hands over words only: then its arguments are these words once more. */
export function isSummaryOnly({ args, summary, form }: ReviewItem): boolean {
  return form === undefined && Object.keys(args).join() === "summary" && args.summary === summary;
}

/**
 * The output with what a person changes: only the keys they give. Undefined for another key where a summary is all
 * there is.
 */
export function mergeOutput(
  item: ReviewItem,
  changes: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (isSummaryOnly(item) && Object.keys(changes).some((key) => key !== "summary")) return undefined;
  return { ...item.args, ...changes };
}

/** True for an edit at a gate that is the output as it stands, where that can be approved. */
export function isUnchanged({ kind, args, allowed }: ReviewItem, output: Record<string, unknown>): boolean {
  return kind === "stage" && allowed.includes("approve") && isDeepStrictEqual(args, output);
}

/** What a person can decide at a gate. A form that is filled in changes the output, so nothing else has to. */
export function listDecisions({ allowed }: ReviewItem): DecisionType[] {
  return allowed.includes("respond") ? allowed.filter((type) => type !== "edit") : allowed;
}

/** What a `goto` may name instead of an answer. */
export function listPlaces(item: ReviewItem): string[] {
  return [...(item.back ?? []), END_STAGE];
}

/** The values of a form from JSON, or from `name=value` for one of its fields; undefined for anything else. */
export function readValues(text: string, { form }: ReviewItem): Record<string, unknown> | undefined {
  const values = parseObject(text);
  if (values) return values;
  const [, name = "", typed = ""] = /^\s*([^=\s]+)\s*=\s*(.*)$/s.exec(text) ?? [];
  const properties = isRecord(form?.properties) ? form.properties : {};
  if (!Object.hasOwn(properties, name)) return undefined;
  const schema = properties[name];
  const field = readFormFields(form).find((each) => each.name === name);
  const chosen = field && readNumbers(field, typed);
  if (chosen !== undefined) return { [name]: chosen };
  return { [name]: isRecord(schema) && schema.type === "string" ? typed : parseAnswer(typed) };
}

/**
 * Why a text is no value of the form: it names a field that the form has not, or is neither JSON nor `name=value`.
 * Undefined where it fits as far as the names go.
 */
export function explainValues(text: string, { form }: ReviewItem): string | undefined {
  const fields = isRecord(form?.properties) ? Object.keys(form.properties) : [];
  if (fields.length === 0) return undefined;
  const pair = /^\s*([^=\s{["]+)\s*=/.exec(text)?.[1];
  const values = parseObject(text);
  const names = values ? Object.keys(values) : pair === undefined ? [] : [pair];
  const isOpen = values && form?.additionalProperties !== undefined && form.additionalProperties !== false;
  const unknown = isOpen ? undefined : names.find((name) => !fields.includes(name));
  if (unknown !== undefined) {
    const nearest = findNearest(unknown, fields);
    const choices = nearest.length > 0 ? `Nearest: ${nearest.join(", ")}` : `Fields: ${fields.join(", ")}`;
    return `${JSON.stringify(unknown)} is no field of the form. ${choices}.`;
  }
  if (names.length > 0 || values) return undefined;
  return `${JSON.stringify(text)} fills in no field of the form. Fields: ${fields.join(", ")}.`;
}
