import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatOpenAICompletions } from "@langchain/openai";
import { SkillgraphError } from "../errors.ts";
import { isRecord } from "../skills/record.ts";
import { isQuotaUsedUp, readStatus, toModelFailure } from "./failure.ts";
import { type EmptyContent, repairChunk, repairMessages } from "./repair.ts";
import { callWithRetries } from "./retry.ts";

/** Options of {@link createOpenAIModel}. */
export interface OpenAIModelOptions {
  model: string;
  /** Without it a base URL gets a placeholder, and OpenAI itself fails at the first call. */
  apiKey?: string | undefined;
  /** Base URL of a chat-completions server, such as `http://127.0.0.1:11434/v1`. Default OpenAI's own. */
  baseUrl?: string | undefined;
  /** Longest silence of the server, before and while it answers, in milliseconds. Default 300,000. */
  timeoutMs?: number | undefined;
  /** Requests after the first one when the server is busy or unreachable. Default 2. */
  maxRetries?: number | undefined;
  /** Content of turns that only call tools. Default `string`, the empty string. */
  emptyContent?: EmptyContent | undefined;
}

type Send = (request: ChatRequest, options?: SendOptions) => Promise<unknown>;
type SendOptions = { signal?: AbortSignal | null };
type ChatRequest = { stream?: boolean | null; messages: unknown[]; stream_options?: unknown };

const openaiUrl = "https://api.openai.com/v1";
const placeholderKey = "not-needed";
const defaultTimeoutMs = 300_000;
const defaultMaxRetries = 2;
const listTimeoutMs = 5_000;

/**
 * Creates a chat model that speaks chat completions. It reads no environment variable, retries in one place,
 * mends what servers get wrong in a stream, and fails with one plain line.
 *
 * The returned model throws SkillgraphError: `model-key-missing` and `settings-invalid` (base URL) at the first
 * call, `model-unknown`, `model-failed`.
 */
export function createOpenAIModel(options: OpenAIModelOptions): BaseChatModel {
  const { model, timeoutMs = defaultTimeoutMs } = options;
  const baseUrl = (options.baseUrl || openaiUrl).replace(/\/+$/, "");
  const chat = new ChatOpenAICompletions({
    model,
    // Every value that the client would else take from the environment is given.
    apiKey: options.apiKey || placeholderKey,
    configuration: {
      baseURL: baseUrl,
      organization: null,
      project: null,
      adminAPIKey: null,
      logLevel: "off",
    },
    timeout: timeoutMs,
    maxRetries: 0,
    // LangChain's own handler rewrites the errors of rate limits.
    onFailedAttempt: (error) => {
      throw error;
    },
  });

  // The one place that every request of LangChain's class passes, streamed or not.
  const send = chat.completionWithRetry.bind(chat) as Send;
  const sendSafely = createSender(send, { ...options, baseUrl, timeoutMs });
  chat.completionWithRetry = sendSafely as typeof chat.completionWithRetry;
  return chat;
}

function createSender(
  send: Send,
  options: OpenAIModelOptions & { baseUrl: string; timeoutMs: number },
): Send {
  const {
    model,
    apiKey,
    baseUrl,
    timeoutMs,
    maxRetries = defaultMaxRetries,
    emptyContent = "string",
  } = options;
  let usageRefused = false;

  return async (request, sendOptions = {}) => {
    checkReachable(options);
    const callerSignal = sendOptions.signal ?? undefined;
    let attempts = 0;
    const silence = new AbortController();
    const signal = callerSignal ? AbortSignal.any([callerSignal, silence.signal]) : silence.signal;

    const attempt = async () => {
      attempts += 1;
      const { stream_options: usage, ...bare } = request;
      const messages = repairMessages(request.messages, emptyContent);
      const offersUsage = usage !== undefined && !usageRefused;
      const body = { ...bare, messages, ...(offersUsage ? { stream_options: usage } : {}) };
      try {
        return await send(body, { ...sendOptions, signal });
      } catch (error) {
        if (!offersUsage || !refusesUsage(error)) throw error;
        usageRefused = true;
        return send({ ...bare, messages }, { ...sendOptions, signal });
      }
    };
    const toFailure = async (error: unknown) => {
      if (callerSignal?.aborted) return error;
      const choices = readStatus(error) === 404 ? await listModels(baseUrl, apiKey) : [];
      return toModelFailure(error, {
        model,
        baseUrl: toShownUrl(baseUrl),
        apiKey,
        timeoutMs,
        attempts,
        choices,
      });
    };

    try {
      const answer = await callWithRetries(attempt, { maxRetries, signal: callerSignal });
      if (!request.stream) return checkChoices(answer, options);
      return watchStream(answer as AsyncIterable<unknown>, { options, silence, callerSignal, toFailure });
    } catch (error) {
      throw await toFailure(error);
    }
  };
}

