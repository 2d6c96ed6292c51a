import { isRecord } from "../../skills/record.ts";
import { END_STAGE } from "../../skills/stages/stage-names.ts";
import { explainContradiction, isTold, SHUTS } from "./decision-words.ts";

/**
 * True where the keys of an answer with words of its own (`restart`, `pin`) name different ones: to take the first
 * could go on where the other stops.
 *
 * @param words what each word stands for; a no stands for `stop`, a stage to go on at for `map`
 */
export function saysTwo(given: unknown, words: ReadonlyMap<string, string>): boolean {
  if (!isRecord(given)) return false;
  if (explainContradiction(given) !== undefined) return true;
  const { type, decision, action, choice, goto } = given;
  const meanings = [type, decision, action].flatMap((word) => toMeaning(word, words) ?? []);
  if (isTold(given, "goto")) meanings.push(goto === END_STAGE ? "stop" : "map");
  if (SHUTS.some((key) => key !== "goto" && isTold(given, key))) meanings.push("stop");
  // An answer with its value in another key is not one of its own.
  const isOwn = !meanings.includes("respond") && !meanings.includes("edit");
  const chosen = isOwn ? toMeaning(choice, words) : undefined;
  if (chosen !== undefined) meanings.push(chosen);
  return new Set(meanings).size > 1;
}

/** Where a typed decision holds its answer. */
export const VALUE_KEYS = ["value", "message", "args", "answer", "response", "choice"];

/** The new arguments of an edit, in the dialects of clients. */
export function findArguments(edit: Record<string, unknown>): unknown {
  const action = edit.edited_action ?? edit.editedAction ?? edit.args ?? edit.value;
  return isRecord(action) && isRecord(action.args) ? action.args : action;
}

/** An answer without the fields that a client with typed fields leaves empty. */
export function withoutNulls(given: unknown): unknown {
  if (!isRecord(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function toMeaning(word: unknown, words: ReadonlyMap<string, string>): string | undefined {
  if (typeof word !== "string") return undefined;
  const said = word.trim().toLowerCase();
  return words.get(said) ?? (["response", "answer"].includes(said) ? "respond" : said);
}
