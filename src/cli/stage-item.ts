import { isDeepStrictEqual } from "node:util";
import type { DecisionType, ReviewItem } from "../graph/review/review-item.ts";
import { isRecord } from "../skills/record.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
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
  return { [name]: isRecord(schema) && schema.type === "string" ? typed : parseAnswer(typed) };
}
