import { ToolMessage } from "@langchain/core/messages";
import { DynamicTool, type StructuredToolInterface, tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { fromLangChainTool } from "../../src/graph/langchain-tool.ts";
import { parseInput, toInputSchema } from "../../src/tools/toolbox.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace } from "../support/workspace.ts";

const about = { name: "mail", description: "Sends mail." };
const shape = { to: z.string().min(3), copies: z.number().int().default(1) };
const jsonSchema = {
  type: "object",
  properties: { to: { type: "string", minLength: 3 }, copies: { type: "integer" } },
  required: ["to"],
};
const say = async ({ to, copies }: { to: string; copies?: number }) => `${copies ?? 1} to ${to}`;
const kinds: [string, StructuredToolInterface][] = [
  ["zod", tool(say, { ...about, schema: z.object(shape) })],
  [
    "zod 3",
    tool(say, {
      ...about,
      schema: z3.object({ to: z3.string().min(3), copies: z3.number().int().default(1) }) as never,
    }) as StructuredToolInterface,
  ],
  ["JSON Schema", tool(say as never, { ...about, schema: jsonSchema as never }) as never],
];

function read(own: StructuredToolInterface, input: unknown): string {
  const parsed = parseInput(fromLangChainTool(own), input);
  return parsed.ok ? `ok ${JSON.stringify(parsed.input)}` : parsed.message;
}

describe.each(kinds)("the arguments of a caller's tool with a schema of %s", (_kind, own) => {
  it("are taken as the model sent them when they fit", () => {
    expect(read(own, { to: "ann" })).toBe('ok {"to":"ann"}');
    expect(read(own, { to: "ann", copies: 2, more: true })).toBe('ok {"to":"ann","copies":2,"more":true}');
  });

  it("are refused with each wrong field and what is expected", () => {
    expect(read(own, {})).toMatch(/^mail was not run: .*"?to"?.* is missing.*\. Expected \{to: string, /);
    const both = read(own, { to: "a", copies: "x" });
    expect(both).toMatch(/\bto\b/);
    expect(both).toMatch(/\bcopies\b/);
    expect(both).toContain("Expected {to: string, copies?: ");
  });
});

it("a schema that must be waited for, or that is none, leaves the check to the tool", () => {
  const waits = z.object({ to: z.string().refine(async (to) => to !== "") });
  expect(read(tool(say, { ...about, schema: waits }), { to: "" })).toBe('ok {"to":""}');
  const none = { type: "objekt", properties: {} };
  expect(read(tool(say as never, { ...about, schema: none as never }) as never, { to: 1 })).toBe(
    'ok {"to":1}',
  );
  const plain = new DynamicTool({ ...about, func: async (text) => text });
  expect(read(plain as StructuredToolInterface, { input: "x" })).toBe('ok {"input":"x"}');
});

it("a field with a default need not be sent", () => {
  const [, own] = kinds[0]!;
  expect(toInputSchema(fromLangChainTool(own))).toMatchObject({ required: ["to"] });
});

describe("a call of a caller's tool", () => {
  const call = (id: string, args: Record<string, unknown>) => ({ id, name: "mail", arguments: args });

  it("that does not fit goes back to the model, and nobody is asked", async () => {
    const { agent, server } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [call("m1", { copies: "x" })] }, { text: "Done." }],
      { tools: [kinds[0]![1]] },
    );
    const { end } = await send(agent, "mail");
    expect(end.status).toBe("finished");
    expect(server.requests[1]?.body.messages?.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining('"to" is missing'),
    });
    server.assertDone();
  });

  it("is asked about with what it takes, and an edit that does not fit is asked again with the reason", async () => {
    const { agent, server } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [call("m1", { to: "ann" })] }, { text: "Done." }],
      { tools: [kinds[0]![1]] },
    );
    const { end } = await send(agent, "mail");
    const form = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };
    expect(end.request?.items[0]).toMatchObject({ kind: "call", form });
    expect(end.request?.review_configs[0]).toMatchObject({ args_schema: form });
    expect(end.request?.reviewConfigs[0]).toMatchObject({ argsSchema: form });
    const edit = (args: Record<string, unknown>) => ({ reply: { type: "edit", edited_action: { args } } });
    const again = await answer(agent, end.thread, edit({ to: "b" }));
    expect(again.end.request?.errors).toEqual([expect.stringMatching(/"to".*Expected \{to: string/)]);
    // A field that only the form names is one of the call, too.
    const after = await answer(agent, end.thread, { reply: { to: "bob", copies: 2 } });
    expect(after.end.status).toBe("finished");
    expect(server.requests[1]?.body.messages?.at(-1)?.content).toContain("2 to bob");
    server.assertDone();
  });

  it("a built-in tool's request holds what it takes in the shape of other clients", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [
      { calls: [{ id: "b1", name: "Bash", arguments: { command: "touch x" } }] },
    ]);
    const { end } = await send(agent, "touch");
    expect(end.request?.review_configs[0]?.args_schema).toMatchObject({ required: ["command"] });
    expect(end.request?.items[0]?.form).toBeUndefined();
  });

  it("knows its id", async () => {
    const own = tool((_input, config) => String(config.toolCall?.id), { ...about, schema: z.object({}) });
    const { agent, server } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [call("m1", {})] }, { text: "Done." }],
      { tools: [own], permissions: { allow: ["mail"] } },
    );
    await send(agent, "mail");
    expect(server.requests[1]?.body.messages?.at(-1)?.content).toBe("m1");
    server.assertDone();
  });
});

describe("what a caller's tool returns", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  const returning = (result: unknown, more: object = {}) =>
    fromLangChainTool(tool(() => result as never, { ...about, ...more, schema: z.object({}) }));
  const context = { callId: "m1" } as never;

  it.each([
    ["text", "plain", "plain"],
    ["a record", { sent: 2 }, '{"sent":2}'],
    ["a list", [1, 2], "[1,2]"],
    ["data with a type of its own", [{ type: "user", name: "ann" }], '[{"type":"user","name":"ann"}]'],
    ["content blocks", [{ type: "text", text: "two" }, image], "two\n[image left out]"],
    ["an image", [{ type: "image_url", image_url: { url: "data:," } }], "[image left out]"],
    ["a message", new ToolMessage({ content: "said", tool_call_id: "m1" }), "said"],
    ["a message of blocks", new ToolMessage({ content: [image], tool_call_id: "m1" }), "[image left out]"],
  ])("%s is shown to the model", async (_kind, result, text) => {
    expect(await returning(result).run({}, context)).toBe(text);
  });

  it("an artifact is left out", async () => {
    const own = returning(["shown", { secret: 1 }], { responseFormat: "content_and_artifact" });
    expect(await own.run({}, context)).toBe("shown");
  });

  it("a Command is an error that says so", async () => {
    const own = returning(new Command({ update: { messages: [] }, goto: "act" }));
    await expect(own.run({}, context)).rejects.toThrow(/^mail returned a Command, and nothing/);
  });

  it("a message that says the tool failed is an error", async () => {
    const failed = new ToolMessage({ content: "no such inbox", tool_call_id: "m1", status: "error" });
    await expect(returning(failed).run({}, context)).rejects.toThrow("no such inbox");
  });
});