interface WatchParts {
  options: { model: string; baseUrl: string; timeoutMs: number };
  silence: AbortController;
  callerSignal: AbortSignal | undefined;
  toFailure: (error: unknown) => Promise<unknown>;
}

/** Passes a stream on, mended; ends it when the server is silent for too long, throws when it says nothing. */
async function* watchStream(stream: AsyncIterable<unknown>, parts: WatchParts): AsyncGenerator<unknown> {
  const { options, silence, callerSignal, toFailure } = parts;
  // The client's own time limit ends with the headers.
  const timer = setTimeout(() => silence.abort(), options.timeoutMs);
  let answered = false;
  try {
    for await (const chunk of stream) {
      timer.refresh();
      const repaired = repairChunk(chunk);
      if (isRecord(repaired) && Array.isArray(repaired.choices) && repaired.choices.length > 0)
        answered = true;
      yield repaired;
    }
    // The client ends an aborted stream without an error, which would look like a whole answer.
    callerSignal?.throwIfAborted();
    if (silence.signal.aborted) throw new DOMException("The server was silent.", "TimeoutError");
    if (!answered) throw toEmptyAnswer(options);
  } catch (error) {
    throw await toFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

function checkReachable(options: { model: string; apiKey?: string | undefined; baseUrl: string }): void {
  const { model, apiKey, baseUrl } = options;
  if (!/^https?:\/\/[^/]/i.test(baseUrl)) {
    throw new SkillgraphError(
      "settings-invalid",
      `The base URL "${baseUrl}" must begin with http:// or https://.`,
    );
  }
  if (apiKey || baseUrl !== openaiUrl) return;
  throw new SkillgraphError(
    "model-key-missing",
    `Model "${model}" needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server, or use the model "offline".`,
  );
}

function checkChoices(answer: unknown, options: { model: string; baseUrl: string }): unknown {
  if (isRecord(answer) && Array.isArray(answer.choices) && answer.choices.length > 0) return answer;
  throw toEmptyAnswer(options, answer);
}

// LangChain would say "Cannot read properties of undefined".
function toEmptyAnswer(options: { model: string; baseUrl: string }, answer?: unknown): SkillgraphError {
  const got = answer === undefined ? "" : ` It sent: ${String(JSON.stringify(answer)).slice(0, 200)}`;
  const { model, baseUrl } = options;
  const text = `${toShownUrl(baseUrl)} answered for model "${model}" without any choices. Is it a chat-completions server?${got}`;
  return new SkillgraphError("model-failed", text);
}

// Usage while streaming is OpenAI's own addition: a server that refuses it is asked again without.
function refusesUsage(error: unknown): boolean {
  const status = readStatus(error);
  return (
    (status === 400 || status === 422) &&
    !isQuotaUsedUp(error) &&
    /stream_options|include_usage/.test(String(error))
  );
}

async function listModels(baseUrl: string, apiKey: string | undefined): Promise<string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: { authorization: `Bearer ${apiKey || placeholderKey}` },
      signal: AbortSignal.timeout(listTimeoutMs),
    });
    const body: unknown = await response.json();
    const models = isRecord(body) && Array.isArray(body.data) ? body.data.filter(isRecord) : [];
    return models.flatMap((model) => (typeof model.id === "string" ? [model.id] : []));
  } catch {
    // The list only helps a message that is told anyway.
    return [];
  }
}

// A base URL may carry a password; messages must not.
function toShownUrl(baseUrl: string): string {
  return baseUrl.replace(/\/\/[^/@]*@/, "//");
}
