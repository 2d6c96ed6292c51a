import { isRecord } from "../../skills/record.ts";
import { END_STAGE } from "../../skills/stages/stage-names.ts";
import { findArguments, saysTwo, VALUE_KEYS, withoutNulls } from "../review/own-words.ts";
import type { ReviewItem } from "../review/review-item.ts";
import type { UpgradeAnswer } from "./upgrade-item.ts";

/** Where a wizard goes on, or that it does not. */
export type UpgradeChoice = { choice: "restart" | "stop" } | { choice: "map"; stage: string };

/** Words of clients and people. A plain yes is no answer: it may have been meant for the question before. */
const WORDS = new Map<string, UpgradeAnswer>([
  ["restart", "restart"],
  ["map", "map"],
  ["goto", "map"],
  ...["stop", "reject", "rejected", "deny", "no", "n", "false", "ignore"].map(
    (word) => [word, "stop"] as const,
  ),
]);

/**
 * Reads where a wizard that lost its place goes on, in any client's dialect. Never throws.
 *
 * @returns one decision that responds with an {@link UpgradeChoice}, or why there is none
 */
export function readUpgradeReply(
  reply: unknown,
  item: ReviewItem,
): { decisions: [{ type: "respond"; value: UpgradeChoice }] } | { errors: string[] } {
  const list = isRecord(reply) && Array.isArray(reply.decisions) ? reply.decisions : reply;
  if (Array.isArray(list) && list.length !== 1) {
    return { errors: [`One decision answers this, not ${list.length}; ${listChoices(item)}.`] };
  }
  const given: unknown = Array.isArray(list) ? list[0] : list;
  const answer = saysTwo(reply, WORDS) || saysTwo(given, WORDS) ? undefined : readAnswer(given, item);
  if (answer && isOffered(answer, item)) return { decisions: [{ type: "respond", value: answer }] };
  const shown = (JSON.stringify(answer ?? given) ?? String(given)).slice(0, 80);
  return { errors: [`${shown} does not say where the wizard "${item.name}" goes on; ${listChoices(item)}.`] };
}

/** An answer in words, for the record. */
export function describeUpgrade(value: unknown): string {
  if (!isRecord(value)) return String(value);
  return value.stage === undefined ? String(value.choice) : `${value.choice} ${value.stage}`;
}

function isOffered(answer: UpgradeChoice, { choices = [], back = [] }: ReviewItem): boolean {
  if (!choices.includes(answer.choice)) return false;
  return answer.choice !== "map" || back.includes(answer.stage);
}

function readAnswer(reply: unknown, item: ReviewItem): UpgradeChoice | undefined {
  const given = withoutNulls(reply);
  if (typeof given === "string" || typeof given === "boolean") return readWords(String(given), item);
  if (!isRecord(given)) return undefined;
  if (Object.hasOwn(given, item.id) && Object.keys(given).length === 1) {
    return readAnswer(given[item.id], item);
  }
  if (given.goto !== undefined) return readPlace(given.goto);
  const [type] = [given.type, given.decision, given.action].filter((each) => each !== undefined);
  if (type === undefined) return readFields(given, item);
  if (typeof type !== "string") return undefined;
  const word = type.trim().toLowerCase();
  if (word === "edit") return readAnswer(findArguments(given), item);
  if (["respond", "response", "answer"].includes(word)) {
    const key = VALUE_KEYS.find((name) => given[name] !== undefined);
    return key === undefined ? undefined : readAnswer(given[key], item);
  }
  return toChoice(WORDS.get(word), given.stage, item);
}

/** The fields of the form: a client sends all of them, also those that were not changed. */
function readFields({ choice, stage, ...others }: Record<string, unknown>, item: ReviewItem) {
  if (Object.keys(others).length > 0) return undefined;
  if (choice === undefined) return readPlace(stage);
  return typeof choice === "string"
    ? toChoice(WORDS.get(choice.trim().toLowerCase()), stage, item)
    : undefined;
}

function toChoice(
  choice: UpgradeAnswer | undefined,
  stage: unknown,
  item: ReviewItem,
): UpgradeChoice | undefined {
  if (choice === "map") return readPlace(stage);
  if (choice === "stop") return { choice };
  // Another stage beside it was meant as the place to go on at.
  const isMeant = stage === undefined || stage === "" || stage === item.stage;
  return choice === "restart" && isMeant ? { choice } : undefined;
}

function readPlace(stage: unknown): UpgradeChoice | undefined {
  if (typeof stage !== "string" || stage.trim() === "") return undefined;
  const id = stage.trim().normalize("NFC");
  return id === END_STAGE ? { choice: "stop" } : { choice: "map", stage: id };
}

/** `restart`, `stop`, `map plan`, `goto plan`, or a stage alone. */
function readWords(text: string, item: ReviewItem): UpgradeChoice | undefined {
  const [, first = "", rest] = /^\s*(\S+)(?:\s+(\S+))?\s*$/.exec(text) ?? [];
  const word = WORDS.get(first.toLowerCase());
  if (word !== undefined)
    return rest === undefined || word === "map" ? toChoice(word, rest, item) : undefined;
  return rest === undefined && item.back?.includes(first.normalize("NFC")) ? readPlace(first) : undefined;
}

function listChoices({ choices = [], back = [] }: ReviewItem): string {
  const words = choices.map((choice) =>
    choice === "map" ? `map with a stage (${back.join(", ")})` : choice,
  );
  return `choose ${words.join(", ")}`;
}
