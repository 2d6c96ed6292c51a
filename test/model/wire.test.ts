import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { afterEach, describe, expect, it } from "vitest";
import { createOpenAIModel } from "../../src/model/openai.ts";
import {
  collectIds,
  missingResult,
  pairToolMessages,
  toToolDefinition,
  trimHistory,
} from "../../src/model/wire.ts";
import { type OpenAIServer, startOpenAIServer } from "../support/openai-server.ts";

let server: OpenAIServer;

afterEach(() => server?.close());

const user = (text: string) => new HumanMessage(text);
const asks = (...ids: string[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id) => ({ id, name: "Read", args: { path: id } })) });
const result = (id: string, text = `result ${id}`) => new ToolMessage({ tool_call_id: id, content: text });

/** The history in short: `user`, `ai` with its calls, `tool` with id and content. */
function toShort(messages: BaseMessage[]): string[] {
  return messages.map((message) => {
    if (message instanceof ToolMessage) return `${message.tool_call_id}=${message.content}`;
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []).map((call) => call.id) : [];
    return calls.length > 0 ? `ai(${calls.join()})` : String(message.content);
  });
}

/** Sends the history to a server that refuses what a strict provider refuses. */
async function send(messages: BaseMessage[]): Promise<void> {
  server = await startOpenAIServer([{ text: "fine" }]);
  const model = createOpenAIModel({ model: "m", baseUrl: server.url });
  const bound = model.bindTools?.([toToolDefinition("Read", "reads", {})]) ?? model;
  for await (const _chunk of await bound.stream(messages));
  server.assertDone();
  await server.close();
}

describe("F1: pairToolMessages", () => {
  const missing = (id: string) => `${id}=${missingResult}`;
  const cases: [string, BaseMessage[], string[]][] = [
    ["leaves a good history", [user("hi"), asks("a"), result("a")], ["hi", "ai(a)", "a=result a"]],
    [
      "makes up a missing result",
      [user("hi"), asks("a", "b"), result("a")],
      ["hi", "ai(a,b)", "a=result a", missing("b")],
    ],
    ["makes up all of them", [user("hi"), asks("a", "b")], ["hi", "ai(a,b)", missing("a"), missing("b")]],
    [
      "moves a late result up",
      [user("hi"), asks("a", "b"), result("a"), user("go on"), result("b")],
      ["hi", "ai(a,b)", "a=result a", "b=result b", "go on"],
    ],
    [
      "orders results like their calls",
      [user("hi"), asks("a", "b"), result("b"), result("a")],
      ["hi", "ai(a,b)", "a=result a", "b=result b"],
    ],
    ["drops a result without a call", [result("x"), user("hi"), result("y")], ["hi"]],
    ["drops a result before its call", [user("hi"), result("a"), asks("a")], ["hi", "ai(a)", missing("a")]],
    [
      "drops a second result",
      [user("hi"), asks("a"), result("a"), result("a", "again")],
      ["hi", "ai(a)", "a=result a"],
    ],
    [
      "takes a real result that came after its stand-in",
      [user("hi"), asks("a"), result("a", missingResult), user("go on"), result("a")],
      ["hi", "ai(a)", "a=result a", "go on"],
    ],
  ];

  it.each(cases)("F1: %s", async (_title, messages, wanted) => {
    const before = toShort(messages);
    const paired = pairToolMessages(messages);
    expect(toShort(paired)).toEqual(wanted);
    expect(toShort(messages)).toEqual(before);
    expect(pairToolMessages(paired)).toEqual(paired);
    await send(paired);
  });

  it("F1: keeps apart two requests under one id", async () => {
    const messages = [
      user("hi"),
      asks("a"),
      result("a", "first"),
      asks("a", "a"),
      result("a", "second"),
      result("a", "third"),
    ];
    const paired = pairToolMessages(messages);
    const contents = paired.filter((message) => message.type === "tool").map((message) => message.content);
    expect(contents).toEqual(["first", "second", "third"]);
    expect(collectIds(paired).size).toBe(3);
    expect(toShort(pairToolMessages(messages))).toEqual(toShort(paired));
    await send(paired);
  });

  it("F1: leaves a result to the later of two requests under one id when the first has none", async () => {
    const paired = pairToolMessages([user("hi"), asks("a"), user("again"), asks("a"), result("a")]);
    const contents = paired.filter((message) => message.type === "tool").map((message) => message.content);
    expect(contents).toEqual([missingResult, "result a"]);
    await send(paired);
  });

  it("F1: answers calls that LangChain holds invalid or raw", async () => {
    const invalid = [{ id: "a", name: "Read", args: "{", error: "broken" }];
    const raw = [{ id: "b", type: "function" as const, function: { name: "Read", arguments: "{" } }];
    const paired = pairToolMessages([
      user("hi"),
      new AIMessage({ content: "", invalid_tool_calls: invalid }),
      new AIMessage({ content: "", tool_calls: [], additional_kwargs: { tool_calls: raw } }),
    ]);
    expect(toShort(paired)).toEqual(["hi", "ai(a)", missing("a"), "ai(b)", missing("b")]);
    await send(paired);
  });

  it("F1: gives a call without an id one", async () => {
    const message = new AIMessage({ content: "", tool_calls: [{ name: "Read", args: { path: "x" } }] });
    const paired = pairToolMessages([user("hi"), message]);
    expect((paired[1] as AIMessage).tool_calls?.[0]?.args).toEqual({ path: "x" });
    await send(paired);
  });
});

