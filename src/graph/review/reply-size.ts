import { isRecord } from "../../skills/record.ts";

/** Characters of a reply as JSON: as much as a task may have. */
export const REPLY_LIMIT = 1_048_576;
/** Levels of nesting: LangChain's reader of stored values gives up at 50. */
const DEPTH_LIMIT = 40;

/**
 * Why a reply cannot be kept in a thread, as a sentence; undefined for one that can. It looks no further than the
 * limit, so that a huge one costs nothing.
 */
export function findReplyFault(reply: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: reply, depth: 0 }];
  let size = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    const fault = findValueFault(value, depth);
    if (fault !== undefined) return fault;
    size += typeof value === "string" ? value.length + 2 : 1;
    if (typeof value === "object" && value !== null) {
      // Not all entries at once: there may be millions.
      for (const key in value) {
        size += Array.isArray(value) ? 1 : key.length + 4;
        if (size > REPLY_LIMIT) break;
        open.push({ value: (value as Record<string, unknown>)[key], depth: depth + 1 });
      }
    }
    if (size > REPLY_LIMIT) return TOO_LONG;
  }
  return undefined;
}

const TOO_LONG = `The reply is longer than ${REPLY_LIMIT} characters as JSON, which is the most that is taken. Write the rest to a file and name it.`;

function findValueFault(value: unknown, depth: number): string | undefined {
  if (depth > DEPTH_LIMIT) return `The reply is nested more than ${DEPTH_LIMIT} levels deep.`;
  if (Array.isArray(value)) return value.length > REPLY_LIMIT ? TOO_LONG : undefined;
  if (isRecord(value) && isPlain(value)) {
    return Object.hasOwn(value, "lc") ? 'The reply holds the key "lc", which no thread can keep.' : undefined;
  }
  return isScalar(value) ? undefined : `The reply holds a ${toKind(value)}, which is no JSON.`;
}

function isScalar(value: unknown): boolean {
  return value === undefined || value === null || ["string", "number", "boolean"].includes(typeof value);
}

function isPlain(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function toKind(value: unknown): string {
  if (typeof value !== "object" || value === null) return typeof value;
  return value.constructor?.name ?? "object";
}
