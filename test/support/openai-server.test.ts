import { afterEach, describe, expect, it } from "vitest";
import {
  type OpenAIServer,
  type OpenAIServerOptions,
  type ScriptedTurn,
  startOpenAIServer,
} from "./openai-server.ts";

let server: OpenAIServer;

afterEach(() => server?.close());

async function start(script: ScriptedTurn[], options?: OpenAIServerOptions): Promise<void> {
  server = await startOpenAIServer(script, options);
}

function post(
  body: unknown,
  headers: Record<string, string> = { authorization: "Bearer k" },
): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${server.url}/chat/completions`, { method: "POST", headers, body: text });
}

interface AnswerBody {
  choices: { message: { content: string }; finish_reason: string }[];
  data: { id: string }[];
  error: { message: string };
}

async function readBody(response: Response | Promise<Response>): Promise<AnswerBody> {
  return (await (await response).json()) as AnswerBody;
}

function readEvents(text: string): string[] {
  return text.split("\n\n").flatMap((event) => (event.startsWith("data: ") ? [event.slice(6)] : []));
}

const tools = [
  { type: "function", function: { name: "Read", parameters: { type: "object", properties: {} } } },
];
const user = { role: "user", content: "hi" };
const call = { id: "call_1", type: "function", function: { name: "Read", arguments: '{"path":"a"}' } };
const asks = { role: "assistant", content: null, tool_calls: [call] };
const result = { role: "tool", tool_call_id: "call_1", content: "text" };
const good = { model: "m", messages: [user, asks, result], tools };

describe("the scripted server", () => {
  it("streams the role first, then text, calls by index, the finish reason, usage and [DONE]", async () => {
    await start([{ text: "one two", calls: [{ name: "Read", arguments: { path: "a" } }] }]);
    const answer = await post({
      model: "m",
      messages: [user],
      stream: true,
      stream_options: { include_usage: true },
    });
    const events = readEvents(await answer.text());
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
    expect(chunks[0].choices[0].delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("one two");
    const pieces = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(pieces[0]).toMatchObject({
      index: 0,
      id: "call_1_1",
      type: "function",
      function: { name: "Read" },
    });
    expect(pieces.map((piece) => piece.function.arguments).join("")).toBe('{"path":"a"}');
    expect(chunks.at(-2).choices[0].finish_reason).toBe("tool_calls");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    server.assertDone();
  });

  it("sends no usage unless it was asked for", async () => {
    await start([{ text: "one" }]);
    expect(await (await post({ model: "m", messages: [user], stream: true })).text()).not.toContain("usage");
  });

  it("answers without a stream in one body", async () => {
    await start([{ text: "one" }]);
    const body = await readBody(post({ model: "m", messages: [user] }));
    expect(body.choices[0]).toMatchObject({
      message: { role: "assistant", content: "one" },
      finish_reason: "stop",
    });
  });

  it("lists its models", async () => {
    await start([], { models: ["a", "b"] });
    const body = await readBody(fetch(`${server.url}/models`));
    expect(body.data.map((model) => model.id)).toEqual(["a", "b"]);
  });

  it("keeps the requests with their sizes and headers", async () => {
    await start([{ text: "one" }]);
    await post({ model: "m", messages: [{ role: "user", content: "é" }] });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.bytes).toBe(57);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer k");
  });

  it("fails by the script, with headers", async () => {
    await start([{ status: 429, error: "slow down", headers: { "retry-after": "2" } }]);
    const answer = await post({ model: "m", messages: [user] });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "2"]);
    expect((await readBody(answer)).error.message).toBe("slow down");
    server.assertDone();
  });

  it("sends raw bodies and raw events as they are", async () => {
    await start([{ raw: { odd: true } }, { chunks: [{ odd: 1 }, "data: text\n\n"] }]);
    expect(await (await post({ model: "m", messages: [user], stream: true })).json()).toEqual({ odd: true });
    const events = readEvents(await (await post({ model: "m", messages: [user], stream: true })).text());
    expect(events).toEqual(['{"odd":1}', "text", "[DONE]"]);
  });

  it("drops the connection in the middle of a stream", async () => {
    await start([{ text: "one two three", cut: 2 }]);
    const answer = await post({ model: "m", messages: [user], stream: true });
    await expect(answer.text()).rejects.toThrow();
  });

  it("takes turns that are functions of the request", async () => {
    await start([async (request) => ({ text: `model ${request.body.model}` })]);
    const body = await readBody(post({ model: "m", messages: [user] }));
    expect(body.choices[0]?.message.content).toBe("model m");
  });

  it("closes while an answer is being delayed", async () => {
    await start([{ text: "late", delayMs: 60_000 }]);
    const pending = post({ model: "m", messages: [user] });
    pending.catch(() => undefined);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.close();
    await expect(pending).rejects.toThrow();
    expect(() => server.assertDone()).not.toThrow();
  });
});

describe("assertDone", () => {
  it("throws while turns are left", async () => {
    await start([{ text: "one" }, { text: "two" }]);
    await post({ model: "m", messages: [user] });
    expect(server.left).toBe(1);
    expect(() => server.assertDone()).toThrow("1 of 2 turns were not used.");
  });

  it("throws when a request came after the last turn, which gets 500", async () => {
    await start([]);
    expect((await post({ model: "m", messages: [user] })).status).toBe(500);
    expect(() => server.assertDone()).toThrow("The script of 0 turns is used up");
  });

  it("throws what an expectation threw", async () => {
    await start([{ expect: (request) => expect(request.body.model).toBe("other") }]);
    expect((await post({ model: "m", messages: [user] })).status).toBe(500);
    expect(() => server.assertDone()).toThrow("Turn 1: AssertionError");
  });

  it("throws when a request was refused, and not when refusals are allowed", async () => {
    await start([{ text: "one" }]);
    expect((await post({ model: "m", messages: [] })).status).toBe(400);
    expect(server.left).toBe(1);
    await post({ model: "m", messages: [user] });
    expect(() => server.assertDone()).toThrow("A request was refused: Invalid 'messages': empty array.");
    await server.close();
    await start([], { allowRefusals: true });
    await post({ model: "m", messages: [] });
    expect(() => server.assertDone()).not.toThrow();
  });
});

describe("refusals", () => {
  it("refuse over HTTP in OpenAI's shape", async () => {
    await start([], { allowRefusals: true });
    const answer = await post({ model: "m", messages: [user, asks], tools });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      error: {
        message: expect.stringContaining("did not have response messages: call_1"),
        type: "invalid_request_error",
        param: "messages.[2].role",
        code: null,
      },
    });
    expect(server.requests[0]?.refused).toContain("call_1");
  });

  it("refuse a request without a key, with another key, and a body that is not JSON", async () => {
    await start([], { allowRefusals: true, apiKey: "right" });
    expect((await post(good, {})).status).toBe(401);
    expect((await post(good, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await post("{", { authorization: "Bearer right" })).status).toBe(400);
  });
});
