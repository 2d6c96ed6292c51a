import { SkillgraphError, toMessage } from "../errors.ts";
import { isRecord } from "../skills/record.ts";

/** What is known about the call that failed. */
export interface FailureContext {
  model?: string;
  baseUrl?: string;
  /** Never shown: cut out of whatever the server says. */
  apiKey?: string | undefined;
  timeoutMs?: number;
  /** Requests that were sent. */
  attempts?: number;
  /** Models that the server offers, when it told. */
  choices?: string[];
}

const unreachableCodes = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
];
const timeoutCodes = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT"];
const longestDetail = 300;
const mostChoices = 12;

/** Turns what a model call threw into one line: what happened, in the server's words, and what to do. */
export function toModelFailure(error: unknown, context: FailureContext): SkillgraphError {
  if (error instanceof SkillgraphError) return error;
  const { code, text } = describe(error, context);
  return new SkillgraphError(code, text, { cause: error });
}

/** The HTTP status that an error of a model client carries, itself or as its cause. */
export function readStatus(error: unknown): number | undefined {
  return toChain(error)
    .map((link) => link.status)
    .find((status) => typeof status === "number");
}

/** The code of a quota that is used up: nothing changes by asking again. */
export function isQuotaUsedUp(error: unknown): boolean {
  const body = readErrorBody(error);
  const codes = [body?.code, body?.type];
  return ["insufficient_quota", "billing_hard_limit_reached"].some((code) => codes.includes(code));
}

/** True when no answer came in time. */
export function isTimeout(error: unknown): boolean {
  return (error instanceof Error && error.name === "TimeoutError") || hasCode(error, timeoutCodes);
}

/** True when the server was not reached or the connection broke. */
export function isConnectionFailure(error: unknown): boolean {
  if (readStatus(error) !== undefined) return false;
  return hasCode(error, [...unreachableCodes, "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);
}

function describe(error: unknown, context: FailureContext): { code: SkillgraphError["code"]; text: string } {
  const failed = (text: string) => ({ code: "model-failed" as const, text });
  const model = context.model === undefined ? "the model" : `model "${context.model}"`;
  const server = context.baseUrl === undefined ? "the model's server" : context.baseUrl;
  const status = readStatus(error);
  const said = toDetail(error, context.apiKey);
  const detail = `(${status === undefined ? "" : `${status}: `}${said})`;
  const tries = (context.attempts ?? 1) > 1 ? ` after ${context.attempts} attempts` : "";

  if (isTimeout(error)) {
    const time = context.timeoutMs === undefined ? "in time" : `within ${context.timeoutMs / 1000} s`;
    return failed(`No answer from ${server} for ${model} ${time}. Resume later, or allow more time.`);
  }
  if (hasCode(error, unreachableCodes)) {
    return failed(
      `Cannot reach ${server} for ${model}${tries} ${detail}. Is the server running at this base URL?`,
    );
  }
  if (status === undefined) {
    const broke = isConnectionFailure(error) || /terminated|premature close|fetch failed/i.test(said);
    if (broke)
      return failed(`The connection to ${server} broke off${tries} ${detail}. Resume to ask ${model} again.`);
    return failed(`The call of ${model} failed: ${said}`);
  }
  if (status === 401 || status === 403) {
    return failed(`${capitalize(server)} refused the key for ${model} ${detail}. Check OPENAI_API_KEY.`);
  }
  if (status === 404) return { code: "model-unknown", text: describeUnknown(server, model, detail, context) };
  if (status === 429 && isQuotaUsedUp(error)) {
    return failed(
      `The quota for ${model} is used up ${detail}. Add credit or take another model, then resume.`,
    );
  }
  if (status === 429)
    return failed(`${capitalize(server)} limits the rate of ${model}${tries} ${detail}. Resume later.`);
  if (isTooLong(error, said)) return failed(`The conversation is too long for ${model} ${detail}.`);
  if (status < 500) return failed(`${capitalize(server)} refused the request to ${model} ${detail}.`);
  return failed(`${capitalize(server)} failed for ${model}${tries} ${detail}. Resume later.`);
}

function describeUnknown(server: string, model: string, detail: string, context: FailureContext): string {
  const choices = context.choices ?? [];
  const named = choices.slice(0, mostChoices).join(", ");
  const more = choices.length > mostChoices ? `, and ${choices.length - mostChoices} more` : "";
  const hint =
    choices.length > 0 ? `Known models: ${named}${more}.` : "Check the model's name and the base URL.";
  return `${capitalize(server)} does not know ${model} ${detail}. ${hint}`;
}

function isTooLong(error: unknown, said: string): boolean {
  return (
    readErrorBody(error)?.code === "context_length_exceeded" ||
    /maximum context length|context window/i.test(said)
  );
}

function toDetail(error: unknown, apiKey: string | undefined): string {
  const message = readErrorBody(error)?.message;
  const code = toChain(error)
    .map(readCode)
    .find((found) => found !== undefined && /^(E[A-Z]|UND_)/.test(found));
  const given = typeof message === "string" ? message : (code ?? toMessage(error));
  const line = given
    .replace(/Troubleshooting URL:.*$/s, "")
    .replace(/^\d{3}\s+/, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\.$/, "");
  if (/^<(!doctype|html)/i.test(line)) return "an HTML page";
  const open = line.replace(/\/\/[^/@\s]*@/g, "//");
  const safe = apiKey ? open.replaceAll(apiKey, "[key]") : open;
  if (safe === "") return "no message";
  return safe.length > longestDetail ? `${safe.slice(0, longestDetail)}…` : safe;
}

function readErrorBody(error: unknown): Record<string, unknown> | undefined {
  const body = toChain(error)
    .map((link) => link.error)
    .find(isRecord);
  // Some clients keep the whole body, some only what stands under its "error".
  return isRecord(body?.error) ? body.error : body;
}

function hasCode(error: unknown, codes: string[]): boolean {
  return toChain(error).some((link) => codes.includes(readCode(link) ?? ""));
}

// A name with two addresses fails with an AggregateError, whose code stands in its parts.
function readCode(error: Record<string, unknown>): string | undefined {
  if (typeof error.code === "string") return error.code;
  const parts = Array.isArray(error.errors) ? error.errors.filter(isRecord) : [];
  return parts.map(readCode).find((code) => code !== undefined);
}

// LangChain wraps the client's errors, the client those of fetch; five links are more than any of them makes.
function toChain(error: unknown): Record<string, unknown>[] {
  const chain: Record<string, unknown>[] = [];
  for (let link = error; isRecord(link) && chain.length < 5; link = link.cause) chain.push(link);
  return chain;
}

function capitalize(text: string): string {
  return text.startsWith("http") ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
