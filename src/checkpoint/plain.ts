import { isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { SkillgraphError } from "../errors.ts";
import { isMessage } from "./messages.ts";

/** Levels of nesting; LangChain's reader of stored messages gives up at 50. */
const DEEPEST = 45;

/** What people know some channels of LangGraph by. The input of a run is named by its own fields. */
const NAMES = new Map([
  ["__start__", ""],
  ["__interrupt__", "the question"],
  ["__resume__", "the answer"],
  ["__return__", "the result of a task"],
]);

/** Where the check stands. Names are put together only for an error. */
interface Place {
  up: Place | undefined;
  key: string | number;
  depth: number;
  /** The object that is looked at, to find a cycle. */
  value?: object;
}

/**
 * Refuses what would not be read back from a store as it is: what JSON cannot say, and what LangChain would
 * take for an object of its own. Messages are read as what they are made of.
 *
 * @param channel - Name of the state's field, or of LangGraph's channel.
 * @throws SkillgraphError `state-not-plain` that names the field, such as `calls[0].input.when`
 */
export function assertPlain(channel: string, value: unknown): void {
  // A snapshot holds what was checked when it was written.
  if (isDeltaSnapshot(value)) return;
  check(value, { up: undefined, key: NAMES.get(channel) ?? channel, depth: 0 });
}

function check(value: unknown, place: Place): void {
  // Any text will do: JSON escapes what is no character.
  if (typeof value === "string" || typeof value === "boolean" || value === null) return;
  // A field that is not there is none; a gap in a list is one.
  if (value === undefined && typeof place.key === "string") return;
  if (typeof value === "number") checkNumber(value, place);
  else if (typeof value === "object") checkParts(value, place);
  else throw refuse(place, value === undefined ? "undefined" : `a ${typeof value}`);
}

function checkNumber(value: number, place: Place): void {
  if (!Number.isFinite(value)) throw refuse(place, String(value));
}

function checkParts(value: object, place: Place): void {
  if (place.depth > DEEPEST) throw refuse(place, `nested more than ${DEEPEST} levels deep`);
  place.value = value;
  if (Array.isArray(value)) {
    checkList(value, place);
    return;
  }
  const parts = toParts(value, place);
  for (const key of Object.keys(parts)) check(parts[key], { up: place, key, depth: place.depth + 1 });
}

function checkList(list: unknown[], place: Place): void {
  assertNoCycle(list, place);
  // Not `forEach`, which leaves gaps out.
  for (let key = 0; key < list.length; key += 1) check(list[key], { up: place, key, depth: place.depth + 1 });
}

/** What is written of an object. */
function toParts(value: object, place: Place): Record<string, unknown> {
  if (isMessage(value)) return pickFields(value);
  // LangGraph's own: a task to send, a value that replaces.
  if ("lg_name" in value && "toJSON" in value && typeof value.toJSON === "function" && !isPlainObject(value))
    return value.toJSON() as Record<string, unknown>;
  if (!isPlainObject(value)) throw refuse(place, describeClass(value));
  if (Object.hasOwn(value, "lc"))
    throw refuse(place, 'an object with the key "lc", which LangChain takes for its own');
  if ("toJSON" in value && typeof value.toJSON === "function")
    throw refuse(place, "an object with a toJSON of its own");
  assertNoCycle(value, place);
  return value as Record<string, unknown>;
}

/** What LangChain writes of a message: the fields it was made with, as they are now. */
function pickFields(message: object & { lc_kwargs: object }): Record<string, unknown> {
  const now = message as unknown as Record<string, unknown>;
  const made = message.lc_kwargs as Record<string, unknown>;
  return Object.fromEntries(Object.keys(made).map((key) => [key, key in now ? now[key] : made[key]]));
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has a root of its own.
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function assertNoCycle(value: object, place: Place): void {
  for (let above = place.up; above !== undefined; above = above.up)
    if (above.value === value) throw refuse(place, "an object that holds itself");
}

function describeClass(value: object): string {
  const name: unknown = (value.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === "string" && name !== "" ? `a ${name}` : "an object of a class";
}

function refuse(place: Place, found: string): SkillgraphError {
  const what = toPath(place) || "the input";
  return new SkillgraphError(
    "state-not-plain",
    `"${what}" cannot be kept: it is ${found}. A thread holds plain JSON only: text, finite numbers, true and false, null, lists and objects of these.`,
  );
}

function toPath(place: Place | undefined): string {
  if (place === undefined) return "";
  const before = toPath(place.up);
  if (typeof place.key === "number") return `${before}[${place.key}]`;
  if (before === "" || place.up === undefined) return place.key;
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(place.key)
    ? `${before}.${place.key}`
    : `${before}[${JSON.stringify(place.key)}]`;
}
