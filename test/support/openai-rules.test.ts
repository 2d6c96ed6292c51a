import { describe, expect, it } from "vitest";
import { findRefusal } from "./openai-rules.ts";

const tools = [
  { type: "function", function: { name: "Read", parameters: { type: "object", properties: {} } } },
];
const user = { role: "user", content: "hi" };
const call = { id: "call_1", type: "function", function: { name: "Read", arguments: '{"path":"a"}' } };
const asks = { role: "assistant", content: null, tool_calls: [call] };
const result = { role: "tool", tool_call_id: "call_1", content: "text" };
const good = { model: "m", messages: [user, asks, result], tools };

describe("the rules", () => {
  it("accept a well formed history", () => {
    expect(findRefusal(good)).toBeUndefined();
    expect(findRefusal({ model: "m", messages: [{ role: "assistant", content: "" }, user] })).toBeUndefined();
  });

  const withCall = (change: object) => ({
    ...good,
    messages: [user, { ...asks, tool_calls: [{ ...call, ...change }] }, result],
  });
  const withTool = (change: object) => ({ ...good, tools: [{ ...tools[0], ...change }] });
  const named = (name: unknown, parameters: unknown = { type: "object", properties: {} }) =>
    withTool({ function: { name, parameters } });
  const broken: [string, unknown, string][] = [
    ["a missing model", { messages: [user] }, "you must provide a model parameter"],
    ["missing messages", { model: "m" }, "Missing required parameter: 'messages'"],
    ["an empty list of messages", { model: "m", messages: [] }, "Invalid 'messages': empty array"],
    [
      "an unknown role",
      { model: "m", messages: [{ role: "robot", content: "x" }] },
      "Invalid value: 'robot'",
    ],
    [
      "an unanswered call",
      { ...good, messages: [user, asks, user] },
      "did not have response messages: call_1",
    ],
    [
      "a result without its call",
      { ...good, messages: [user, result] },
      "must be a response to a preceeding message",
    ],
    [
      "a second result",
      { ...good, messages: [...good.messages, result] },
      "must be a response to a preceeding message",
    ],
    ["a late result", { ...good, messages: [user, asks, user, result] }, "did not have response messages"],
    [
      "a result without an id",
      { ...good, messages: [user, asks, { role: "tool", content: "" }] },
      "tool_call_id'",
    ],
    ["a call without a type", withCall({ type: undefined }), "messages[1].tool_calls[0].type"],
    ["a call without an id", withCall({ id: "" }), "messages[1].tool_calls[0].id"],
    ["a call without a function", withCall({ function: undefined, name: "Read" }), "tool_calls[0].function'"],
    [
      "arguments that are an object",
      withCall({ function: { name: "Read", arguments: {} } }),
      "the text of a JSON object",
    ],
    [
      "arguments that are broken",
      withCall({ function: { name: "Read", arguments: "{" } }),
      "the text of a JSON object",
    ],
    [
      "arguments that are a list",
      withCall({ function: { name: "Read", arguments: "[1]" } }),
      "the text of a JSON object",
    ],
    [
      "a called name with a dot",
      withCall({ function: { name: "a.b", arguments: "{}" } }),
      "does not match pattern",
    ],
    ["an empty list of calls", { ...good, messages: [user, { ...asks, tool_calls: [] }] }, "empty array"],
    [
      "a repeated id",
      { ...good, messages: [...good.messages, asks, result] },
      "Duplicate value for 'tool_call_id'",
    ],
    ["history with calls but no tools", { ...good, tools: undefined }, "'tools' must be set"],
    [
      "an assistant turn without anything",
      { model: "m", messages: [{ role: "assistant", content: null }] },
      "got null",
    ],
    ["a person's message without content", { model: "m", messages: [{ role: "user" }] }, "got undefined"],
    [
      "a tool name with a slash",
      named("db/query"),
      "Invalid 'tools[0].function.name': string does not match",
    ],
    ["a tool name of 65 characters", named("a".repeat(65)), "does not match pattern"],
    ["a tool of no type", withTool({ type: undefined }), "tools[0].type"],
    ["a schema that is no object", named("Read", { type: "string" }), "Invalid schema for function 'Read'"],
    ["a schema without properties", named("Read", { type: "object" }), "object schema missing properties"],
    ["two tools of one name", { ...good, tools: [...tools, ...tools] }, "'Read' is given twice"],
    ["an empty list of tools", { ...good, tools: [] }, "Invalid 'tools': empty array"],
  ];
  it.each(broken)("refuse %s", (_title, body, message) => {
    expect(findRefusal(body)).toMatchObject({ status: 400, type: "invalid_request_error" });
    expect(findRefusal(body)?.message).toContain(message);
  });

  it("refuse an unknown model with 404", () => {
    expect(findRefusal(good, { models: ["n"] })).toMatchObject({ status: 404, code: "model_not_found" });
    expect(findRefusal(good, { models: ["m"] })).toBeUndefined();
  });

  it("hold each wish for the content of a turn that only calls tools", () => {
    const wishes = ["null", "string", "key"] as const;
    const passes = (content: object) =>
      wishes.filter((toolTurnContent) => {
        const { content: _content, ...bare } = asks;
        const messages = [user, { ...bare, ...content }, result];
        return findRefusal({ ...good, messages }, { toolTurnContent }) === undefined;
      });
    expect(passes({ content: null })).toEqual(["null", "key"]);
    expect(passes({ content: "" })).toEqual(["string", "key"]);
    expect(passes({})).toEqual(["null"]);
    expect(passes({ content: "words" })).toEqual(["null", "string", "key"]);
  });
});
