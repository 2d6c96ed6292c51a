import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterEach, describe, expect, it } from "vitest";
import { collectTurn } from "../../src/model/collect.ts";
import { createOpenAIModel, type OpenAIModelOptions } from "../../src/model/openai.ts";
import { toToolDefinition } from "../../src/model/wire.ts";
import {
  type OpenAIServer,
  type OpenAIServerOptions,
  type ScriptedTurn,
  startOpenAIServer,
} from "../support/openai-server.ts";

let server: OpenAIServer;

afterEach(() => server?.close());

async function start(script: ScriptedTurn[], options?: OpenAIServerOptions): Promise<void> {
  server = await startOpenAIServer(script, options);
}

describe("F7: a turn that only calls tools", () => {
  const history = [
    new HumanMessage("hi"),
    new AIMessage({ content: "", tool_calls: [{ id: "a", name: "Read", args: {} }] }),
    new ToolMessage({ tool_call_id: "a", content: "text" }),
  ];
  const replay = (emptyContent: OpenAIModelOptions["emptyContent"]) => {
    const model = createOpenAIModel({ model: "m", baseUrl: server.url, emptyContent });
    return collectTurn(model.bindTools?.([toToolDefinition("Read", "reads", {})]) ?? model, history, {});
  };

  it.each([
    ["null", "null"],
    ["null", "omit"],
    ["string", "string"],
    ["string", undefined],
    ["key", "string"],
    ["key", "null"],
  ] as const)(
    "F7: passes a server that wants %s with the setting %s",
    async (toolTurnContent, emptyContent) => {
      await start([{ text: "done" }], { toolTurnContent });
      expect((await replay(emptyContent)).message.content).toBe("done");
      server.assertDone();
    },
  );

  it("F7: is refused once under the wrong setting", async () => {
    await start([], { toolTurnContent: "null", allowRefusals: true });
    await expect(replay("string")).rejects.toMatchObject({
      message: expect.stringContaining("refused the request"),
    });
    expect(server.requests).toHaveLength(1);
  });

  it("F7: an empty turn without calls never has null", async () => {
    await start([{ text: "done" }]);
    const model = createOpenAIModel({ model: "m", baseUrl: server.url, emptyContent: "null" });
    await collectTurn(model, [new HumanMessage("hi"), new AIMessage(""), new HumanMessage("there?")], {});
    expect(server.requests[0]?.body.messages?.[1]?.content).toBe("");
    server.assertDone();
  });
});
