import { CANCEL_SYMBOL, isCancel, multiselect, text } from "@clack/prompts";
import { type FormField, isDay } from "./form-fields.ts";
import { parseAnswer, parseJson, parseObject } from "./json-text.ts";
import { askOne } from "./menu.ts";
import { toJsonLine, toSafeLine, toSafeText } from "./safe-text.ts";
import type { Streams } from "./streams.ts";

const UNDECIDED = -1;

/** Asks for the parts of a form, one after the other; undefined when the person leaves. */
export async function askFields(
  fields: FormField[],
  streams: Streams,
): Promise<Record<string, unknown> | undefined> {
  const values: [string, unknown][] = [];
  for (const field of fields) {
    const value = await askField(field, streams);
    if (isCancel(value)) return undefined;
    const kept = value ?? toEmptied(field);
    if (kept !== undefined) values.push([field.name, kept]);
  }
  return Object.fromEntries(values);
}

/** What says that a person emptied a field: left out, its default would count. Undefined where nothing says so. */
function toEmptied({ fallback, isSeveral, type, choices, isDate }: FormField): unknown {
  if (isSeveral) return Array.isArray(fallback) && fallback.length > 0 ? [] : undefined;
  const isText = type === "string" && !choices && !isDate;
  return isText && typeof fallback === "string" && fallback !== "" ? "" : undefined;
}

/** Asks for one value. Undefined is none; clack's sign for a cancelled prompt says that the person leaves. */
export async function askField(field: FormField, streams: Streams): Promise<unknown> {
  const { title, name, choices, type, required, fallback, fault, isDate } = field;
  const why = fault === undefined ? "" : ` - not taken: ${fault}`;
  const message = toSafeLine(`${title ?? name}${why}`);
  if (choices && field.isSeveral) return askSeveral(message, { ...field, choices }, streams);
  if (choices) return askChoice(message, { ...field, choices }, streams);
  if (type === "boolean") return askChoice(message, { ...field, choices: [true, false] }, streams);
  const isNumber = type === "number" || type === "integer";
  const isJson = fallback !== undefined && !isTypable(fallback);
  const value = await text({
    ...streams,
    message: `${message}${isJson ? ", as JSON" : isDate ? ", as YYYY-MM-DD" : ""}${required ? "" : " (may be empty)"}`,
    ...(fallback === undefined ? {} : { initialValue: isJson ? toPlainJson(fallback) : String(fallback) }),
    validate: (typed = "") => {
      if (typed === "") return required ? "An answer is needed." : undefined;
      if (isJson) return parseJson(typed) === undefined ? "Write JSON." : undefined;
      if (isDate && !isDay(typed.trim())) return "Write a day as YYYY-MM-DD.";
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

/** Any number of the choices; what is known is marked. */
async function askSeveral(
  message: string,
  { choices, labels, fallback, required }: FormField & { choices: unknown[] },
  streams: Streams,
): Promise<unknown> {
  const known = Array.isArray(fallback) ? fallback.map((value) => JSON.stringify(value)) : [];
  const options = choices.map((choice, index) => ({
    value: index,
    label: labels?.[index] === undefined ? toLabel(choice, undefined) : toSafeLine(labels[index]),
  }));
  const initialValues = options
    .map(({ value }) => value)
    .filter((index) => known.includes(JSON.stringify(choices[index])));
  const chosen = await multiselect({ ...streams, message, options, initialValues, required });
  if (isCancel(chosen)) return chosen;
  return chosen.length === 0 && !required
    ? undefined
    : [...chosen].sort((a, b) => a - b).map((index) => choices[index]);
}

/** Enter alone takes what stands there; where nothing does, it must not choose. */
async function askChoice(
  message: string,
  { choices, labels, fallback, required, type }: FormField & { choices: unknown[] },
  streams: Streams,
): Promise<unknown> {
  const options = choices.map((choice, index) => ({
    value: index,
    label: labels?.[index] === undefined ? toLabel(choice, type) : toSafeLine(labels[index]),
  }));
  const known = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(fallback));
  if (known < 0) options.push({ value: UNDECIDED, label: required ? "Later (leave it open)" : "None" });
  const index = await askOne({ message, options, initialValue: known < 0 ? UNDECIDED : known }, streams);
  if (index === UNDECIDED && !required) return undefined;
  return index === undefined || index === UNDECIDED ? CANCEL_SYMBOL : choices[index];
}

function toLabel(choice: unknown, type: string | undefined): string {
  if (type === "boolean") return choice === true ? "Yes" : "No";
  return toSafeLine(typeof choice === "string" ? choice : JSON.stringify(choice));
}

function toPlainJson(value: unknown): string {
  return toJsonLine(value).trimEnd();
}
