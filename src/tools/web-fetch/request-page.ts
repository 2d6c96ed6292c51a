import type { LookupAddress } from "node:dns";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { toCount } from "../output.ts";

const ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain, application/json, */*;q=0.5";
/** How long one of several addresses is tried before the next one is tried, too. */
const ATTEMPT_MS = 1_000;

/** What a request needs beside its address. */
export interface RequestParts {
  userAgent: string;
  /** Most milliseconds until the connection stands. */
  connectMs: number;
  /** Most milliseconds in which nothing comes. */
  idleMs: number;
  /** Certificates to trust in place of the usual ones. */
  authorities?: string;
  /** Ends the request and the reading of its answer. */
  stop: AbortController;
}

/**
 * Sends one GET and gives the answer as soon as its headers have come; the caller reads or destroys it. The
 * connection goes to one of the given addresses and to no other, with the name kept for the Host header and the
 * certificate. Sends no cookies and no credentials, uses no proxy, keeps no socket.
 */
export function requestPage(
  url: URL,
  addresses: LookupAddress[],
  parts: RequestParts,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const options: RequestOptions & { autoSelectFamilyAttemptTimeout: number } = {
    method: "GET",
    // An agent of its own: the shared one may use a proxy, which would choose the address.
    agent: isSecure ? new HttpsAgent({ maxCachedSessions: 0 }) : new HttpAgent(),
    lookup: createLookup(addresses),
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    signal: parts.stop.signal,
    headers: {
      accept: ACCEPT,
      "accept-encoding": "gzip, deflate, br",
      "user-agent": parts.userAgent,
      connection: "close",
    },
  };
  const request = isSecure
    ? requestHttps(url, {
        ...options,
        rejectUnauthorized: true,
        ...(parts.authorities === undefined ? {} : { ca: parts.authorities }),
      })
    : requestHttp(url, options);
  return new Promise((resolve, reject) => {
    limitWaiting(request, parts);
    request.on("response", resolve);
    request.on("error", reject);
    request.on("upgrade", (_response, socket: Socket) => {
      socket.destroy();
      reject(new Error("the server changed the protocol"));
    });
    request.on("close", () => reject(new Error("the connection was closed without an answer")));
    request.end();
  });
}

/** The reasons go through the signal: what a destroyed request says of itself does not reach its answer. */
function limitWaiting(request: ClientRequest, { connectMs, idleMs, stop }: RequestParts): void {
  const end = (why: string) => stop.abort(new Error(why));
  const timer = setTimeout(() => end(`there was no connection after ${toCount(connectMs)} ms`), connectMs);
  const clear = () => clearTimeout(timer);
  request.on("socket", (socket) =>
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", clear),
  );
  request.on("close", clear);
  request.setTimeout(idleMs, () => end(`nothing came for ${toCount(idleMs)} ms`));
}

/** Answers with what was checked, whatever the name means by now. */
function createLookup(addresses: LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) return callback(null, addresses);
    const [first] = addresses;
    if (first) callback(null, first.address, first.family);
    else callback(new Error("no address"), "", 0);
  };
}
