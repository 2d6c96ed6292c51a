import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createOfflineModel } from "../../src/model/offline.ts";
import { renderSkillEnvelope } from "../../src/skills/envelope.ts";
import { renderListing } from "../../src/skills/listing/listing.ts";

const listing = renderListing([
  { name: "tidy-folder", description: "Sorts messy files into folders by kind. Use to clean up downloads." },
  { name: "release-notes", description: "Writes a changelog from git commits." },
]).text;

const tools = [
  {
    type: "function" as const,
    function: { name: "Bash", description: "Runs.", parameters: { type: "object" } },
  },
  {
    type: "function" as const,
    function: { name: "Skill", description: listing, parameters: { type: "object" } },
  },
];

const loaded = new HumanMessage(
  renderSkillEnvelope({
    name: "x",
    directory: "/x",
    arguments: "",
    digest: "d",
    text: "```bash run\necho 1\n```\n```bash run\necho 2\n```",
  }),
);

describe("the offline model", () => {
  it("answers with one call, a finish reason and no tokens", async () => {
    const model = createOfflineModel().bindTools?.(tools);
    const message = (await model?.invoke("please clean up my messy downloads")) as AIMessage;
    expect(message.tool_calls).toMatchObject([
      { name: "Skill", args: { name: "tidy-folder", arguments: "" } },
    ]);
    expect(message.text).toMatch(
      /^I would use the skill tidy-folder: its description shares the words clean, messy/,
    );
    expect(message.response_metadata.finish_reason).toBe("tool_calls");
    expect(message.usage_metadata).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  });

  it("ends with stop when it calls nothing", async () => {
    const message = await createOfflineModel().invoke("hello");
    expect(message.response_metadata.finish_reason).toBe("stop");
    expect(message.text).toContain("OPENAI_API_KEY");
  });

  it("streams the text in small pieces and then the call, the same as it answers at once", async () => {
    const model = createOfflineModel().bindTools?.(tools);
    const messages = [new HumanMessage("go 👩‍👩‍👧‍👦"), loaded];
    let whole: AIMessageChunk | undefined;
    let pieces = 0;
    for await (const chunk of (await model?.stream(messages)) ?? []) {
      pieces += 1;
      expect(chunk.text.length).toBeLessThan(60);
      whole = whole ? whole.concat(chunk) : chunk;
    }
    const atOnce = (await model?.invoke(messages)) as AIMessage;
    expect(pieces).toBeGreaterThan(2);
    expect(whole?.text).toBe(atOnce.text);
    expect(whole?.tool_calls).toEqual(atOnce.tool_calls);
    expect(whole?.response_metadata.finish_reason).toBe("tool_calls");
    expect(whole?.usage_metadata).toMatchObject({ total_tokens: 0 });
  });

  it("gives the same ids for the same history, and new ones as it goes on", async () => {
    const model = createOfflineModel().bindTools?.(tools);
    const history: BaseMessage[] = [new HumanMessage("go"), loaded];
    const ids: string[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const message = (await model?.invoke(history)) as AIMessage;
      const again = (await model?.invoke(history)) as AIMessage;
      expect(again.tool_calls).toEqual(message.tool_calls);
      const id = message.tool_calls?.[0]?.id ?? "";
      ids.push(id);
      history.push(message, new ToolMessage({ content: "ok", tool_call_id: id }));
    }
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => /^call_[0-9a-f]{16}$/.test(id))).toBe(true);
  });

  it("reads LangChain tools as well as OpenAI's form", async () => {
    const skill = tool(async () => "", {
      name: "Skill",
      description: listing,
      schema: z.object({ name: z.string() }),
    });
    const message = (await createOfflineModel()
      .bindTools?.([skill])
      .invoke("write a changelog")) as AIMessage;
    expect(message.tool_calls?.[0]?.args.name).toBe("release-notes");
  });

  it("stops when it is told to", async () => {
    const signal = AbortSignal.abort();
    await expect(createOfflineModel().invoke("hello", { signal })).rejects.toThrow(/abort/i);
    const stream = async () => {
      for await (const _chunk of await createOfflineModel().stream("hello", { signal }));
    };
    await expect(stream()).rejects.toThrow(/abort/i);
  });
});
