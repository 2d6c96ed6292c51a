import { isRecord } from "../../skills/record.ts";
import { END_STAGE } from "../../skills/stages/stage-names.ts";
import { readAddressed } from "./addressed.ts";
import { findReplyFault } from "./reply-size.ts";
import type { ReviewItem } from "./review-item.ts";

/** Wrappers and texts of JSON inside each other that are opened. */
const LAYERS = 4;
/** Keys of which each alone makes an object a reply and no answer of its own. */
const WRAPPERS = ["decisions", "resume", "goto"];

/**
 * The reply itself, out of what clients put around it: JSON as text, `{resume: …}`, and the request that it is for.
 * Studio sends text, or an object with the reply in it; chat clients send JSON that was typed into a field.
 *
 * @returns the reply and the request that it names, or why it cannot be used; never throws
 */
export function unwrapReply(
  raw: unknown,
  items: ReviewItem[],
): { reply: unknown; request?: string } | { error: string } {
  let reply = raw;
  let request: string | undefined;
  for (let layer = 0; layer < LAYERS; layer += 1) {
    // Text may hold what the object around it did not show.
    const fault = findReplyFault(reply);
    if (fault !== undefined) return { error: fault };
    const addressed = readAddressed(reply);
    request ??= addressed?.request;
    const inner = unwrapOnce(addressed?.reply ?? reply, items);
    if (inner === reply) break;
    reply = inner;
  }
  const named = request === undefined ? {} : { request };
  return { reply: isEnd(reply) ? { goto: END_STAGE } : reply, ...named };
}

/** The object that a text of JSON is; undefined for anything else. */
export function readJsonObject(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "string" || !/^\s*\{/.test(value)) return undefined;
  const parsed = parse(value);
  return isRecord(parsed) && findReplyFault(parsed) === undefined ? parsed : undefined;
}

function unwrapOnce(reply: unknown, items: ReviewItem[]): unknown {
  if (typeof reply === "string") return readText(reply, items[0]);
  if (!isRecord(reply) || Object.keys(reply).join() !== "resume") return reply;
  // A form may have a field of this name.
  return items.some(({ args, form }) => Object.hasOwn(args, "resume") || hasField(form, "resume"))
    ? reply
    : reply.resume;
}

/** What is no JSON stays as it was typed; so does an answer to a question, unless it can be nothing but a reply. */
function readText(text: string, item: ReviewItem | undefined): unknown {
  if (!/^\s*["{[]/.test(text)) return text;
  const parsed = parse(text);
  if (parsed === undefined) return text;
  const addressed = readAddressed(parsed);
  const bare = addressed?.reply ?? parsed;
  const isWrapped = isRecord(bare) && WRAPPERS.includes(Object.keys(bare).join());
  return item?.kind === "question" && !isWrapped ? text : parsed;
}

function isEnd(reply: unknown): boolean {
  const [only] = Array.isArray(reply) && reply.length === 1 ? reply : [reply];
  return only === END_STAGE || (isRecord(only) && only.goto === END_STAGE);
}

function hasField(form: Record<string, unknown> | undefined, name: string): boolean {
  return isRecord(form?.properties) && Object.hasOwn(form.properties, name);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // It stays the text that it is.
  }
}
