import { checkValue } from "../../skills/json-schema/json-schema.ts";
import { isRecord } from "../../skills/record.ts";
import type { StageEvent } from "../../skills/stages/stage-machine.ts";
import { fillsOutput, merge } from "../../skills/stages/stage-values.ts";
import { checkOutput } from "../../tools/complete-stage.ts";
import { toDraft } from "../review/draft.ts";
import type { PendingCall, StateUpdate } from "../state.ts";
import type { OpenWizard } from "./wizard.ts";

/** What fits of values that were not taken, and why the rest does not. */
export function keepDraft(
  event: StageEvent,
  call: PendingCall,
  { stage, progress }: OpenWizard,
): StateUpdate {
  if (event.type !== "answer" && event.type !== "edit") return {};
  const isOwn = event.type === "answer" && stage.form !== undefined;
  const given = event.type === "answer" ? event.values : event.output;
  const shown = progress.handed?.output;
  const values =
    event.type === "answer" && !isOwn && isRecord(shown) && isRecord(given) ? merge(shown, given) : given;
  const draft = toDraft(call.id, isOwn ? stage.form : stage.output, values);
  return draft ? { draft } : {};
}

/** What an edit makes of the output: the fields that it names are new, the others stay. */
export function toOutput(
  args: Record<string, unknown>,
  call: PendingCall,
  { progress, stage }: OpenWizard,
): unknown {
  const shown = progress.handed ? progress.handed.output : call.input.output;
  if (isRecord(shown)) return merge(shown, stage.output ? args : readAsBefore(args, shown));
  // What is no object is shown wrapped in one.
  const types = [stage.output?.type ?? []].flat();
  const isWrapped = shown !== undefined || (types.length > 0 && !types.includes("object"));
  return isWrapped && Object.keys(args).join() === "output" ? args.output : args;
}

/** Chat clients send what was no text as text; without a schema, what was there before says what it was. */
function readAsBefore(
  args: Record<string, unknown>,
  before: Record<string, unknown>,
): Record<string, unknown> {
  const entries = Object.entries(args).map(([key, value]) => {
    const shown = Object.hasOwn(before, key) ? before[key] : undefined;
    if (typeof value !== "string" || shown === undefined || typeof shown === "string") return [key, value];
    const schema = { type: Array.isArray(shown) ? "array" : shown === null ? "null" : typeof shown };
    const read = checkValue(schema, value, { coerce: true });
    return [key, read.ok ? read.value : value];
  });
  return Object.fromEntries(entries);
}

export function toHandedOver(
  call: PendingCall,
  { stage }: OpenWizard,
): { summary: string; output?: unknown } {
  const isOutputWhole = !fillsOutput(stage);
  const checked = checkOutput(call.input.output, { output: stage.output, isOutputWhole });
  const output = checked.ok ? checked.value : call.input.output;
  return { summary: String(call.input.summary ?? ""), ...(output === undefined ? {} : { output }) };
}