describe("F2: trimHistory", () => {
  const long = "x".repeat(100);
  const history = [user("first"), asks("a"), result("a", long), new AIMessage("answer"), user("second")];

  it("F2: leaves what fits, and removes the oldest whole turn of what does not", () => {
    expect(trimHistory(history, 1000)).toEqual(history);
    expect(toShort(trimHistory(history, 50))).toEqual(["second"]);
  });

  it("F2: keeps later turns whole", async () => {
    const messages = [...history, asks("b", "c", "d"), result("b"), result("c"), result("d"), user("third")];
    const trimmed = trimHistory(messages, 120);
    expect(toShort(trimmed)).toEqual([
      "second",
      "ai(b,c,d)",
      "b=result b",
      "c=result c",
      "d=result d",
      "third",
    ]);
    await send(trimmed);
  });

  it("F2: never begins with a result and never parts a pair, at any limit", async () => {
    const messages = [...history, asks("b", "c"), result("b"), result("c", long), asks("d"), result("d")];
    for (let limit = 0; limit < 500; limit += 20) {
      const trimmed = trimHistory(messages, limit);
      expect(trimmed[0]?.type).toBe("human");
      expect(toShort(pairToolMessages(trimmed))).toEqual(toShort(trimmed));
    }
    await send(trimHistory(messages, 0));
  });

  it("F2: drops the older steps of a long turn, keeping its request and the last step", () => {
    const messages = [
      user("old"),
      user("do it"),
      asks("a"),
      result("a", long),
      asks("b"),
      result("b", long),
      asks("c"),
      result("c", long),
    ];
    expect(toShort(trimHistory(messages, 130))).toEqual(["do it", "ai(c)", `c=${long}`]);
    expect(toShort(trimHistory(messages, 0))).toEqual(["do it", "ai(c)", `c=${long}`]);
  });

  it("F2: keeps system messages and what it is told to keep", () => {
    const text = user("text of a skill");
    const messages = [new SystemMessage("rules"), user("old"), text, new AIMessage(long), user("new")];
    const trimmed = trimHistory(messages, 0, { keep: (message) => message === text });
    expect(toShort(trimmed)).toEqual(["rules", "text of a skill", "new"]);
    expect(toShort(trimHistory([user("real"), text], 0, { keep: (message) => message === text }))).toEqual([
      "real",
      "text of a skill",
    ]);
  });

  it("F2: drops results that stand first", () => {
    expect(toShort(trimHistory([result("a"), result("b"), user("hi")], 1000))).toEqual(["hi"]);
  });
});

describe("F11: toToolDefinition", () => {
  it("F11: leaves a good name and schema", () => {
    const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    expect(toToolDefinition("Read", "reads", { $schema: "x", ...schema })).toEqual({
      type: "function",
      function: { name: "Read", description: "reads", parameters: schema },
    });
  });

  it("F11: adds what servers want of a schema", () => {
    for (const schema of [{}, { type: "object" }, { type: "object", properties: null }]) {
      expect(toToolDefinition("Read", "", schema).function.parameters).toEqual({
        type: "object",
        properties: {},
      });
    }
  });

  it("F11: cleans names, the same way each time, and keeps them apart", () => {
    const names = ["db.query/run all", "db/query.run all", "x".repeat(70), `${"x".repeat(69)}y`, "", "naïve"];
    const cleaned = names.map((name) => toToolDefinition(name, "", {}).function.name);
    for (const name of cleaned) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(cleaned).size).toBe(names.length);
    expect(cleaned).toEqual(names.map((name) => toToolDefinition(name, "", {}).function.name));
    expect(cleaned[0]).toMatch(/^db_query_run_all_/);
  });
});
