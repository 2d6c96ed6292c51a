import { randomUUID } from "node:crypto";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** A model that marks, then asks or writes a file that a person must allow, then ends its turn. */
export class StormModel extends BaseChatModel {
  readonly #random: () => number;

  constructor(random: () => number) {
    super({});
    this.#random = random;
  }

  override _llmType(): string {
    return "storm";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const begun = messages.findLastIndex((message) => HumanMessage.isInstance(message));
    const turn = messages.slice(begun).filter((message) => AIMessage.isInstance(message)).length;
    const [name, args] = this.#choose(turn);
    const message = new AIMessage({
      content: name === undefined ? "Done." : "",
      tool_calls: name === undefined ? [] : [{ id: randomUUID(), name, args, type: "tool_call" }],
    });
    return { generations: [{ text: message.text, message }] };
  }

  #choose(turn: number): [name: string | undefined, args: Record<string, unknown>] {
    if (turn === 0 || turn === 2) return ["mark", {}];
    if (turn > 2) return [undefined, {}];
    return this.#random() < 0.5
      ? ["AskUser", { question: "Which?" }]
      : ["Write", { path: "out.txt", content: "x" }];
  }
}
