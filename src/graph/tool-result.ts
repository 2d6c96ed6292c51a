import { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";
import { isRecord } from "../skills/record.ts";

/** Kinds of content blocks, each with the word that stands for what is left out. */
const BLOCKS = new Map([
  ["text", "text"],
  ["text-plain", "text"],
  ["image", "image"],
  ["image_url", "image"],
  ["audio", "audio"],
  ["input_audio", "audio"],
  ["video", "video"],
  ["file", "file"],
  ["document", "document"],
  ["resource", "resource"],
]);

/**
 * What a caller's tool returned, as text for the model: text as it is, content blocks with a word in place of what is
 * no text, anything else as JSON.
 *
 * @throws Error for a `Command`, and for a message that says the tool failed
 */
export function toResultText(tool: string, result: unknown): string {
  if (isCommand(result)) {
    throw new Error(
      `${tool} returned a Command, and nothing of it was carried out: a tool cannot change the agent's state or its way. It may return text, content blocks or JSON.`,
    );
  }
  if (!BaseMessage.isInstance(result)) return toText(result);
  const text = toText(result.content);
  if (ToolMessage.isInstance(result) && result.status === "error") throw new Error(text);
  return text;
}

function toText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content) && content.length > 0 && content.every(isBlock)) {
    return content.map(toBlockText).join("\n");
  }
  return JSON.stringify(content ?? null) ?? String(content);
}

/** Data may have a `type` of its own, so only blocks that are known are taken for content. */
function isBlock(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && BLOCKS.has(String(value.type));
}

function toBlockText({ type, text }: Record<string, unknown>): string {
  return typeof text === "string" ? text : `[${BLOCKS.get(String(type))} left out]`;
}
