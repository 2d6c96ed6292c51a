import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { findRefusal, isObject, type Refusal, type RuleOptions, toErrorBody } from "./openai-rules.ts";
import {
  type ChatBody,
  type ChatRequest,
  type ScriptedTurn,
  type Turn,
  toChunks,
  toCompletion,
} from "./openai-turns.ts";

export type { ChatBody, ChatRequest, ScriptedTurn, ToolCallBody, Turn } from "./openai-turns.ts";

export interface OpenAIServerOptions extends RuleOptions {
  /** The only accepted key; any when left out. */
  apiKey?: string;
  /** Refused requests are part of the test, so that `assertDone` accepts them. Default false. */
  allowRefusals?: boolean;
}

export interface OpenAIServer {
  /** Base URL, ending in `/v1`. */
  url: string;
  /** Every chat request in the order of arrival, refused ones too. */
  requests: ChatRequest[];
  /** Turns not used yet. */
  readonly left: number;
  /** Throws when turns are left, a request came after the last turn, an `expect` threw or a request was refused. */
  assertDone: () => void;
  close: () => Promise<void>;
}

/** A chat-completions server that answers from a script and refuses what a strict provider refuses. */
export async function startOpenAIServer(
  script: ScriptedTurn[],
  options: OpenAIServerOptions = {},
): Promise<OpenAIServer> {
  const requests: ChatRequest[] = [];
  const faults: string[] = [];
  const closing = new AbortController();
  let used = 0;

  async function takeTurn(request: ChatRequest): Promise<Turn> {
    const scripted = script[used];
    used += 1;
    if (scripted === undefined) {
      const fault = `The script of ${script.length} turns is used up, but request ${used} came.`;
      faults.push(fault);
      return { status: 500, error: fault };
    }
    try {
      const turn = typeof scripted === "function" ? await scripted(request) : scripted;
      turn.expect?.(request);
      return turn;
    } catch (error) {
      faults.push(`Turn ${used}: ${String(error)}`);
      return { status: 500, error: `Turn ${used}: ${String(error)}` };
    }
  }

  async function answerChat(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(incoming);
    const body = parseJson(text);
    const shown = (isObject(body) ? body : {}) as ChatBody;
    const request: ChatRequest = { body: shown, headers: incoming.headers, bytes: Buffer.byteLength(text) };
    requests.push(request);
    const refusal = findKeyRefusal(incoming, options.apiKey) ?? findRefusal(body, options);
    if (refusal !== undefined) {
      request.status = refusal.status;
      request.refused = refusal.message;
      return sendJson(response, refusal.status, toErrorBody(refusal));
    }
    const turn = await takeTurn(request);
    request.status = turn.status ?? 200;
    if (turn.delayMs !== undefined) await wait(turn.delayMs, undefined, { signal: closing.signal });
    await sendTurn(response, turn, shown, used, closing.signal);
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url?.split("?")[0];
    if (incoming.method === "POST" && path === "/v1/chat/completions") return answerChat(incoming, response);
    if (incoming.method === "GET" && path === "/v1/models") {
      const data = (options.models ?? ["test-model"]).map((id) => ({ id, object: "model", created: 1 }));
      return sendJson(response, 200, { object: "list", data });
    }
    sendJson(response, 404, { error: { message: `Invalid URL (${incoming.method} ${path})` } });
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (!closing.signal.aborted) faults.push(`The server failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get left() {
      return Math.max(0, script.length - used);
    },
    assertDone() {
      const problems = [...faults];
      if (used < script.length)
        problems.push(`${script.length - used} of ${script.length} turns were not used.`);
      const refused = requests.filter((request) => request.refused !== undefined);
      if (options.allowRefusals !== true) {
        problems.push(...refused.map((request) => `A request was refused: ${request.refused}`));
      }
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
    close() {
      closing.abort();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function sendTurn(
  response: ServerResponse,
  turn: Turn,
  body: ChatBody,
  number: number,
  signal: AbortSignal,
): Promise<void> {
  if (turn.status !== undefined) {
    const error = turn.error ?? "Scripted failure.";
    const shaped = typeof error === "string" ? { error: { message: error, type: "server_error" } } : error;
    return sendJson(response, turn.status, shaped, turn.headers);
  }
  if (turn.raw !== undefined) return sendJson(response, 200, turn.raw, turn.headers);
  if (body.stream !== true) return sendJson(response, 200, toCompletion(turn, body, number), turn.headers);

  const events = turn.chunks ?? toChunks(turn, body, number);
  const half = turn.cut === true ? Math.ceil(events.length / 2) : undefined;
  const last = half ?? (typeof turn.cut === "number" ? turn.cut : events.length);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...turn.headers });
  for (const [index, event] of events.slice(0, last).entries()) {
    if (index > 0 && turn.chunkDelayMs !== undefined) await wait(turn.chunkDelayMs, undefined, { signal });
    response.write(typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`);
  }
  if (turn.cut !== undefined && turn.cut !== false) {
    // Leaves time for the written events to arrive before the connection breaks.
    await wait(20, undefined, { signal });
    response.destroy();
    return;
  }
  response.end("data: [DONE]\n\n");
}

function findKeyRefusal(incoming: IncomingMessage, wanted: string | undefined): Refusal | undefined {
  const key = /^Bearer (\S+)$/.exec(incoming.headers.authorization ?? "")?.[1];
  const shared = { status: 401, type: "invalid_request_error", param: null };
  if (key === undefined) return { ...shared, message: "You didn't provide an API key.", code: null };
  if (wanted === undefined || key === wanted) return undefined;
  return { ...shared, message: `Incorrect API key provided: ${key}.`, code: "invalid_api_key" };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
