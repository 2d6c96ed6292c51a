import { randomUUID } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";

/**
 * Gives a message an id when it has none: the delta channel gives none. What is written are the arguments that
 * the message was made from, so the id has to stand there too, or it is gone when the thread is read again.
 */
export function ensureId<Message extends BaseMessage>(message: Message): Message & { id: string } {
  const id = message.id ?? randomUUID();
  message.id = id;
  message.lc_kwargs.id = id;
  return message as Message & { id: string };
}
