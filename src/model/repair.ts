import { isRecord } from "../skills/record.ts";

/** How an assistant turn without words is sent back: servers disagree, and some refuse the others' form. */
export type EmptyContent = "string" | "null" | "omit";

/**
 * Mends an event of a chat-completions stream before LangChain reads it. LangChain drops the calls of a delta
 * that comes before any role, the finish reason of an event without a delta, and text sent as a list.
 */
export function repairChunk<Chunk>(chunk: Chunk): Chunk {
  if (!isRecord(chunk) || !Array.isArray(chunk.choices)) return chunk;
  const choices = chunk.choices.filter(isRecord).map((choice) => {
    const given = [choice.delta, choice.message].find(isRecord) ?? {};
    return { ...choice, delta: repairDelta(given) };
  });
  return { ...chunk, choices };
}

/** Puts the content of turns that only call tools into the form the server wants. */
export function repairMessages<Message>(messages: Message[], form: EmptyContent): Message[] {
  if (form === "string") return messages;
  return messages.map((message) => {
    if (!isRecord(message) || message.content !== "" || !Array.isArray(message.tool_calls)) return message;
    const { content: _content, ...bare } = message;
    return (form === "null" ? { ...bare, content: null } : bare) as Message;
  });
}

function repairDelta(delta: Record<string, unknown>): Record<string, unknown> {
  const { content, tool_calls: calls } = delta;
  return {
    role: "assistant",
    ...(content == null ? {} : { content: toText(content) }),
    ...(Array.isArray(calls) ? { tool_calls: calls.filter(isRecord).map(repairPiece) } : {}),
  };
}

function toText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts.map((part) => (typeof part.text === "string" ? part.text : "")).join("");
}

function repairPiece(piece: Record<string, unknown>): Record<string, unknown> {
  const { name, arguments: text } = isRecord(piece.function) ? piece.function : {};
  const { index, id } = piece;
  return {
    ...(typeof index === "number" ? { index } : {}),
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    type: "function",
    function: {
      ...(typeof name === "string" && name !== "" ? { name } : {}),
      // Some servers send the object itself instead of its text.
      ...(text == null ? {} : { arguments: typeof text === "string" ? text : JSON.stringify(text) }),
    },
  };
}
