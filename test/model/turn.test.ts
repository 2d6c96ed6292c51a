import { HumanMessage } from "@langchain/core/messages";
import { afterEach, describe, expect, it } from "vitest";
import { collectTurn } from "../../src/model/collect.ts";
import { createOpenAIModel } from "../../src/model/openai.ts";
import { type Turn as ModelTurn, readTurn } from "../../src/model/turn.ts";
import { pairToolMessages, toToolDefinition } from "../../src/model/wire.ts";
import { type OpenAIServer, startOpenAIServer, type Turn } from "../support/openai-server.ts";

let server: OpenAIServer;

afterEach(() => server?.close());

async function ask(turn: Turn): Promise<ModelTurn> {
  server = await startOpenAIServer([turn]);
  const answer = await collectTurn(createModel(), [new HumanMessage("hi")], {});
  server.assertDone();
  return answer;
}

function createModel() {
  return createOpenAIModel({ model: "m", baseUrl: server.url, maxRetries: 0 });
}

const call = (text: string): Turn => ({ calls: [{ id: "a", name: "Write", arguments: text }] });

describe("F5: arguments that are not a JSON object", () => {
  const broken: [string, string, string][] = [
    ["half a path", '{"path": "C:\\x', "are not valid JSON"],
    ["a bad escape", '{"path": "C:\\x"}', "are not valid JSON"],
    ["null", "null", "are null, not a JSON object"],
    ["a list", "[1]", "are a list, not a JSON object"],
    ["a text", '"text"', "are a string, not a JSON object"],
    ["a number", "7", "are a number, not a JSON object"],
    ["two objects", '{"a":1}{"b":2}', "are not valid JSON"],
    ["a trailing comma", '{"a":1,}', "are not valid JSON"],
    ["a missing brace", '{"a":1', "are not valid JSON"],
  ];

  it.each(broken)("F5: %s gives a fault that shows them", async (_title, text, problem) => {
    const fault = expect.stringContaining(`The arguments of this call of Write ${problem}`);
    const turn = await ask(call(text));
    expect(turn.calls).toEqual([{ id: "a", name: "Write", input: {}, fault }]);
    expect(turn.calls[0]?.fault).toContain(`Received: ${text}`);
    expect(turn.message.tool_calls).toEqual([{ type: "tool_call", id: "a", name: "Write", args: {} }]);
    expect(turn.message.invalid_tool_calls).toEqual([]);
    expect(turn.message.additional_kwargs).toEqual({});
  });

  it("F5: half a path gives the same fault without a stream", async () => {
    server = await startOpenAIServer([call('{"path": "C:\\x')]);
    const whole = await createModel().invoke([new HumanMessage("hi")]);
    const fault = expect.stringContaining("are not valid JSON");
    expect(readTurn(whole, new Set()).calls).toEqual([{ id: "a", name: "Write", input: {}, fault }]);
  });

  it.each(["", "  ", "{}"])("F5: %j is an empty object", async (text) => {
    expect((await ask(call(text))).calls).toEqual([{ id: "a", name: "Write", input: {} }]);
  });

  it("F5: an object instead of a text is taken as it is, streamed and whole", async () => {
    const calls = [
      { index: 0, id: "a", type: "function", function: { name: "Write", arguments: { path: "x" } } },
    ];
    const wanted = [{ id: "a", name: "Write", input: { path: "x" } }];
    const streamed = { choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: "tool_calls" }] };
    expect((await ask({ chunks: [streamed] })).calls).toEqual(wanted);
    await server.close();

    const message = { role: "assistant", content: null, tool_calls: calls };
    server = await startOpenAIServer([
      { raw: { choices: [{ index: 0, message, finish_reason: "tool_calls" }] } },
    ]);
    const whole = await createModel().invoke([new HumanMessage("hi")]);
    expect(readTurn(whole, new Set()).calls).toEqual(wanted);
  });

  it("F5: the preview of long arguments is bounded", async () => {
    const turn = await ask(call(`{"text": "${"x".repeat(5000)}`));
    expect(turn.calls[0]?.fault?.length).toBeLessThan(500);
    expect(turn.calls[0]?.fault).toContain("(5010 characters)");
  });

  it("F5: a good call beside a broken one keeps its input and its place", async () => {
    const calls = [
      { id: "a", name: "Write", arguments: "{" },
      { id: "b", name: "Read", arguments: { path: "x" } },
    ];
    const turn = await ask({ calls });
    expect(turn.calls.map((made) => [made.id, made.fault === undefined])).toEqual([
      ["a", false],
      ["b", true],
    ]);
  });

  it("F5: a strict server takes the broken turn and its result back", async () => {
    server = await startOpenAIServer([call("{"), { text: "sorry" }]);
    const model = createModel();
    const bound = model.bindTools?.([toToolDefinition("Write", "writes", {})]) ?? model;
    const history = [new HumanMessage("hi")];
    const { message } = await collectTurn(bound, history, {});
    await collectTurn(bound, pairToolMessages([...history, message]), {});
    server.assertDone();
  });
});

