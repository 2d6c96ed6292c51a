import { checkValue } from "./json-schema.ts";
import type { Stage } from "./stage.ts";

/** What a stage hands over. */
export interface HandedOver {
  summary: string;
  output?: unknown;
}

/** Whether the form at the stage's gate completes the output itself. */
export function fillsOutput(stage: Stage): boolean {
  return stage.gate === "form" && stage.form === undefined;
}

/** Why an output does not fit the stage's schema, as a sentence. */
export function findMisfit(stage: Stage, output: unknown): string | undefined {
  if (stage.output === undefined) return undefined;
  const checked = checkValue(stage.output, output);
  return checked.ok ? undefined : describeMisfit(stage, checked.errors);
}

/** What a stage hands over when a person changes the output. */
export function readEdit(
  stage: Stage,
  handed: HandedOver | undefined,
  written: unknown,
): HandedOver | { error: string } {
  const summary = handed?.summary ?? "Written by the person.";
  if (stage.output !== undefined) {
    const checked = checkValue(stage.output, written, { coerce: true });
    return checked.ok ? { summary, output: checked.value } : { error: describeMisfit(stage, checked.errors) };
  }
  // Where nothing but a summary was asked for, the summary is what a person sees and changes.
  if (handed?.output === undefined && isRecord(written) && Object.keys(written).join() === "summary") {
    return { summary: String(written.summary) };
  }
  return { summary, output: written };
}

/** What a stage hands over when a person fills in the form at its gate. */
export function readAnswer(
  stage: Stage,
  handed: HandedOver | undefined,
  values: unknown,
): (HandedOver & { answer?: unknown }) | { error: string } {
  const summary = handed?.summary ?? "Filled in by the person.";
  if (stage.form === undefined) {
    const isPartial = isRecord(handed?.output) && isRecord(values);
    const output = isPartial ? merge(handed.output as Record<string, unknown>, values) : values;
    const checked = checkValue(stage.output ?? {}, output, { coerce: true });
    return checked.ok ? { summary, output: checked.value } : { error: describeMisfit(stage, checked.errors) };
  }
  const checked = checkValue(stage.form, values, { coerce: true });
  if (!checked.ok) return { error: `The form of the stage "${stage.id}": ${checked.errors.join("; ")}.` };
  const misfit = findMisfit(stage, handed?.output);
  if (misfit !== undefined) return { error: `${misfit} Edit the output first, or reject the stage.` };
  return { ...handed, summary, answer: checked.value };
}

function describeMisfit(stage: Stage, errors: string[]): string {
  return `The output of the stage "${stage.id}" does not fit: ${errors.join("; ")}.`;
}

// Not by spreading into a literal: a key such as "__proto__" must stay a key.
function merge(base: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries([...Object.entries(base), ...Object.entries(change)]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
