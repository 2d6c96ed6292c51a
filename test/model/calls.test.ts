import { HumanMessage } from "@langchain/core/messages";
import { afterEach, describe, expect, it } from "vitest";
import { collectTurn } from "../../src/model/collect.ts";
import { createOpenAIModel } from "../../src/model/openai.ts";
import type { ModelCall } from "../../src/model/turn.ts";
import { type OpenAIServer, startOpenAIServer } from "../support/openai-server.ts";

let server: OpenAIServer;

afterEach(() => server?.close());

async function ask(deltas: object[]): Promise<ModelCall[]> {
  const chunks = [...deltas, {}].map((delta, index) => ({
    id: "chatcmpl-1",
    choices: [{ index: 0, delta, finish_reason: index === deltas.length ? "tool_calls" : null }],
  }));
  server = await startOpenAIServer([{ chunks }]);
  const model = createOpenAIModel({ model: "m", baseUrl: server.url, maxRetries: 0 });
  const turn = await collectTurn(model, [new HumanMessage("hi")], {});
  server.assertDone();
  return turn.calls;
}

function piece(part: { index?: unknown; id?: unknown; name?: unknown; text?: unknown }): object {
  const { name, text, ...rest } = part;
  return {
    ...rest,
    function: { ...(name === undefined ? {} : { name }), ...(text === undefined ? {} : { arguments: text }) },
  };
}

const role = { role: "assistant", content: "" };

describe("F3: two calls whose arguments arrive in two pieces", () => {
  const [first, second] = ['{"path":"x"}', '{"path":"y"}'];
  const halves = [first.slice(0, 5), first.slice(5), second.slice(0, 5), second.slice(5)] as const;
  const wanted = [
    { name: "Read", input: { path: "x" } },
    { name: "Read", input: { path: "y" } },
  ];
  const one = (index: object, id = "a") => [
    { tool_calls: [piece({ ...index, id, name: "Read", text: halves[0] })] },
    { tool_calls: [piece({ ...index, text: halves[1] })] },
  ];
  const two = (index: object, id = "b") => [
    { tool_calls: [piece({ ...index, id, name: "Read", text: halves[2] })] },
    { tool_calls: [piece({ ...index, text: halves[3] })] },
  ];
  const streams: [string, object[]][] = [
    ["with indexes and ids on the first pieces only", [role, ...one({ index: 0 }), ...two({ index: 1 })]],
    ["without an index", [role, ...one({}), ...two({})]],
    ["with a null index", [role, ...one({ index: null }), ...two({ index: null })]],
    ["with index 0 for both", [role, ...one({ index: 0 }), ...two({ index: 0 })]],
    ["without a role in the first delta", [...one({ index: 0 }), ...two({ index: 1 })]],
    ["with a null role", [{ role: null, content: null }, ...one({ index: 0 }), ...two({ index: 1 })]],
    ["without role, index and ids", [...one({}, ""), ...two({}, "")]],
    ["with one id for both and two indexes", [role, ...one({ index: 0 }, "a"), ...two({ index: 1 }, "a")]],
    ["with one id for both and index 0", [role, ...one({ index: 0 }, "a"), ...two({ index: 0 }, "a")]],
    [
      "with the id in every piece",
      [
        {
          tool_calls: [
            piece({ id: "a", name: "Read", text: halves[0] }),
            piece({ id: "b", name: "Read", text: halves[2] }),
          ],
        },
        { tool_calls: [piece({ id: "b", text: halves[3] })] },
        { tool_calls: [piece({ id: "a", text: halves[1] })] },
      ],
    ],
    [
      "with the name and empty arguments repeated at the end",
      [
        ...one({ index: 0 }),
        { tool_calls: [piece({ index: 0, id: "a", name: "Read", text: "" })] },
        ...two({ index: 1 }),
        { tool_calls: [piece({ index: 1, name: "Read" })] },
      ],
    ],
    [
      "side by side in each delta without an index",
      [
        {
          tool_calls: [
            piece({ id: "a", name: "Read", text: halves[0] }),
            piece({ id: "b", name: "Read", text: halves[2] }),
          ],
        },
        { tool_calls: [piece({ text: halves[1] }), piece({ text: halves[3] })] },
      ],
    ],
    [
      "interleaved by index",
      [
        {
          tool_calls: [
            piece({ index: 0, id: "a", name: "Read" }),
            piece({ index: 1, id: "b", name: "Read" }),
          ],
        },
        { tool_calls: [piece({ index: 1, text: second })] },
        { tool_calls: [piece({ index: 0, text: first })] },
      ],
    ],
    [
      "whole, both without index and id in one delta",
      [{ tool_calls: [piece({ name: "Read", text: first }), piece({ name: "Read", text: second })] }],
    ],
    [
      "as objects instead of texts",
      [
        {
          tool_calls: [
            piece({ id: "a", name: "Read", text: { path: "x" } }),
            piece({ id: "b", name: "Read", text: { path: "y" } }),
          ],
        },
      ],
    ],
  ];

  it.each(streams)("gives two complete calls %s", async (_title, deltas) => {
    const calls = await ask(deltas);
    expect(calls.map(({ name, input, fault }) => ({ name, input, ...(fault ? { fault } : {}) }))).toEqual(
      wanted,
    );
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  });

  it("gives faults, never an empty call, when pieces cannot be told apart", async () => {
    const starts = ["a", "b"].map((id) => ({ tool_calls: [piece({ id, name: "Read", text: "" })] }));
    const rests = [first, second].map((text) => ({ tool_calls: [piece({ text })] }));
    const calls = await ask([role, ...starts, ...rests]);
    expect(calls.map((call) => call.fault)).toEqual([
      expect.stringContaining("were lost on the way"),
      expect.stringContaining("are not valid JSON"),
    ]);
  });

  it("runs one call once when the server sends it whole again at the end", async () => {
    const whole = { tool_calls: [piece({ index: 0, id: "a", name: "Read", text: first })] };
    const calls = await ask([...one({ index: 0 }), whole]);
    expect(calls).toEqual([{ id: "a", name: "Read", input: { path: "x" } }]);
  });
});
