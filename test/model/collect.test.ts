import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { afterEach, describe, expect, it } from "vitest";
import { collectTurn } from "../../src/model/collect.ts";
import { createOpenAIModel } from "../../src/model/openai.ts";
import type { Turn as ModelTurn } from "../../src/model/turn.ts";
import { type OpenAIServer, startOpenAIServer, type Turn } from "../support/openai-server.ts";

let server: OpenAIServer;

afterEach(() => server?.close());

async function ask(turn: Turn, usedIds?: Set<string>): Promise<ModelTurn & { deltas: string[] }> {
  server = await startOpenAIServer([turn]);
  const deltas: string[] = [];
  const model = createOpenAIModel({ model: "m", baseUrl: server.url, maxRetries: 0 });
  const options = { onText: (delta: string) => deltas.push(delta), ...(usedIds ? { usedIds } : {}) };
  const answer = await collectTurn(model, [new HumanMessage("hi")], {}, options);
  server.assertDone();
  return { ...answer, deltas };
}

/** Events of a stream from bare deltas; the last one carries the finish reason. */
function toEvents(deltas: unknown[], finish: string | null = "tool_calls"): object[] {
  const toEvent = (delta: unknown, reason: string | null) => ({
    id: "chatcmpl-1",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return [...deltas.map((delta) => toEvent(delta, null)), ...(finish === null ? [] : [toEvent({}, finish)])];
}

function piece(part: { index?: unknown; id?: unknown; name?: unknown; text?: unknown }): object {
  const { name, text, ...rest } = part;
  return {
    ...rest,
    function: { ...(name === undefined ? {} : { name }), ...(text === undefined ? {} : { arguments: text }) },
  };
}

describe("a good answer", () => {
  it("streams its text and reports usage, finish reason and id", async () => {
    const turn = await ask({ text: "one two three" });
    expect(turn.deltas).toEqual(["one ", "two ", "three"]);
    expect(turn.message).toMatchObject({
      content: "one two three",
      id: "chatcmpl-1",
      usage_metadata: { total_tokens: expect.any(Number) },
      response_metadata: { finish_reason: "stop", model_name: "m" },
    });
    expect([turn.cut, turn.calls]).toEqual([false, []]);
    expect(turn.message).not.toBeInstanceOf(AIMessageChunk);
  });

  it("hands over its calls in order", async () => {
    const calls = [
      { id: "a", name: "Read", arguments: { path: "x" } },
      { id: "b", name: "Grep", arguments: { pattern: "y" } },
    ];
    const turn = await ask({ text: "looking", calls });
    expect(turn.calls).toEqual([
      { id: "a", name: "Read", input: { path: "x" } },
      { id: "b", name: "Grep", input: { pattern: "y" } },
    ]);
    expect(turn.message.tool_calls?.map((call) => call.args)).toEqual([{ path: "x" }, { pattern: "y" }]);
  });
});

describe("odd streams", () => {
  it("keep the finish reason of an event without a delta", async () => {
    const last = { id: "c", choices: [{ index: 0, finish_reason: "stop" }] };
    const turn = await ask({ chunks: [...toEvents([{ content: "one" }], null), last] });
    expect([turn.cut, turn.message.content]).toEqual([false, "one"]);
  });

  it("keep the finish reason that is sent twice", async () => {
    const turn = await ask({ chunks: [...toEvents([{ content: "one" }], "stop"), ...toEvents([], "stop")] });
    expect([turn.cut, turn.message.response_metadata.finish_reason]).toEqual([false, "stop"]);
  });

  it("keep calls that come in a message instead of a delta", async () => {
    const message = {
      role: "assistant",
      tool_calls: [piece({ index: 0, id: "a", name: "Read", text: "{}" })],
    };
    const turn = await ask({
      chunks: [{ id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] }],
    });
    expect(turn.calls).toEqual([{ id: "a", name: "Read", input: {} }]);
  });

  it("keep text that comes as a list of parts", async () => {
    const turn = await ask({ chunks: toEvents([{ content: [{ type: "text", text: "one" }] }], "stop") });
    expect([turn.deltas, turn.message.content]).toEqual([["one"], "one"]);
  });

  it("drop the reasoning that servers add", async () => {
    const turn = await ask({ chunks: toEvents([{ reasoning_content: "hm" }, { content: "one" }], "stop") });
    expect(turn.message.content).toBe("one");
    expect(turn.message.additional_kwargs).toEqual({});
  });

  it("lose a message id that the history already has", async () => {
    const turn = await ask({ text: "one" }, new Set(["chatcmpl-1"]));
    expect(turn.message.id).toBeUndefined();
  });
});

describe("other LangChain models", () => {
  const history = [new HumanMessage("hi")];

  it("are read when they answer in one piece", async () => {
    const message = new AIMessage({
      content: "one",
      tool_calls: [{ id: "a", name: "Read", args: { path: "x" } }],
    });
    const deltas: string[] = [];
    const turn = await collectTurn(
      fakeModel().respond(message),
      history,
      {},
      { onText: (delta) => deltas.push(delta) },
    );
    expect(turn.calls).toEqual([{ id: "a", name: "Read", input: { path: "x" } }]);
    expect([turn.message.content, turn.cut, deltas]).toEqual(["one", false, ["one"]]);
  });

  it("are read when they stream without a finish reason", async () => {
    const turn = await collectTurn(new FakeListChatModel({ responses: ["one two"] }), history, {});
    expect([turn.message.content, turn.cut]).toEqual(["one two", false]);
  });

  it("fail with one line", async () => {
    const model = fakeModel().respond(new Error("no\n  luck"));
    await expect(collectTurn(model, history, {})).rejects.toMatchObject({
      code: "model-failed",
      message: "The call of the model failed: no luck",
    });
  });
});
