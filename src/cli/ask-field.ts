import type { Readable, Writable } from "node:stream";
import { confirm, isCancel, select, text } from "@clack/prompts";
import type { FormField } from "./form-fields.ts";
import { parseAnswer, parseJson, parseObject } from "./json-text.ts";
import { toJsonLine, toSafeLine, toSafeText } from "./safe-text.ts";

/** Where a prompt reads and draws. Default: the streams of the process. */
export interface Streams {
  input?: Readable;
  output?: Writable;
}

/** Asks for the parts of a form, one after the other; undefined when the person leaves. */
export async function askFields(
  fields: FormField[],
  streams: Streams,
): Promise<Record<string, unknown> | undefined> {
  const values: [string, unknown][] = [];
  for (const field of fields) {
    const value = await askField(field, streams);
    if (isCancel(value)) return undefined;
    if (value !== undefined) values.push([field.name, value]);
  }
  return Object.fromEntries(values);
}

/** Asks for one value. Undefined is none; clack's sign for a cancelled prompt says that the person leaves. */
export async function askField(field: FormField, streams: Streams): Promise<unknown> {
  const { title, name, choices, type, required, fallback } = field;
  const message = toSafeLine(title ?? name);
  if (choices) return askChoice(message, { choices, fallback }, streams);
  if (type === "boolean")
    return confirm({
      ...streams,
      message,
      ...(typeof fallback === "boolean" ? { initialValue: fallback } : {}),
    });
  const isNumber = type === "number" || type === "integer";
  const isJson = fallback !== undefined && !isTypable(fallback);
  const value = await text({
    ...streams,
    message: `${message}${isJson ? ", as JSON" : ""}${required ? "" : " (may be empty)"}`,
    ...(fallback === undefined ? {} : { initialValue: isJson ? toPlainJson(fallback) : String(fallback) }),
    validate: (typed = "") => {
      if (typed === "") return required ? "An answer is needed." : undefined;
      if (isJson) return parseJson(typed) === undefined ? "Write JSON." : undefined;
      return isNumber && !Number.isFinite(Number(typed)) ? "Write a number." : undefined;
    },
  });
  if (isCancel(value)) return value;
  if (value === undefined || value === "") return undefined;
  if (isNumber) return Number(value);
  return isJson || type !== "string" ? parseAnswer(value) : value;
}

/** Asks for an object, as JSON; undefined when the person leaves. */
export async function askObject(
  message: string,
  known: Record<string, unknown>,
  streams: Streams,
): Promise<Record<string, unknown> | undefined> {
  const typed = await text({
    ...streams,
    message,
    initialValue: toPlainJson(known),
    validate: (value = "") => (parseObject(value) ? undefined : "Write a JSON object."),
  });
  return isCancel(typed) ? undefined : parseObject(typed);
}

/** True for what a prompt of one line holds as it is: a prompt takes a control character for a key that is pressed. */
export function isTypable(value: unknown): boolean {
  if (typeof value !== "string") return typeof value !== "object" || value === null;
  return !/[\n\t]/.test(value) && toSafeText(value) === value;
}

async function askChoice(
  message: string,
  { choices, fallback }: { choices: unknown[]; fallback: unknown },
  streams: Streams,
): Promise<unknown> {
  const options = choices.map((choice, index) => ({
    value: index,
    label: toSafeLine(typeof choice === "string" ? choice : JSON.stringify(choice)),
  }));
  const known = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(fallback));
  const index = await select({ ...streams, message, options, ...(known < 0 ? {} : { initialValue: known }) });
  return isCancel(index) ? index : choices[index];
}

function toPlainJson(value: unknown): string {
  return toJsonLine(value).trimEnd();
}
