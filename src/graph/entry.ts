import { type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { Command, END, isCommand } from "@langchain/langgraph";
import { SkillgraphError } from "../errors.ts";
import { isStorable } from "../model/storable.ts";
import { ensureId } from "./message-id.ts";
import { findReplyFault } from "./review/reply-size.ts";

/**
 * What a run may begin with: messages, an answer, or nothing. What else is in the state is ours, so a command that
 * enters a node by itself, with an input of its own or past an open question, is refused.
 *
 * @throws SkillgraphError `usage`
 */
export function toEntry(input: unknown): unknown {
  if (!isCommand(input)) return withMessageIds(input);
  const fault = input.resume === undefined ? undefined : findReplyFault(input.resume);
  if (fault !== undefined) throw new SkillgraphError("answer-invalid", fault);
  const { messages } = (input.update ?? {}) as { messages?: unknown };
  const update = messages === undefined ? undefined : (withMessageIds({ messages }) as { messages: unknown });
  const gotos = [input.goto ?? []].flat();
  const isEnd = gotos.length === 1 && gotos[0] === END && input.resume === undefined;
  if (gotos.length > 0 && !isEnd) {
    throw new SkillgraphError(
      "usage",
      'A command cannot go to a node of this graph. Send an answer as "resume", messages as input, or goto "__end__" to end what waits.',
    );
  }
  // "Mark as resolved" of chat clients goes to the end, past the open question: here it is the answer to it.
  if (isEnd) return new Command({ resume: { goto: END }, ...(update ? { update } : {}) });
  // New messages withdraw what is open, however they come.
  if (input.resume === undefined && update) return update;
  return new Command({ resume: input.resume, ...(update ? { update } : {}) });
}

/** A skill's text follows a message by its id, and the delta channel gives none to what clients send. */
function withMessageIds(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("messages" in input)) return input;
  const { messages } = input;
  if (messages === undefined || messages === null) return input;
  const list = (Array.isArray(messages) && !isTuple(messages) ? messages : [messages]) as BaseMessageLike[];
  return { ...input, messages: list.map(toMessage) };
}

function isTuple(messages: unknown[]): boolean {
  return messages.length === 2 && typeof messages[0] === "string" && typeof messages[1] === "string";
}

/** A message that could not be read again, or sent on, would break its thread for good. */
function toMessage(like: BaseMessageLike) {
  const message = coerceMessageLikeToMessage(like);
  const { content, additional_kwargs: extras } = message;
  const isContent = typeof content === "string" || Array.isArray(content);
  if (isContent && isStorable(content) && isStorable(extras)) return ensureId(message);
  throw new SkillgraphError(
    "usage",
    `The content of a message must be text or a list of parts, without the key "lc", not ${(JSON.stringify(content) ?? String(content)).slice(0, 80)}.`,
  );
}
