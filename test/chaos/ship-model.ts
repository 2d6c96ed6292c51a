import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

type Call = [id: string, name: string, args: Record<string, unknown>];

/**
 * A model whose word follows from its prompt alone: the stage that is shown, and the last result. So it says the
 * same in every process.
 */
export class ShipModel extends BaseChatModel {
  constructor() {
    super({});
  }

  override _llmType(): string {
    return "ship";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const last = messages.findLast((message) => ToolMessage.isInstance(message))?.tool_call_id;
    const calls = nextCalls(findStage(messages), last);
    const message = new AIMessage({
      content: calls.length === 0 ? "All is sent." : "",
      tool_calls: calls.map(([id, name, args]) => ({ id, name, args, type: "tool_call" as const })),
    });
    return { generations: [{ text: message.text, message }] };
  }
}

function findStage(messages: BaseMessage[]): string | undefined {
  const shown = messages.flatMap((message) => /STAGE-(\w+)/.exec(message.text)?.[1] ?? []);
  return shown.at(-1);
}

function nextCalls(stage: string | undefined, last: string | undefined): Call[] {
  switch (stage) {
    case "LOOK":
      if (last === undefined) return [run("b1")];
      if (last === "b1") return [complete("s1", { round: 1 })];
      if (last === "s1") return [["p1", "pay", { id: "p1" }]];
      if (last === "p1") return [complete("s2", { round: 2 })];
      return [complete("s4", { round: 3 })];
    case "PLAN":
      if (last === "s2") return work;
      if (last === "b2") return [complete("s3", { round: 1 })];
      if (last === "b3") return [complete("s5", { round: "two" })];
      if (last === "s5") return [complete("s6", { round: 2 })];
      return [run("b3")];
    case "SEND":
      return last === "p2" ? [complete("s7")] : [["p2", "pay", { id: "p2" }]];
    default:
      return [];
  }
}

/** Several calls in one turn: one that may run twice, and two that may not. */
const work: Call[] = [
  ["w1", "Write", { path: "note.txt", content: "note\n" }],
  ["e1", "Edit", { path: "todo.txt", old_string: "TODO\n", new_string: "TODO\nedited\n" }],
  run("b2"),
];

function run(id: string): Call {
  return [id, "Bash", { command: `bash effect.sh ${id}` }];
}

function complete(id: string, output?: unknown): Call {
  return [id, "CompleteStage", { summary: `Summary ${id}.`, ...(output === undefined ? {} : { output }) }];
}
