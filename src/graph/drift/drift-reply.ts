import { isRecord } from "../../skills/record.ts";
import { END_STAGE } from "../../skills/stages/stage-names.ts";
import { findArguments, saysTwo, VALUE_KEYS, withoutNulls } from "../review/own-words.ts";
import type { ReviewItem } from "../review/review-item.ts";
import { type DriftAnswer, driftAnswers } from "./drift-item.ts";

/** Words of clients and people for each answer. No skill is read anew by a plain yes. */
const WORDS = new Map<string, DriftAnswer>([
  ["pin", "pin"],
  ["refresh", "refresh"],
  ["stop", "stop"],
  ...["approve", "approved", "accept", "yes", "y", "true"].map((word) => [word, "pin"] as const),
  ...["reject", "rejected", "deny", "no", "n", "false", "ignore"].map((word) => [word, "stop"] as const),
]);

/**
 * Reads the answer to the question about a changed skill, in any client's dialect. Never throws.
 *
 * @returns one decision that responds with `pin`, `refresh` or `stop`, or why there is none
 */
export function readDriftReply(
  reply: unknown,
  item: ReviewItem,
): { decisions: [{ type: "respond"; value: DriftAnswer }] } | { errors: string[] } {
  const list = isRecord(reply) && Array.isArray(reply.decisions) ? reply.decisions : reply;
  if (Array.isArray(list) && list.length !== 1) {
    return { errors: [`One decision answers this, not ${list.length}; ${listChoices(item)}.`] };
  }
  const given: unknown = Array.isArray(list) ? list[0] : list;
  const answer = saysTwo(reply, WORDS) || saysTwo(given, WORDS) ? undefined : readAnswer(given, item);
  if (answer !== undefined && item.choices?.includes(answer)) {
    return { decisions: [{ type: "respond", value: answer }] };
  }
  const said = isRecord(given)
    ? (VALUE_KEYS.map((key) => given[key]).find((value) => value !== undefined) ?? given)
    : given;
  const shown = (JSON.stringify(said) ?? String(said)).slice(0, 80);
  const why = answer === undefined ? "" : ` now: ${item.notes?.join(" ") ?? ""}`.replace(/[.\s]+$/, "");
  return {
    errors: [`${shown} is no answer for the changed skill "${item.name}"${why}; ${listChoices(item)}.`],
  };
}

/** True for the words that only a changed skill is answered with. */
export function isDriftAnswer(value: unknown): boolean {
  return typeof value === "string" && Object.hasOwn(driftAnswers, value.trim().toLowerCase());
}

function readAnswer(reply: unknown, item: ReviewItem): DriftAnswer | undefined {
  const given = withoutNulls(reply);
  if (typeof given === "string" || typeof given === "boolean") {
    return WORDS.get(String(given).trim().toLowerCase());
  }
  if (!isRecord(given)) return undefined;
  if (Object.hasOwn(given, item.id) && Object.keys(given).length === 1)
    return readAnswer(given[item.id], item);
  if (given.goto === END_STAGE || (given.type === "goto" && given.stage === END_STAGE)) return "stop";
  const [type] = [given.type, given.decision, given.action].filter((each) => each !== undefined);
  if (type === undefined)
    return Object.keys(given).join() === "choice" ? readAnswer(given.choice, item) : undefined;
  if (typeof type !== "string") return undefined;
  const word = type.trim().toLowerCase();
  if (word === "edit") return readAnswer(findArguments(given), item);
  if (!["respond", "response", "answer"].includes(word)) return WORDS.get(word);
  const key = VALUE_KEYS.find((name) => given[name] !== undefined);
  return key === undefined ? undefined : readAnswer(given[key], item);
}

function listChoices({ choices = [] }: ReviewItem): string {
  return `choose ${choices.join(", ")}`;
}
