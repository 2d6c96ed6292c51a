import { DeltaSnapshot, JsonPlusSerializer, type SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { isRecord } from "../skills/record.ts";
import { findMessageClass } from "./messages.ts";

/** Keys with an underscore that LangChain's reader leaves as they are; it makes camel case of all others. */
const KEPT_KEYS = new Set([
  ...["additional_kwargs", "response_metadata", "tool_call_id"],
  ...["tool_calls", "invalid_tool_calls", "tool_call_chunks", "usage_metadata"],
]);

/** Stands for a value that only LangGraph's own reader can make. */
const FOREIGN = Symbol("foreign");

/**
 * LangGraph's own JSON, read in one pass. Its reader waits for a promise at each leaf, which is most of the time that
 * taking up a long thread costs. What this one does not know, such as a `Map` in an old thread, goes to that reader.
 */
export function createSerializer(): SerializerProtocol {
  const original = new JsonPlusSerializer();
  return {
    dumpsTyped: (value) => original.dumpsTyped(value),
    async loadsTyped(type, data) {
      if (type !== "json") return original.loadsTyped(type, data);
      const text = typeof data === "string" ? data : new TextDecoder().decode(data);
      const parsed: unknown = JSON.parse(text);
      if (!text.includes('"lc"')) return parsed;
      const value = revive(parsed);
      return value === FOREIGN ? original.loadsTyped(type, text) : value;
    },
  };
}

/** Makes messages of what stands for them, within the given value, which nobody else has. */
function revive(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const parts = value as Record<string, unknown>;
  for (const key of Object.keys(parts)) {
    const part = parts[key];
    if (typeof part !== "object" || part === null) continue;
    const revived = revive(part);
    if (revived === FOREIGN) return FOREIGN;
    parts[key] = revived;
  }
  if (Object.hasOwn(parts, "__lc_escaped__")) return FOREIGN;
  return Object.hasOwn(parts, "lc") ? reviveEnvelope(parts) : value;
}

function reviveEnvelope({ lc, type, id, kwargs, value }: Record<string, unknown>): unknown {
  if (lc === 2 && type === "delta_snapshot" && value !== undefined) return new DeltaSnapshot(value);
  if (lc === 2 && type === "undefined") return undefined;
  const isOfClass = lc === 1 && type === "constructor" && Array.isArray(id);
  const Message = isOfClass ? findMessageClass(id) : undefined;
  // One message of a long thread after another comes here, so nothing is copied: nobody else has these fields.
  if (Message === undefined || !isRecord(kwargs)) return FOREIGN;
  for (const key of Object.keys(kwargs)) {
    if (kwargs[key] === undefined) delete kwargs[key];
    else if (!KEPT_KEYS.has(key) && /[-_\s]/.test(key)) return FOREIGN;
  }
  return new Message(kwargs);
}
