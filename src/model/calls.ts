import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ToolCallChunk } from "@langchain/core/messages/tool";
import { isRecord } from "../skills/record.ts";

/** A call as the provider sent it: the raw text of its arguments, or the object when only that is known. */
export interface RawCall {
  id: string;
  name: string;
  /** Raw JSON text; empty means no arguments. */
  text?: string;
  input?: unknown;
  /** True when the text was put together from pieces of a stream. */
  streamed?: boolean;
}

interface Slot extends RawCall {
  text: string;
  index: number | undefined;
}

/** The calls of a message, from the rawest source it has: LangChain's parsed ones hide what was cut or broken. */
export function readRawCalls(message: AIMessage | AIMessageChunk): RawCall[] {
  const pieces = "tool_call_chunks" in message ? (message.tool_call_chunks ?? []) : [];
  if (pieces.length > 0) return joinPieces([pieces]);
  const parsed = message.tool_calls ?? [];
  const invalid = message.invalid_tool_calls ?? [];
  const raw = readProviderCalls(message);
  if (raw.length > 0 && raw.length >= parsed.length + invalid.length) return raw;
  return [
    ...parsed.map((call) => ({ id: call.id ?? "", name: call.name, input: call.args as unknown })),
    ...invalid.map((call) => ({ id: call.id ?? "", name: call.name ?? "", text: toText(call.args) })),
  ];
}

/**
 * Puts streamed pieces together, one list of pieces for each delta. LangChain merges by index alone, which
 * fails where a server sends no index, or 0 for every call; here a new id, or a name after complete arguments,
 * begins a call whatever the index says.
 */
export function joinPieces(deltas: readonly (readonly ToolCallChunk[])[]): RawCall[] {
  const slots: Slot[] = [];
  for (const delta of deltas) {
    const byPosition = isByPosition(delta, slots.length);
    for (const [position, piece] of delta.entries()) {
      const slot = byPosition ? slots[position] : findSlot(slots, piece);
      if (slot === undefined || startsCall(slot, piece)) slots.push(toSlot(piece));
      else addPiece(slot, piece);
    }
  }
  return slots.map(({ id, name, text }) => ({ id, name, text, streamed: true }));
}

/** The value of a JSON text, or undefined: JSON has no undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readProviderCalls(message: AIMessage): RawCall[] {
  const calls: unknown = message.additional_kwargs.tool_calls;
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).map((call) => {
    const inner = isRecord(call.function) ? call.function : call;
    return {
      id: typeof call.id === "string" ? call.id : "",
      name: typeof inner.name === "string" ? inner.name : "",
      text: toText(inner.arguments),
    };
  });
}

// Several anonymous pieces in one delta, as many as there are calls: their places tell them apart.
function isByPosition(delta: readonly ToolCallChunk[], calls: number): boolean {
  if (delta.length < 2 || delta.length !== calls) return false;
  const indexes = new Set(delta.map((piece) => piece.index ?? 0));
  return indexes.size < delta.length && delta.every((piece) => !piece.id && !piece.name);
}

function findSlot(slots: Slot[], piece: ToolCallChunk): Slot | undefined {
  const onIndex = (slot: Slot) =>
    piece.index == null || slot.index === undefined || slot.index === piece.index;
  if (piece.id) {
    const known = slots.findLast((slot) => slot.id === piece.id && onIndex(slot));
    if (known !== undefined) return known;
  }
  if (piece.index == null) return slots.at(-1);
  const there = slots.findLast((slot) => slot.index === piece.index);
  // A rest whose index was never announced belongs to what came last, a new name begins a call.
  return there ?? (piece.id || piece.name ? undefined : slots.at(-1));
}

function startsCall(slot: Slot, piece: ToolCallChunk): boolean {
  if (piece.id && slot.id && piece.id !== slot.id) return true;
  if (!piece.name || !slot.name) return false;
  if (piece.name !== slot.name) return true;
  // Some servers repeat the name, some the whole call, in every piece: only more arguments make another call.
  const text = toText(piece.args);
  const resent = piece.id === slot.id && text === slot.text;
  return text !== "" && !resent && isRecord(parseJson(slot.text));
}

function addPiece(slot: Slot, piece: ToolCallChunk): void {
  const text = toText(piece.args);
  const resent = Boolean(piece.name) && piece.id === slot.id && text === slot.text && text !== "";
  slot.id ||= piece.id ?? "";
  slot.name ||= piece.name ?? "";
  slot.index ??= piece.index ?? undefined;
  if (!resent) slot.text += text;
}

function toSlot(piece: ToolCallChunk): Slot {
  return {
    id: piece.id ?? "",
    name: piece.name ?? "",
    text: toText(piece.args),
    index: piece.index ?? undefined,
  };
}

// The types promise a string; some servers send the object itself.
function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return value == null ? "" : JSON.stringify(value);
}
