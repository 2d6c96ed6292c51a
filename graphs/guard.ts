import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Where LangGraph Studio is served from, by region. */
const STUDIO = new Set([
  "https://smith.langchain.com",
  "https://apac.smith.langchain.com",
  "https://aws.smith.langchain.com",
  "https://eu.smith.langchain.com",
]);

/**
 * Lets this machine and Studio in, and nobody else. The development server itself asks nobody who they are and
 * reads text as JSON, so any web page could drive an agent that has a shell.
 *
 * It stands where the server checks who calls, since that comes before every route that does something.
 */
export const guard = new Auth()
  .authenticate((request) => {
    const refusal = findRefusal(request.headers);
    if (refusal !== undefined) throw new HTTPException(403, { message: refusal });
    return "local";
  })
  .on("threads:create_run", ({ value }) => forgetOldCheckpoint(value));

/**
 * After a fork the server keeps the fork's checkpoint in the thread and starts every later run from it, so that an
 * answer would meet the one that was given there before. A run begins at the newest checkpoint, unless it names one.
 */
function forgetOldCheckpoint({ kwargs }: { kwargs?: Record<string, unknown> }): void {
  if (kwargs === undefined) return;
  // The server goes on with the same objects, so they are changed and not replaced.
  kwargs.config ??= {};
  const config = kwargs.config as { configurable?: Record<string, unknown> };
  config.configurable ??= {};
  const named = config.configurable;
  if (!("checkpoint_id" in named)) named.checkpoint_id = undefined;
}

/**
 * Why a request is refused, in one line; undefined lets it in. A web page cannot hide its origin, and a name that
 * was made to point here shows in the host.
 */
export function findRefusal(headers: Headers): string | undefined {
  const host = headers.get("host");
  if (host !== null && !LOOPBACK.test(host)) {
    return `This server is not for the host "${toShown(host)}". It answers to localhost, 127.0.0.1 and [::1].`;
  }
  const origin = headers.get("origin");
  if (origin !== null && !isKnownOrigin(origin)) {
    return `This server is not for pages of "${toShown(origin)}". It answers to pages of this machine and to LangGraph Studio.`;
  }
  return undefined;
}

function isKnownOrigin(origin: string): boolean {
  const local = /^https?:\/\/(.+)$/.exec(origin)?.[1];
  return STUDIO.has(origin) || (local !== undefined && LOOPBACK.test(local));
}

function toShown(value: string): string {
  return value.slice(0, 100);
}
