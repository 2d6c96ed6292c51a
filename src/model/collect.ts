import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import type { ToolCallChunk } from "@langchain/core/messages/tool";
import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { SkillgraphError } from "../errors.ts";
import { joinPieces, type RawCall, readRawCalls } from "./calls.ts";
import { toModelFailure } from "./failure.ts";
import { type RawTurn, type Turn, toTurn } from "./turn.ts";

/** Options of {@link collectTurn}. */
export interface CollectOptions {
  /** Told each new piece of text. */
  onText?: (delta: string) => void;
  /** Ids that the answer must not repeat, see `collectIds`; not changed. Default none. */
  usedIds?: ReadonlySet<string>;
}

/**
 * Calls a model once and reads its answer as it streams. Works with every LangChain chat model, also those
 * that answer in one piece.
 *
 * @param messages The history to send, already paired.
 * @param config Passed to the model; its `signal` ends the call.
 * @throws SkillgraphError `model-failed`, `model-unknown` or `model-key-missing`; an abort as it came.
 */
export async function collectTurn(
  model: Runnable,
  messages: BaseMessage[],
  config: Partial<RunnableConfig>,
  options: CollectOptions = {},
): Promise<Turn> {
  const pieces: ToolCallChunk[][] = [];
  const whole: RawCall[] = [];
  const metadata: Record<string, unknown> = {};
  let merged: AIMessageChunk | undefined;
  try {
    const stream: AsyncIterable<BaseMessage> = await model.stream(messages, config);
    for await (const chunk of stream) {
      if (chunk.text !== "") options.onText?.(chunk.text);
      const chunkPieces = readPieces(chunk);
      if (chunkPieces.length > 0) pieces.push(chunkPieces);
      else whole.push(...readRawCalls(chunk as AIMessageChunk));
      addMetadata(metadata, chunk.response_metadata);
      merged = merged === undefined ? toBareChunk(chunk) : merged.concat(toBareChunk(chunk));
    }
    config.signal?.throwIfAborted();
  } catch (error) {
    throw toThrown(error, config.signal);
  }
  if (merged === undefined)
    throw new SkillgraphError("model-failed", "The model sent an empty answer. Try again.");

  const raw: RawTurn = {
    content: merged.content,
    id: merged.id,
    extras: merged.additional_kwargs,
    metadata,
    usage: merged.usage_metadata,
    calls: [...joinPieces(pieces), ...whole],
  };
  return toTurn(raw, options.usedIds ?? new Set());
}

function readPieces(chunk: BaseMessage): ToolCallChunk[] {
  return AIMessageChunk.isInstance(chunk) && "tool_call_chunks" in chunk
    ? (chunk.tool_call_chunks ?? [])
    : [];
}

// Calls are put together from their pieces, so LangChain's merge must not see them.
function toBareChunk(chunk: BaseMessage): AIMessageChunk {
  const { tool_calls: _calls, ...extras } = chunk.additional_kwargs;
  const usage = "usage_metadata" in chunk ? (chunk as AIMessageChunk).usage_metadata : undefined;
  return new AIMessageChunk({
    content: chunk.content,
    additional_kwargs: extras,
    ...(chunk.id !== undefined ? { id: chunk.id } : {}),
    ...(usage !== undefined ? { usage_metadata: usage } : {}),
  });
}

// The last word counts: LangChain's merge would join a finish reason that was sent twice to "stopstop".
function addMetadata(metadata: Record<string, unknown>, added: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(added)) {
    if (value !== undefined && value !== null && value !== "") metadata[key] = value;
  }
}

function toThrown(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof SkillgraphError || signal?.aborted) return error;
  // LangGraph's own control flow passes through every catch.
  if (typeof error === "object" && error !== null && "is_bubble_up" in error) return error;
  return toModelFailure(error, {});
}
