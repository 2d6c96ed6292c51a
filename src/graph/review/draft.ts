import { isStorable } from "../../model/storable.ts";
import { isRecord } from "../../skills/record.ts";
import type { JsonSchema } from "../../skills/stages/stage.ts";
import { merge, readDraft } from "../../skills/stages/stage-values.ts";
import type { FormDraft, State } from "../state.ts";
import type { ReviewItem } from "./review-item.ts";
import { readJsonObject } from "./unwrap-reply.ts";

/** What to keep of values that do not fit a form; undefined where there are no fields. */
export function toDraft(
  item: string,
  schema: JsonSchema | undefined,
  values: unknown,
): FormDraft | undefined {
  if (schema === undefined || !isRecord(values)) return undefined;
  const draft = readDraft(schema, values);
  return { item, faults: draft.faults, values: isStorable(draft.values) ? draft.values : {} };
}

/** The values over those that fitted before, so that a person need not type them again. */
export function fillDraft(item: string, draft: FormDraft | null | undefined, given: unknown): unknown {
  const values = readJsonObject(given) ?? given;
  return draft?.item === item && isRecord(values) ? merge(draft.values, values) : values;
}

/** A form with the values that fitted, and with why the others did not. */
export function withDraft(
  item: ReviewItem,
  { draft, reviewErrors }: Pick<State, "reviewErrors"> & Partial<Pick<State, "draft">>,
): ReviewItem {
  if (draft?.item !== item.id || reviewErrors.length === 0) return item;
  const { values, faults } = draft;
  return {
    ...item,
    ...(item.gate === "form" ? { args: merge(item.args, values) } : {}),
    ...(item.kind === "question" && item.form ? { form: withDefaults(item.form, values) } : {}),
    ...(Object.keys(faults).length > 0 ? { fieldErrors: faults } : {}),
  };
}

function withDefaults(form: JsonSchema, values: Record<string, unknown>): JsonSchema {
  if (!isRecord(form.properties)) return form;
  const properties = Object.entries(form.properties).map(([name, field]) =>
    isRecord(field) && Object.hasOwn(values, name)
      ? [name, { ...field, default: values[name] }]
      : [name, field],
  );
  return { ...form, properties: Object.fromEntries(properties) };
}
