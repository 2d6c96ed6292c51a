import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { Overwrite, Send } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { assertPlain } from "../../src/checkpoint/plain.ts";

class Visit {
  at = "noon";
}

class OddMessage extends HumanMessage {
  static override lc_name() {
    return "OddMessage";
  }
}

const cyclic: { self?: unknown } = {};
cyclic.self = [cyclic];

const gap: unknown[] = [1];
gap[2] = 3;

function nest(levels: number): unknown {
  return levels === 0 ? "bottom" : { down: nest(levels - 1) };
}

describe("what is no plain JSON is refused by its place", () => {
  it.each<[string, unknown, string, string]>([
    ["a BigInt", { n: 1n }, "calls.n", "a bigint"],
    ["a Date", [{ input: { when: new Date(0) } }], "calls[0].input.when", "a Date"],
    ["a Map", { map: new Map() }, "calls.map", "a Map"],
    ["a Set", [new Set()], "calls[0]", "a Set"],
    ["an URL", { to: new URL("http://127.0.0.1") }, "calls.to", "a URL"],
    ["bytes", { data: new Uint8Array(1) }, "calls.data", "a Uint8Array"],
    ["an error", { reason: new TypeError("x") }, "calls.reason", "a TypeError"],
    ["an instance", { visit: new Visit() }, "calls.visit", "a Visit"],
    ["NaN", { n: [0, Number.NaN] }, "calls.n[1]", "NaN"],
    ["infinity", { n: Number.NEGATIVE_INFINITY }, "calls.n", "-Infinity"],
    ["undefined in a list", [1, undefined], "calls[1]", "undefined"],
    ["a gap in a list", gap, "calls[1]", "undefined"],
    ["a function", { run: () => 1 }, "calls.run", "a function"],
    ["a symbol", { key: Symbol("x") }, "calls.key", "a symbol"],
    ["a cycle", cyclic, "calls.self[0]", "an object that holds itself"],
    ["a toJSON of its own", { a: { toJSON: () => 1 } }, "calls.a", "an object with a toJSON of its own"],
    ["an envelope of LangChain", { "a b": { lc: 1 } }, 'calls["a b"]', 'an object with the key "lc"'],
    ["too many levels", { a: nest(60) }, `calls.a${".down".repeat(45)}`, "nested more than 45 levels deep"],
    ["a message of an unknown class", [new OddMessage("x")], "calls[0]", "a OddMessage"],
  ])("%s", (_name, value, path, found) => {
    const refused = expect.objectContaining({
      code: "state-not-plain",
      message: expect.stringContaining(`"${path}" cannot be kept: it is ${found}`),
    });
    expect(() => assertPlain("calls", value)).toThrow(refused);
  });

  it("within a message, and the input is named by its own fields", () => {
    const message = new HumanMessage({ content: "x", additional_kwargs: { at: new Date(0) } });
    const words = /^"messages\[0\]\.additional_kwargs\.at" cannot be kept: it is a Date\./;
    expect(() => assertPlain("__start__", { messages: [message] })).toThrow(words);
    const args = { when: 1n as unknown as number };
    const call = new AIMessage({ content: "", tool_calls: [{ id: "c", name: "Read", args }] });
    expect(() => assertPlain("messages", [call])).toThrow(/^"messages\[0\]\.tool_calls\[0\]\.args\.when" /);
  });

  it("within what LangGraph sends and replaces", () => {
    expect(() => assertPlain("__pregel_tasks", new Send("act", { at: new Date(0) }))).toThrow(/args\.at" /);
    expect(() => assertPlain("texts", new Overwrite({ at: new Map() }))).toThrow(/\.at" cannot/);
  });
});

it.each<[string, unknown]>([
  ["text that is no character", "a\0b \ud800"],
  ["a field that is not set", { a: undefined, b: null }],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
  ["a key that means something elsewhere", JSON.parse('{"__proto__":{"a":1},"constructor":1,"toJSON":1}')],
  ["messages", [new HumanMessage("x"), new ToolMessage({ content: "y", tool_call_id: "c" })]],
  ["a message to remove", new RemoveMessage({ id: "m" })],
  ["45 levels", nest(45)],
  ["a snapshot, whose parts were looked at when they were written", new DeltaSnapshot([new Date(0)])],
  ["a task to send", new Send("act", { a: 1 })],
])("%s is plain", (_name, value) => {
  expect(() => assertPlain("a", value)).not.toThrow();
});

it("one object may stand in two places", () => {
  const shared = { x: [1] };
  expect(() => assertPlain("a", { left: shared, right: [shared, shared] })).not.toThrow();
});
