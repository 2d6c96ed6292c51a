import type { ToolContext } from "../../../src/tools/tool.ts";
import { createWebFetchTool, type WebFetchOptions } from "../../../src/tools/web-fetch.ts";
import { call, createPlace } from "../call.ts";

/** Fetches with the tool, as the graph calls it. */
export function fetchText(
  url: string,
  { privateHosts = [], options = {}, ...rest }: { options?: WebFetchOptions } & Partial<ToolContext> = {},
): Promise<string> {
  const { context } = createPlace();
  return call(createWebFetchTool(options), { url }, { ...context, ...rest, privateHosts });
}

/** Every name leads to 127.0.0.1, and that passes for public: for what is not about private addresses. */
export const anywhere = {
  findAddresses: async () => [{ address: "127.0.0.1", family: 4 }],
  findPrivateRange: async () => undefined,
} satisfies WebFetchOptions;