describe("F6: a cut answer", () => {
  const start = { index: 0, id: "a", function: { name: "Write", arguments: '{"path":"x","content":"half' } };
  const cutStream = (finish: string | null): Turn => ({
    chunks: [
      { choices: [{ index: 0, delta: { role: "assistant", tool_calls: [start] }, finish_reason: null }] },
      ...(finish === null ? [] : [{ choices: [{ index: 0, delta: {}, finish_reason: finish }] }]),
    ],
  });

  it.each(["length", "content_filter", "max_tokens", null])(
    "F6: by %s is cut and runs nothing",
    async (finish) => {
      const turn = await ask(cutStream(finish));
      expect(turn.cut).toBe(true);
      expect(turn.calls).toMatchObject([{ input: {}, fault: expect.stringContaining("was cut off") }]);
      expect(turn.calls[0]?.fault).toContain("was not executed");
      expect(turn.message.tool_calls?.[0]?.args).toEqual({});
    },
  );

  it("F6: whose arguments happen to be complete runs nothing either", async () => {
    const turn = await ask({ ...call('{"path":"x"}'), finish: "length" });
    expect(turn.calls).toMatchObject([
      { input: {}, fault: expect.stringContaining('finish reason "length"') },
    ]);
  });

  it("F6: that a router ends with tool_calls has broken arguments", async () => {
    const turn = await ask(cutStream("tool_calls"));
    expect(turn.calls).toMatchObject([{ input: {}, fault: expect.stringContaining("are not valid JSON") }]);
  });

  it("F6: without a stream is cut as well", async () => {
    server = await startOpenAIServer([{ ...call('{"path":"x"}'), finish: "length" }]);
    const turn = readTurn(await createModel().invoke([new HumanMessage("hi")]), new Set());
    expect([turn.cut, turn.calls[0]?.input]).toEqual([true, {}]);
  });

  it("F6: of text only is cut", async () => {
    expect((await ask({ text: "half an", finish: "length" })).cut).toBe(true);
  });

  it("F6: by a dropped connection fails the call", async () => {
    await expect(ask({ ...call('{"path":"x"}'), cut: 2 })).rejects.toMatchObject({
      code: "model-failed",
      message: expect.stringContaining("broke off"),
    });
  });
});

describe("ids and names", () => {
  const ids: [string, string | undefined][] = [
    ["empty", ""],
    ["used before", "used"],
    ["too long", "x".repeat(65)],
    ["not of plain letters", "call:1/ä"],
  ];
  it.each(ids)("an id that is %s is replaced", async (_title, id) => {
    server = await startOpenAIServer([{ calls: [{ id: id ?? "", name: "Read", arguments: {} }] }]);
    const turn = await collectTurn(
      createModel(),
      [new HumanMessage("hi")],
      {},
      { usedIds: new Set(["used"]) },
    );
    expect(turn.calls[0]?.id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(turn.message.tool_calls?.[0]?.id).toBe(turn.calls[0]?.id);
  });

  it("two calls under one id get two", async () => {
    const made = { id: "a", name: "Read", arguments: { path: "x" } };
    const turn = await ask({ calls: [made, { ...made, arguments: { path: "y" } }] });
    expect(turn.calls.map((entry) => entry.input)).toEqual([{ path: "x" }, { path: "y" }]);
    expect(new Set(turn.calls.map((entry) => entry.id)).size).toBe(2);
  });

  it("a call without a name has a fault and a name that servers take", async () => {
    const turn = await ask({ calls: [{ name: "", arguments: {} }] });
    expect(turn.calls).toMatchObject([{ name: "unnamed", fault: expect.stringContaining("names no tool") }]);
  });
});
