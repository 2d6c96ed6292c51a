import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { isRecord } from "../skills/record.ts";
import { readRawCalls } from "./calls.ts";
import { createCallId, toToolName } from "./names.ts";
import { readTurn } from "./turn.ts";

/** What stands in for a result that never came. */
export const missingResult = "No result: the call was not carried out.";

/** A tool as chat-completions servers want it. */
export interface ToolDefinition {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** Options of {@link trimHistory}. */
export interface TrimOptions {
  /** Messages that stay whatever happens, such as the text of a loaded skill; not counted as a person's. */
  keep?: (message: BaseMessage) => boolean;
}

/**
 * Gives every tool call exactly one result, right after its request and in the order of the calls: late
 * results move up, missing ones are made up, orphans and doubles are dropped. Strict servers refuse a history
 * that breaks this, for ever. The given messages are not changed.
 */
export function pairToolMessages(messages: readonly BaseMessage[]): BaseMessage[] {
  const results = findPlaces(messages, (message) =>
    ToolMessage.isInstance(message) ? [message.tool_call_id] : [],
  );
  const requests = findPlaces(messages, toCallIds);
  const used = new Set<number>();

  const takeResult = (id: string, request: number): ToolMessage | undefined => {
    // A later request under the same id has its own results.
    const next = requests.get(id)?.find((place) => place > request) ?? messages.length;
    const places = (results.get(id) ?? []).filter(
      (place) => place > request && place < next && !used.has(place),
    );
    // A real result that came late is worth more than the stand-in written before it.
    const best = places.find((place) => messages[place]?.content !== missingResult) ?? places[0];
    if (best === undefined) return undefined;
    used.add(best);
    return messages[best] as ToolMessage;
  };

  const ids = new Set<string>();
  return messages.flatMap((message, place): BaseMessage[] => {
    if (ToolMessage.isInstance(message)) return [];
    if (!AIMessage.isInstance(message)) return [message];
    const request = toPairable(message);
    const asked = request.tool_calls ?? [];
    if (asked.length === 0) return [request];
    const pairs = asked.map((call) => {
      const wanted = call.id ?? "";
      const id = ids.has(wanted) ? createCallId(ids, wanted) : wanted;
      ids.add(id);
      return { call: { ...call, id }, result: toResult(takeResult(wanted, place), id, call.name) };
    });
    const renamed = pairs.some(({ call }, index) => call.id !== asked[index]?.id);
    const calls = pairs.map(({ call }) => call);
    return [renamed ? copyWithCalls(request, calls) : request, ...pairs.map(({ result }) => result)];
  });
}

/**
 * Removes the oldest whole turns until the history fits: first older requests of a person with all that
 * followed, then older steps of the current one. A call and its results stay or go together, the last
 * message of a person and the last step always stay, and so do leading system messages.
 *
 * @param maxCharacters Characters of content and call arguments; the result may be longer when only what
 *   must stay is left.
 */
export function trimHistory(
  messages: readonly BaseMessage[],
  maxCharacters: number,
  options: TrimOptions = {},
): BaseMessage[] {
  const isKept = (message: BaseMessage) => message.type === "system" || (options.keep?.(message) ?? false);
  const blocks = toBlocks(messages);
  const isPerson = (block: BaseMessage[]) => block[0]?.type === "human" && !isKept(block[0]);
  const lastPerson = blocks.findLastIndex(isPerson);

  let size = messages.reduce((sum, message) => sum + countCharacters(message), 0);
  const gone = new Set<number>();
  const remove = (index: number) => {
    if (gone.has(index) || blocks[index]?.some(isKept)) return;
    gone.add(index);
    size -= (blocks[index] ?? []).reduce((sum, message) => sum + countCharacters(message), 0);
  };

  for (let index = 0; index < lastPerson && size > maxCharacters; ) {
    do remove(index++);
    while (index < lastPerson && !isPerson(blocks[index] ?? []));
  }
  for (let index = lastPerson + 1; index < blocks.length - 1 && size > maxCharacters; index += 1)
    remove(index);
  return blocks.filter((_block, index) => !gone.has(index)).flat();
}

/** Every id that a new answer must not repeat: of the messages and of their calls. */
export function collectIds(messages: readonly BaseMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.id !== undefined) ids.add(message.id);
    if (AIMessage.isInstance(message)) for (const call of message.tool_calls ?? []) ids.add(call.id ?? "");
  }
  return ids;
}

/** Describes a tool to the model; servers refuse schemas that are not objects with `properties`. */
export function toToolDefinition(
  name: string,
  description: string,
  jsonSchema: Record<string, unknown>,
): ToolDefinition {
  const { $schema: _dialect, ...schema } = jsonSchema;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const parameters = { ...schema, type: "object", properties };
  return { type: "function", function: { name: toToolName(name), description, parameters } };
}

// A block is a message with the results that follow it. Results that follow nothing are left out.
function toBlocks(messages: readonly BaseMessage[]): BaseMessage[][] {
  const blocks: BaseMessage[][] = [];
  for (const message of messages) {
    const block = blocks.at(-1);
    if (message.type !== "tool") blocks.push([message]);
    else if (block?.[0]?.type === "ai") block.push(message);
  }
  return blocks;
}

// LangChain sends the raw calls of a message whose parsed list is empty, and drops the invalid of a mixed one.
function toPairable(message: AIMessage): AIMessage {
  const plain = (message.tool_calls ?? []).length === readRawCalls(message).length;
  const named = (message.tool_calls ?? []).every((call) => call.id);
  return plain && named ? message : readTurn(message, new Set()).message;
}

function findPlaces(
  messages: readonly BaseMessage[],
  toIds: (message: BaseMessage) => string[],
): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, message] of messages.entries()) {
    for (const id of toIds(message)) places.set(id, [...(places.get(id) ?? []), index]);
  }
  return places;
}

function toCallIds(message: BaseMessage): string[] {
  return AIMessage.isInstance(message) ? (message.tool_calls ?? []).map((call) => call.id ?? "") : [];
}

function toResult(result: ToolMessage | undefined, id: string, name: string): ToolMessage {
  if (result?.tool_call_id === id) return result;
  if (result === undefined) {
    return new ToolMessage({ tool_call_id: id, name, content: missingResult, status: "error" });
  }
  const { content, status } = result;
  return new ToolMessage({ tool_call_id: id, name, content, ...(status !== undefined ? { status } : {}) });
}

function copyWithCalls(message: AIMessage, calls: AIMessage["tool_calls"] & object): AIMessage {
  const { content, id, additional_kwargs, response_metadata } = message;
  return new AIMessage({
    content,
    additional_kwargs,
    response_metadata,
    tool_calls: calls,
    ...(id !== undefined ? { id } : {}),
  });
}

function countCharacters(message: BaseMessage): number {
  const { content } = message;
  const text = typeof content === "string" ? content.length : JSON.stringify(content).length;
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return text + calls.reduce((sum, call) => sum + call.name.length + JSON.stringify(call.args).length, 0);
}
