import type { IncomingHttpHeaders } from "node:http";
import { isObject } from "./openai-rules.ts";

/** One answer of the script. Without `text`, `calls`, `raw`, `chunks` or `status` it is an empty answer. */
export interface Turn {
  text?: string;
  calls?: { id?: string; name: string; arguments: object | string }[];
  /** Finish reason; default `tool_calls` with calls, else `stop`. */
  finish?: string;
  /** Wait before anything is sent, in milliseconds. */
  delayMs?: number;
  /** Sent as the whole JSON body with status 200, streamed or not. */
  raw?: unknown;
  /** Sent as the events of a stream, before `[DONE]`; a string goes out as it is. */
  chunks?: (object | string)[];
  /** An HTTP failure with `error` as its body (a string becomes OpenAI's error object). */
  status?: number;
  error?: string | object;
  headers?: Record<string, string>;
  /** Drops the connection in the middle of the stream: after this many events, or half of them. */
  cut?: boolean | number;
  /** Wait before each event after the first, in milliseconds. */
  chunkDelayMs?: number;
  /** Looks at the request; a throw is kept for `assertDone` and answered with 500. */
  expect?: (request: ChatRequest) => void;
}

export type ScriptedTurn = Turn | ((request: ChatRequest) => Turn | Promise<Turn>);

/** A body as it arrived; fields are loose because tests look into broken ones too. */
export interface ChatBody extends Record<string, unknown> {
  model?: string;
  stream?: boolean;
  messages?: { role: string; content?: unknown; tool_calls?: ToolCallBody[]; tool_call_id?: string }[];
  tools?: { type: string; function: { name: string; parameters?: unknown } }[];
}

export interface ToolCallBody {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

export interface ChatRequest {
  body: ChatBody;
  headers: IncomingHttpHeaders;
  /** Size of the body in bytes. */
  bytes: number;
  /** Status of the answer, once it is known. */
  status?: number;
  /** Why the protocol rules refused it. */
  refused?: string;
}

/** The turn as the body of an answer that is not streamed. `number` makes its ids. */
export function toCompletion(turn: Turn, body: ChatBody, number: number): object {
  const calls = toCalls(turn, number);
  const message = {
    role: "assistant",
    content: turn.text ?? (calls.length > 0 ? null : ""),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choice = { index: 0, message, finish_reason: toFinish(turn), logprobs: null };
  const usage = countUsage(turn, body);
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 1,
    model: body.model,
    choices: [choice],
    usage,
  };
}

/** The turn as the events of a stream: the role first, each call in three pieces, then the finish reason. */
export function toChunks(turn: Turn, body: ChatBody, number: number): object[] {
  const toChunk = (delta: object, finish: string | null = null) => ({
    id: `chatcmpl-${number}`,
    object: "chat.completion.chunk",
    created: 1,
    model: body.model,
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  });
  const chunks: object[] = [toChunk({ role: "assistant", content: "" })];
  for (const piece of turn.text?.match(/\S+\s*|\s+/g) ?? []) chunks.push(toChunk({ content: piece }));
  for (const [index, call] of toCalls(turn, number).entries()) {
    const text = call.function.arguments;
    const half = Math.ceil(text.length / 2);
    chunks.push(
      toChunk({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: "" } }] }),
    );
    for (const piece of [text.slice(0, half), text.slice(half)]) {
      chunks.push(toChunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  chunks.push(toChunk({}, toFinish(turn)));
  if (isObject(body.stream_options) && body.stream_options.include_usage === true) {
    chunks.push({ ...toChunk({}), choices: [], usage: countUsage(turn, body) });
  }
  return chunks;
}

function toCalls(turn: Turn, number: number): ToolCallBody[] {
  return (turn.calls ?? []).map((call, index) => {
    const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
    const id = call.id ?? `call_${number}_${index + 1}`;
    return { id, type: "function", function: { name: call.name, arguments: text } };
  });
}

function toFinish(turn: Turn): string {
  return turn.finish ?? ((turn.calls ?? []).length > 0 ? "tool_calls" : "stop");
}

// About four characters a token: enough for tests of counters.
function countUsage(turn: Turn, body: ChatBody): object {
  const prompt = Math.ceil(JSON.stringify(body.messages ?? []).length / 4);
  const completion = Math.ceil(JSON.stringify([turn.text ?? "", turn.calls ?? []]).length / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
