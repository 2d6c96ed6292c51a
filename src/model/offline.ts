import { createHash } from "node:crypto";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  type StandardMessageStructure,
  type UsageMetadata,
} from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { planTurn } from "./offline-plan.ts";
import type { BoundTool, PlannedTurn } from "./offline-turn.ts";

interface OfflineCallOptions extends BaseChatModelCallOptions {
  /** The tools as they were bound. */
  tools?: BoundTool[];
}

type OfflineCall = PlannedTurn["calls"][number] & { id: string };

/** Length of the pieces that a text is streamed in, in characters. */
const PIECE_LENGTH = 24;

/** No model is asked, so no token is used. */
const NO_USAGE: UsageMetadata = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

/**
 * Creates the model that serves when none is set: it needs no key and no network, proposes the skill whose
 * words fit the request, and runs the blocks that a loaded skill declares, one command a turn.
 *
 * What it says is a pure function of the messages and tools it is shown; it reports zero tokens.
 */
export function createOfflineModel(): BaseChatModel {
  return new OfflineChatModel({});
}

class OfflineChatModel extends BaseChatModel<OfflineCallOptions> {
  static override lc_name(): string {
    return "OfflineChatModel";
  }

  override _llmType(): string {
    return "offline";
  }

  override bindTools(tools: BindToolsInput[], options: Partial<OfflineCallOptions> = {}) {
    return this.withConfig({ ...options, tools: tools.map(toBoundTool) } as Partial<OfflineCallOptions>);
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    options.signal?.throwIfAborted();
    const { text, calls, extras } = answer(messages, options.tools ?? []);
    await runManager?.handleLLMNewToken(text);
    const message = new AIMessage<StandardMessageStructure>({
      content: text,
      additional_kwargs: extras,
      tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: input, type: "tool_call" })),
      response_metadata: toMetadata(calls),
      usage_metadata: NO_USAGE,
    });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, calls, extras } = answer(messages, options.tools ?? []);
    for (const piece of toPieces(text)) {
      options.signal?.throwIfAborted();
      const chunk = new ChatGenerationChunk({ text: piece, message: new AIMessageChunk({ content: piece }) });
      yield chunk;
      await runManager?.handleLLMNewToken(piece, undefined, undefined, undefined, undefined, { chunk });
    }
    options.signal?.throwIfAborted();
    const last = new AIMessageChunk<StandardMessageStructure>({
      content: "",
      additional_kwargs: extras,
      tool_call_chunks: calls.map(({ id, name, input }, index) => {
        return { index, id, name, args: JSON.stringify(input), type: "tool_call_chunk" };
      }),
      response_metadata: toMetadata(calls),
      usage_metadata: NO_USAGE,
    });
    yield new ChatGenerationChunk({ text: "", message: last });
  }
}

interface OfflineAnswer {
  text: string;
  calls: OfflineCall[];
  /** Tells a watcher that the work failed, which no finish reason of a model can. */
  extras: { outcome?: "failed" };
}

function answer(messages: BaseMessage[], tools: BoundTool[]): OfflineAnswer {
  const { text, calls, failed } = planTurn(messages, tools);
  const used = new Set(
    messages
      .flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []))
      .map(({ id }) => id),
  );
  const extras: OfflineAnswer["extras"] = failed ? { outcome: "failed" } : {};
  return { text, extras, calls: calls.map((call) => ({ ...call, id: createCallId(messages, call, used) })) };
}

/** An id that is the same for the same history, and new within it. */
function createCallId(
  messages: BaseMessage[],
  call: PlannedTurn["calls"][number],
  used: Set<string | undefined>,
): string {
  for (let attempt = 0; ; attempt += 1) {
    const content = [messages.length, attempt, call.name, JSON.stringify(call.input)].join("\n");
    const id = `call_${createHash("sha256").update(content).digest("hex").slice(0, 16)}`;
    if (used.has(id)) continue;
    used.add(id);
    return id;
  }
}

function toMetadata(calls: OfflineCall[]): Record<string, unknown> {
  return { finish_reason: calls.length > 0 ? "tool_calls" : "stop", model_name: "offline" };
}

/** Pieces of whole characters: half a surrogate pair must not reach a terminal. */
function toPieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE_LENGTH}}`, "gu")) ?? [];
}

/** Reads a tool in OpenAI's form, a LangChain tool, or any object with a name. */
function toBoundTool(tool: BindToolsInput): BoundTool {
  const outer = toRecord(tool);
  const { name, description } = outer.type === "function" ? toRecord(outer.function) : outer;
  return { name: String(name ?? ""), description: typeof description === "string" ? description : "" };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
