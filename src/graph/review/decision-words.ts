import { isRecord } from "../../skills/record.ts";
import type { DecisionType, ItemDecision, ReviewItem } from "./review-item.ts";

/** Names of one decision in the dialects of clients: ours, Agent Inbox, langchain's middleware. */
const TYPES = new Map<string, DecisionType>([
  ["approve", "approve"],
  ["approved", "approve"],
  ["accept", "approve"],
  ["yes", "approve"],
  ["y", "approve"],
  ["true", "approve"],
  ["retry", "approve"],
  ["edit", "edit"],
  ["reject", "reject"],
  ["rejected", "reject"],
  ["deny", "reject"],
  ["no", "reject"],
  ["n", "reject"],
  ["false", "reject"],
  ["ignore", "reject"],
  ["skip", "reject"],
  ["respond", "respond"],
  ["response", "respond"],
  ["answer", "respond"],
]);

/** A yes that adds rules, in any spelling: `always`, `approve_always`, `acceptAlways`, `allow-always`. */
const ALWAYS = /^(?:(?:approve|accept|allow|yes)[\s_-]?)?always$/i;

/** The kind of a decision. Clients name it `type`; people who type JSON also write `decision` or `action`. */
export function readType(reply: unknown): DecisionType | undefined {
  const name = readName(reply);
  return name === undefined ? undefined : toType(name);
}

/**
 * Why a reply cannot be taken because it says two things: its keys name different decisions, or it is no plain no and
 * says no, or names a stage to go to, beside that. To take the first would open what the other keeps shut.
 *
 * @param ids of the items, under which a reply may hold their decisions
 */
export function explainContradiction(reply: unknown, ids: readonly string[] = []): string | undefined {
  if (!isRecord(reply)) return undefined;
  if (Array.isArray(reply.decisions)) return explainBeside("decisions", reply.decisions, reply);
  const type = readType(reply);
  const held = type === undefined ? ids.filter((id) => Object.hasOwn(reply, id)) : [];
  if (held[0] !== undefined) {
    const { keys, values } = splitHeld(reply, held);
    return explainBeside(held[0], values, keys);
  }
  if (type === undefined) return undefined;
  const said = NAMES.filter((key) => {
    const other = readWord(reply[key]);
    return other !== undefined && other !== type;
  });
  const refused = type === "reject" ? [] : SHUTS.filter((key) => isTold(reply, key));
  const [key] = [...said, ...refused];
  return key === undefined ? undefined : explainTwo(type, key);
}

/** The same of decisions in a list, or by the ids of their items, and what stands beside them. */
function explainBeside(
  name: string,
  decisions: unknown[],
  beside: Record<string, unknown>,
): string | undefined {
  if (isTold(beside, "goto")) return explainTwo(name, "goto");
  if (decisions.every((each) => (readType(each) ?? readWord(each)) === "reject")) return undefined;
  const key =
    NAMES.find((each) => readWord(beside[each]) === "reject") ?? SHUTS.find((each) => isTold(beside, each));
  return key === undefined ? undefined : explainTwo(name, key);
}

function splitHeld(reply: Record<string, unknown>, ids: string[]) {
  const others = Object.entries(reply).filter(([key]) => !ids.includes(key));
  return { keys: Object.fromEntries(others), values: ids.map((id) => reply[id]) };
}

function explainTwo(one: string, other: string): string {
  return `The reply holds "${one}", and "${other}" beside it says something else; send one of them.`;
}

/** True where a key says no, or leads elsewhere. */
export function isTold(reply: Record<string, unknown>, key: string): boolean {
  const value = reply[key];
  if (key === "goto") return value !== undefined && value !== null && value !== "" && value !== false;
  return key.startsWith("approve") ? readFlag(value) === false : readFlag(value) === true;
}

/** What a bare yes or no, or another word for a decision, stands for. */
export function readWord(reply: unknown): DecisionType | undefined {
  return typeof reply === "boolean" || typeof reply === "string"
    ? toType(String(reply).trim().toLowerCase())
    : undefined;
}

/** True for `always` and its like, bare or as the kind of a decision, and for `{type: "approve", always: true}`. */
export function isAlways(reply: unknown): boolean {
  if (typeof reply === "string") return ALWAYS.test(reply.trim());
  const isNamed = ALWAYS.test(readName(reply) ?? "");
  return isNamed || (readType(reply) === "approve" && isRecord(reply) && readFlag(reply.always) === true);
}

/** Why a yes for ever cannot be taken; undefined for one that can, and where it is none. */
export function explainAlways(reply: unknown, decision: ItemDecision, item: ReviewItem): string | undefined {
  if (decision.type === "approve" && decision.always === true) {
    if (item.always?.length || !item.allowed.includes("approve")) return undefined;
    const choices = `choose ${item.allowed.join(", ")}`;
    return `"always" is not offered for ${item.name} (${item.id}): no rule is to be added for it; ${choices}.`;
  }
  if (readType(reply) === undefined || !isRecord(reply)) return undefined;
  if (reply.always === undefined || reply.always === null) return undefined;
  const flag = readFlag(reply.always);
  if (flag === undefined)
    return `"always" takes true or false, not ${JSON.stringify(reply.always).slice(0, 80)}.`;
  return flag ? `"always" goes with "approve", not with "${decision.type}".` : undefined;
}

/** Keys that name a decision, and keys that say no beside one. */
const NAMES = ["type", "decision", "action"];
export const SHUTS = ["goto", "approve", "approved", "reject", "rejected"];

function readName(reply: unknown): string | undefined {
  if (!isRecord(reply)) return undefined;
  const [name] = [reply.type, reply.decision, reply.action].filter(
    (each) => each !== undefined && each !== null,
  );
  return typeof name === "string" ? name.trim().toLowerCase() : undefined;
}

function toType(word: string): DecisionType | undefined {
  return ALWAYS.test(word) ? "approve" : TYPES.get(word);
}

/** Forms send text. */
function readFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  return word === "true" ? true : word === "false" ? false : undefined;
}
