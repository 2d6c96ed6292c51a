import { isRecord } from "../skills/record.ts";

/** Levels of nesting in arguments; LangChain's reader of stored values gives up at 50. */
const DEEPEST = 30;

/**
 * True for a value that can be kept in a thread and read again as it was. LangChain's reader takes an object with
 * the key `lc` for one of its own and revives it, or fails: then the whole thread is lost.
 */
export function isStorable(value: unknown, depth = 0): boolean {
  if (Array.isArray(value)) return depth < DEEPEST && value.every((item) => isStorable(item, depth + 1));
  if (!isRecord(value)) return true;
  if (depth >= DEEPEST || Object.hasOwn(value, "lc")) return false;
  return Object.values(value).every((item) => isStorable(item, depth + 1));
}
