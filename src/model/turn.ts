import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  type StandardMessageStructure,
  type UsageMetadata,
} from "@langchain/core/messages";
import { isRecord } from "../skills/record.ts";
import { parseJson, type RawCall, readRawCalls } from "./calls.ts";
import { createCallId, isWireName, toToolName } from "./names.ts";
import { isStorable } from "./storable.ts";

/** A tool call that the model asked for. */
export interface ModelCall {
  /** Unique in the history, `[A-Za-z0-9_-]{1,64}`. */
  id: string;
  /** As in the message: `[A-Za-z0-9_-]{1,64}`. */
  name: string;
  input: Record<string, unknown>;
  /** Why it must not run, worded for the model as the result of the call. */
  fault?: string;
}

/** One answer of a model, in the shape that every strict server takes back. */
export interface Turn {
  message: AIMessage<StandardMessageStructure>;
  /** The calls in the order of the message; one with a `fault` is answered and never run. */
  calls: ModelCall[];
  /** True when the answer ended before the model was done. */
  cut: boolean;
}

/** What is known of an answer before it is put in order. */
export interface RawTurn {
  content: BaseMessage["content"];
  id: string | undefined;
  extras: Record<string, unknown>;
  metadata: Record<string, unknown>;
  usage: UsageMetadata | undefined;
  calls: RawCall[];
}

const previewLength = 200;
// OpenAI and its many copies, Anthropic, Gemini, Mistral, OpenAI's Responses.
const cutReasons = new Set([
  "length",
  "max_tokens",
  "model_length",
  "model_context_window_exceeded",
  "content_filter",
  "incomplete",
  "error",
]);
const droppedExtras = ["tool_calls", "function_call", "reasoning_content", "__raw_response"];
const droppedMetadata = ["usage", "prompt", "completion"];

/**
 * Reads a model's answer without trusting it: calls with broken arguments keep their place with a fault, ids
 * become unique, a cut answer runs nothing.
 *
 * @param usedIds Ids of calls and messages already in the history, see `collectIds`; not changed.
 */
export function readTurn(message: AIMessage | AIMessageChunk, usedIds: ReadonlySet<string>): Turn {
  const raw: RawTurn = {
    content: message.content,
    id: message.id,
    extras: message.additional_kwargs,
    metadata: message.response_metadata,
    usage: message.usage_metadata,
    calls: readRawCalls(message),
  };
  return toTurn(raw, usedIds);
}

/** Puts the parts of an answer in order, as {@link readTurn} does. */
export function toTurn(raw: RawTurn, usedIds: ReadonlySet<string>): Turn {
  const reason = findCutReason(raw.metadata);
  const taken = new Set(usedIds);
  const calls = raw.calls.map((call) => toModelCall(call, reason, taken));
  if (raw.calls.some((call, index) => call.streamed === true && calls[index]?.fault !== undefined)) {
    faultLostArguments(raw.calls, calls);
  }
  const message = new AIMessage<StandardMessageStructure>({
    content: raw.content,
    additional_kwargs: without(raw.extras, droppedExtras),
    response_metadata: without(raw.metadata, droppedMetadata),
    tool_calls: calls.map(({ id, name, input }) => ({ type: "tool_call" as const, id, name, args: input })),
    // Ollama draws message ids from a thousand numbers: a repeated one would replace an older message.
    ...(raw.id !== undefined && !usedIds.has(raw.id) ? { id: raw.id } : {}),
    ...(raw.usage !== undefined ? { usage_metadata: raw.usage } : {}),
  });
  return { message, calls, cut: reason !== undefined };
}

function toModelCall(raw: RawCall, cutReason: string | undefined, taken: Set<string>): ModelCall {
  const id =
    isWireName(raw.id) && !taken.has(raw.id)
      ? raw.id
      : createCallId(taken, `${raw.id}:${raw.name}:${raw.text}`);
  taken.add(id);
  const name = raw.name === "" ? "unnamed" : toToolName(raw.name);
  const fault = (text: string): ModelCall => ({ id, name, input: {}, fault: text });
  if (cutReason !== undefined) {
    return fault(
      `The answer was cut off (${cutReason}), so this call of ${name} may be incomplete and was not executed. Call again; if it is long, in smaller parts.`,
    );
  }
  if (raw.name === "") return fault("This call names no tool, so it was not executed.");
  const value = raw.text === undefined ? raw.input : raw.text.trim() === "" ? {} : parseJson(raw.text);
  if (isRecord(value) && isStorable(value)) return { id, name, input: value };
  if (isRecord(value)) {
    return fault(
      `The arguments of this call of ${name} are nested too deeply or hold an object with the key "lc", which cannot be kept, so it was not executed. Call again and give that part as text.`,
    );
  }
  const problem = value === undefined ? "are not valid JSON" : `are ${nameKind(value)}, not a JSON object`;
  return fault(
    `The arguments of this call of ${name} ${problem}, so it was not executed. Call again with one JSON object. Received: ${toPreview(raw)}`,
  );
}

// Pieces that could not be told apart may have gone to the broken call: then "no arguments" is not to be believed.
function faultLostArguments(raw: RawCall[], calls: ModelCall[]): void {
  for (const [index, call] of calls.entries()) {
    if (call.fault !== undefined || raw[index]?.text?.trim() !== "") continue;
    call.fault = `The arguments of this call of ${call.name} were lost on the way, so it was not executed. Call again.`;
  }
}

function findCutReason(metadata: Record<string, unknown>): string | undefined {
  const { finish_reason, stop_reason, finishReason, status } = metadata;
  const given = [finish_reason, stop_reason, finishReason, status].find(
    (value) => typeof value === "string" && value,
  );
  if (typeof given === "string") {
    return cutReasons.has(given.toLowerCase()) ? `finish reason "${given}"` : undefined;
  }
  // Chat completions always say why they end; other providers and fakes may not.
  return metadata.model_provider === "openai" ? "it ended without a finish reason" : undefined;
}

function nameKind(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function toPreview(raw: RawCall): string {
  const text = raw.text ?? JSON.stringify(raw.input) ?? "nothing";
  return text.length > previewLength ? `${text.slice(0, previewLength)}… (${text.length} characters)` : text;
}

function without(record: Record<string, unknown>, keys: string[]): Record<string, unknown> {
  const kept = Object.entries(record).filter(([key, value]) => !keys.includes(key) && value !== undefined);
  return Object.fromEntries(kept);
}
