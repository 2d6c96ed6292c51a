import type { LookupAddress } from "node:dns";
import type { IncomingMessage } from "node:http";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { toCount } from "../output.ts";
import type { findPrivateRange } from "./private-address.ts";
import { type Body, readBody } from "./read-body.ts";
import { requestPage } from "./request-page.ts";
import { type FindAddresses, refusePrivateName, resolveHost } from "./resolve-host.ts";
import { readWebAddress, toShownAddress } from "./web-address.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Bounds of one fetch. */
export interface FetchLimits {
  connectMs: number;
  idleMs: number;
  /** Of the whole fetch, with its redirects. */
  totalMs: number;
  bodyBytes: number;
  redirects: number;
}

/** What a fetch goes through and by. */
export interface FetchParts {
  limits: FetchLimits;
  userAgent: string;
  findAddresses: FindAddresses;
  findPrivateRange: typeof findPrivateRange;
  /** Certificates to trust in place of the usual ones. */
  authorities?: string;
  privateHosts: readonly string[];
  /** Whether the rules let an address be fetched without asking. */
  mayFetch: (url: string) => boolean;
  /** Whether a body of this content-type is read at all. */
  wantsBody: (contentType: string | undefined) => boolean;
  signal?: AbortSignal | undefined;
}

/** An answer, or an address that was not followed. */
export type FetchedPage =
  | { kind: "page"; url: URL; status: number; contentType?: string; length?: number; body?: Body }
  | { kind: "redirect"; url: URL; status: number; target: URL };

/**
 * Fetches a page. A redirect to the same host is followed, also from http to https; to another one only when the
 * rules allow it. Every address on the way is checked as the first.
 *
 * @throws SkillgraphError `tool-failed` when nothing came, or an address on the way is refused.
 */
export async function fetchPage(start: URL, parts: FetchParts): Promise<FetchedPage> {
  const { limits, signal } = parts;
  const stop = new AbortController();
  const timer = setTimeout(
    () => stop.abort(new Error(`it took longer than ${toCount(limits.totalMs)} ms`)),
    limits.totalMs,
  );
  const cancel = () => stop.abort(new Error("the run was cancelled"));
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await follow(start, parts, stop);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

async function follow(start: URL, parts: FetchParts, stop: AbortController): Promise<FetchedPage> {
  let url = start;
  for (let followed = 0; ; followed += 1) {
    const answer = await visit(url, parts, stop);
    if (answer.kind === "page") return answer;
    const { target } = answer;
    refusePrivateName(target, parts.privateHosts);
    if (!isSameHost(url, target) && !parts.mayFetch(target.href)) return answer;
    if (followed === parts.limits.redirects) {
      const message = `${toShownAddress(start.href)} was not fetched: it redirects more than ${followed} times.`;
      throw new SkillgraphError("tool-failed", message);
    }
    url = target;
  }
}

async function visit(url: URL, parts: FetchParts, stop: AbortController): Promise<FetchedPage> {
  const { signal } = stop;
  const addresses = await attempt(url, signal, () => resolveHost(url, { ...parts, signal }));
  const response = await attempt(url, signal, () => request(url, addresses, parts, stop));
  try {
    return await attempt(url, signal, () => read(url, response, parts, signal));
  } finally {
    response.destroy();
  }
}

function request(url: URL, addresses: LookupAddress[], parts: FetchParts, stop: AbortController) {
  const { userAgent, limits, authorities } = parts;
  const trust = authorities === undefined ? {} : { authorities };
  const { connectMs, idleMs } = limits;
  return requestPage(url, addresses, { userAgent, connectMs, idleMs, stop, ...trust });
}

async function read(
  url: URL,
  response: IncomingMessage,
  { limits, wantsBody }: FetchParts,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const { statusCode: status = 0, headers } = response;
  const { location, "content-type": contentType } = headers;
  if (REDIRECTS.has(status) && location !== undefined) {
    return { kind: "redirect", url, status, target: readTarget(location, url) };
  }
  const length = Number(headers["content-length"] ?? Number.NaN);
  const facts = {
    kind: "page" as const,
    url,
    status,
    ...(contentType === undefined ? {} : { contentType }),
    ...(Number.isSafeInteger(length) ? { length } : {}),
  };
  if (!wantsBody(contentType)) return facts;
  return { ...facts, body: await readBody(response, limits.bodyBytes, signal) };
}

function readTarget(location: string, from: URL): URL {
  try {
    return readWebAddress(location, from);
  } catch (error) {
    throw new SkillgraphError(
      "tool-failed",
      `${toShownAddress(from.href)} redirects on. ${toMessage(error)}`,
      { cause: error },
    );
  }
}

/** The same host and port; or the same host, made secure. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false;
  if (from.protocol === to.protocol) return from.port === to.port;
  return from.protocol === "http:" && from.port === "" && to.port === "";
}

/** Gives every failure the address that it is about, and a stopped fetch its reason. */
async function attempt<Result>(url: URL, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const cause = signal.aborted ? signal.reason : error;
    const message =
      cause instanceof AggregateError ? cause.errors.map(toMessage).join("; ") : toMessage(cause);
    if (cause instanceof SkillgraphError) throw cause;
    throw new SkillgraphError("tool-failed", `${toShownAddress(url.href)} was not fetched: ${message}.`, {
      cause: error,
    });
  }
}
