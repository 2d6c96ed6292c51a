import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  type StandardMessageStructure,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { DeltaSnapshot, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import { createSerializer } from "../../src/checkpoint/serializer.ts";

const call = {
  id: "c1",
  name: "Read",
  args: { path: "a.md", deep: [{ b: 1 }] },
  type: "tool_call" as const,
};
const messages: BaseMessage[] = [
  new HumanMessage({ id: "m1", content: "Hello", name: "anna" }),
  new HumanMessage({ content: [{ type: "text", text: 'says "lc": 1' }] }),
  new SystemMessage("rules"),
  new AIMessage<StandardMessageStructure>({
    id: "m2",
    content: "",
    tool_calls: [call],
    invalid_tool_calls: [
      { id: "c2", name: "Edit", args: "{", error: "cut", type: "invalid_tool_call" as const },
    ],
    usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    additional_kwargs: { snake_key: 1, camelKey: [true] },
    response_metadata: { finish_reason: "tool_calls" },
  }),
  new AIMessageChunk({ content: "x", tool_call_chunks: [{ index: 0, id: "c", name: "Read", args: "{}" }] }),
  new ToolMessage({ content: "y", tool_call_id: "c1", name: "Read", status: "error", artifact: { a: 1 } }),
  new ChatMessage({ content: "z", role: "critic" }),
  new RemoveMessage({ id: "m1" }),
];

const values: [string, unknown][] = [
  ...messages.map((message): [string, unknown] => [`a ${message.type} message`, message]),
  ["a list of messages", messages],
  ["a snapshot", new DeltaSnapshot(messages)],
  ["a snapshot of nothing", new DeltaSnapshot([])],
  ["undefined", { a: undefined, b: [undefined] }],
  ["plain values", { a: [1, "x", null, true, { b: {} }] }],
  ["a map of an older thread", { a: new Map([["k", new Set([1])]]) }],
  ["bytes of an older thread", new Uint8Array([1, 2])],
  ["an error of an older thread", new Error("x")],
];

it.each(values)("reads %s as LangGraph does", async (_name, value) => {
  const original = new JsonPlusSerializer();
  const ours = createSerializer();
  const [type, data] = await ours.dumpsTyped(value);
  expect([type, data]).toEqual(await original.dumpsTyped(value));
  const expected: unknown = await original.loadsTyped(type, data);
  const read: unknown = await ours.loadsTyped(type, data);
  expect(read).toEqual(expected);
  expect(await ours.dumpsTyped(read)).toEqual(await original.dumpsTyped(expected));
  expect((read as object).constructor).toBe((expected as object).constructor);
});

it.each([
  { lc: 1, type: "constructor", id: ["foo", "Bar"], kwargs: {} },
  { lc: 1, type: "constructor", id: ["langchain_core", "messages", "constructor"], kwargs: {} },
  { lc: 1, type: "secret", id: ["OPENAI_API_KEY"] },
  { lc: 2, type: "constructor", id: ["Function"], args: [["return 1"]] },
])("E5: %j is left to LangGraph's reader, which makes nothing of it", async (data) => {
  const text = JSON.stringify({ deep: [data] });
  const read = (reader: { loadsTyped: (type: string, data: string) => Promise<unknown> }) =>
    reader.loadsTyped("json", text).then(
      (value: unknown) => ({ value }),
      (error: unknown) => ({ error: String(error) }),
    );
  expect(await read(createSerializer() as never)).toEqual(await read(new JsonPlusSerializer()));
});
