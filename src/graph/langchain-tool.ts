import { BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { getConfig } from "@langchain/langgraph";
import { z } from "zod";
import { capOutput, cleanText } from "../tools/output.ts";
import type { Tool } from "../tools/tool.ts";

/**
 * A caller's LangChain tool under our contract, and so under the same permissions: unlisted, it asks. Nothing is
 * known of its effects, so it runs alone and never twice.
 */
export function fromLangChainTool(tool: StructuredToolInterface): Tool {
  return {
    name: tool.name,
    description: tool.description,
    // Its own schema checks the input when it is invoked; a model is shown that schema.
    input: z.record(z.string(), z.unknown()),
    jsonSchema: toJsonSchema(tool.schema) as Record<string, unknown>,
    target: () => ({ kind: "none" }),
    readOnly: false,
    idempotent: false,
    mayPause: true,
    run: async (input) =>
      capOutput(cleanText(toText(await tool.invoke(input as Record<string, unknown>, getConfig())))),
  };
}

function toText(result: unknown): string {
  const content = isMessage(result) ? result.content : result;
  return typeof content === "string" ? content : (JSON.stringify(content ?? null) ?? String(content));
}

function isMessage(value: unknown): value is { content: unknown } {
  return BaseMessage.isInstance(value);
}
