import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { interopSafeParse, isInteropZodSchema } from "@langchain/core/utils/types";
import { getConfig } from "@langchain/langgraph";
import { z } from "zod";
import { checkValue, findSchemaFault } from "../skills/json-schema/json-schema.ts";
import { capOutput, cleanText } from "../tools/output.ts";
import type { Tool } from "../tools/tool.ts";
import { toResultText } from "./tool-result.ts";

/** What is wrong with a call, as the issues of a schema. */
type Issues = z.core.$ZodRawIssue[];

/**
 * A caller's LangChain tool under our contract, and so under the same permissions: unlisted, it asks. Nothing is
 * known of its effects, so it runs alone and never twice.
 */
export function fromLangChainTool(tool: StructuredToolInterface): Tool {
  const jsonSchema = toJsonSchema(tool.schema, { io: "input" }) as Record<string, unknown>;
  const findIssues = createCheck(tool.schema, jsonSchema);
  return {
    name: tool.name,
    description: tool.description,
    // Only looked at: the tool reads the call itself, with its defaults and transforms, when it is invoked.
    input: z.record(z.string(), z.unknown()).check((payload) => {
      payload.issues.push(...findIssues(payload.value));
    }),
    jsonSchema,
    target: () => ({ kind: "none" }),
    readOnly: false,
    idempotent: false,
    mayPause: true,
    run: async (input, { callId }) => {
      const call = { type: "tool_call" as const, name: tool.name, args: input as Record<string, unknown> };
      const given = callId === undefined ? call.args : { ...call, id: callId };
      return capOutput(cleanText(toResultText(tool.name, await tool.invoke(given, getConfig()))));
    },
  };
}

/** The check of the tool's own schema, so that nobody is asked about a call that the tool will not take. */
function createCheck(
  schema: StructuredToolInterface["schema"],
  jsonSchema: Record<string, unknown>,
): (value: unknown) => Issues {
  if (isInteropZodSchema(schema)) {
    return (value) => {
      try {
        const { error } = interopSafeParse(schema, value);
        return (error?.issues ?? []).map((issue) => toIssue(issue, value));
      } catch {
        return []; // A schema that must be waited for: the tool checks the call itself.
      }
    };
  }
  if (findSchemaFault(jsonSchema) !== undefined) return () => [];
  return (value) => {
    const read = checkValue(jsonSchema, value);
    return read.ok
      ? []
      : read.errors.map((message) => ({ code: "custom", path: [], message, input: undefined }));
  };
}

/** An issue of either version of zod. */
function toIssue(issue: { path: readonly PropertyKey[]; message?: string }, value: unknown): Issues[number] {
  const input = issue.path.reduce<unknown>(
    (part, key) => (part as Record<PropertyKey, unknown>)?.[key],
    value,
  );
  return { ...issue, path: [...issue.path], input } as unknown as Issues[number];
}
