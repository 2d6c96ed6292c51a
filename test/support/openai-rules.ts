/** What a refusal says, worded and shaped as OpenAI does. */
export interface Refusal {
  status: number;
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

/** How a server wants the content of an assistant turn that only calls tools: each is seen in the wild. */
export type ToolTurnContent = "any" | "null" | "string" | "key";

export interface RuleOptions {
  /** Models that exist; any name when left out. */
  models?: string[];
  /** Default `any`. */
  toolTurnContent?: ToolTurnContent;
}

type Json = Record<string, unknown>;

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;
const roles = ["system", "assistant", "user", "function", "tool", "developer"];

/** The first rule of the protocol that a chat-completions request breaks, or undefined. */
export function findRefusal(body: unknown, options: RuleOptions = {}): Refusal | undefined {
  if (!isObject(body)) return refuse("We could not parse the JSON body of your request.", null);
  if (typeof body.model !== "string" || body.model === "") {
    return refuse("you must provide a model parameter", null);
  }
  if (options.models !== undefined && !options.models.includes(body.model)) {
    const message = `The model \`${body.model}\` does not exist or you do not have access to it.`;
    return { status: 404, message, type: "invalid_request_error", param: null, code: "model_not_found" };
  }
  if (!Array.isArray(body.messages)) {
    return refuse("Missing required parameter: 'messages'.", "messages", "missing_required_parameter");
  }
  if (body.messages.length === 0) return refuseEmpty("messages");
  return (
    findToolsRefusal(body) ??
    findMessagesRefusal(body.messages, options.toolTurnContent ?? "any") ??
    findPairingRefusal(body.messages) ??
    findMissingTools(body)
  );
}

/** The refusal as the body of an HTTP answer. */
export function toErrorBody(refusal: Refusal): Json {
  const { message, type, param, code } = refusal;
  return { error: { message, type, param, code } };
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function findToolsRefusal(body: Json): Refusal | undefined {
  if (body.tools === undefined) return undefined;
  if (!Array.isArray(body.tools)) return refuse("Invalid type for 'tools': expected an array.", "tools");
  if (body.tools.length === 0) return refuseEmpty("tools");
  const seen = new Set<string>();
  for (const [index, tool] of body.tools.entries()) {
    const at = `tools[${index}]`;
    const refusal = findToolRefusal(tool, at);
    if (refusal !== undefined) return refusal;
    const { name } = (tool as { function: { name: string } }).function;
    if (seen.has(name)) return refuse(`Invalid '${at}.function.name': '${name}' is given twice.`, at);
    seen.add(name);
  }
  return undefined;
}

function findToolRefusal(tool: unknown, at: string): Refusal | undefined {
  if (!isObject(tool) || tool.type !== "function") return refuseMissing(`${at}.type`);
  if (!isObject(tool.function)) return refuseMissing(`${at}.function`);
  const { name, parameters } = tool.function;
  const nameRefusal = findNameRefusal(name, `${at}.function.name`);
  if (nameRefusal !== undefined) return nameRefusal;
  if (parameters === undefined) return undefined;
  const wrong = (why: string) =>
    refuse(
      `Invalid schema for function '${String(name)}': ${why}`,
      `${at}.function.parameters`,
      "invalid_function_parameters",
    );
  if (!isObject(parameters) || parameters.type !== "object") {
    return wrong(`schema must be a JSON Schema of 'type: "object"'.`);
  }
  if (!isObject(parameters.properties)) {
    return wrong("In context=(), object schema missing properties.");
  }
  return undefined;
}

function findMessagesRefusal(messages: unknown[], toolTurn: ToolTurnContent): Refusal | undefined {
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    if (!isObject(message)) return refuse(`Invalid type for '${at}': expected an object.`, at);
    if (typeof message.role !== "string") return refuseMissing(`${at}.role`);
    if (!roles.includes(message.role)) {
      return refuse(`Invalid value: '${message.role}'. Supported values are: ${roles.join(", ")}.`, at);
    }
    const calls = message.tool_calls;
    const refusal =
      calls === undefined
        ? findContentRefusal(message, at)
        : (findCallsRefusal(calls, at, ids) ?? findToolTurnRefusal(message, at, toolTurn));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function findContentRefusal(message: Json, at: string): Refusal | undefined {
  if (message.role === "tool" && typeof message.tool_call_id !== "string") {
    return refuseMissing(`${at}.tool_call_id`);
  }
  if (typeof message.content === "string" || Array.isArray(message.content)) return undefined;
  const got = message.content === null ? "null" : typeof message.content;
  return refuse(`Invalid value for 'content': expected a string, got ${got}.`, `${at}.content`);
}

function findToolTurnRefusal(message: Json, at: string, wanted: ToolTurnContent): Refusal | undefined {
  const { content } = message;
  if (typeof content === "string" && content !== "") return undefined;
  const passes =
    wanted === "any" ||
    (wanted === "null" && (content === null || content === undefined)) ||
    (wanted === "string" && typeof content === "string") ||
    (wanted === "key" && Object.hasOwn(message, "content"));
  return passes
    ? undefined
    : refuse(`Invalid value for 'content': expected ${wanted} beside 'tool_calls'.`, `${at}.content`);
}

function findCallsRefusal(calls: unknown, at: string, ids: Set<string>): Refusal | undefined {
  if (!Array.isArray(calls)) return refuse(`Invalid type for '${at}.tool_calls': expected an array.`, at);
  if (calls.length === 0) return refuseEmpty(`${at}.tool_calls`);
  for (const [index, call] of calls.entries()) {
    const here = `${at}.tool_calls[${index}]`;
    if (!isObject(call) || typeof call.id !== "string" || call.id === "") return refuseMissing(`${here}.id`);
    if (call.type !== "function") return refuseMissing(`${here}.type`);
    if (!isObject(call.function)) return refuseMissing(`${here}.function`);
    const nameRefusal = findNameRefusal(call.function.name, `${here}.function.name`);
    if (nameRefusal !== undefined) return nameRefusal;
    if (!isJsonObjectText(call.function.arguments)) {
      return refuse(`Invalid '${here}.function.arguments': expected the text of a JSON object.`, here);
    }
    if (ids.has(call.id)) return refuse(`Duplicate value for 'tool_call_id': '${call.id}'.`, `${here}.id`);
    ids.add(call.id);
  }
  return undefined;
}

function findPairingRefusal(messages: unknown[]): Refusal | undefined {
  let open: string[] = [];
  for (const [index, message] of (messages as Json[]).entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id)) return refuse(orphanText, `messages.[${index}].role`);
      open = open.filter((candidate) => candidate !== id);
      continue;
    }
    if (open.length > 0) return refuse(unpairedText(open), `messages.[${index}].role`);
    open = ((message.tool_calls ?? []) as { id: string }[]).map((call) => call.id);
  }
  return open.length > 0 ? refuse(unpairedText(open), `messages.[${messages.length}].role`) : undefined;
}

// Gateways to other vendors refuse a history with tool calls when the request offers no tools.
function findMissingTools(body: Json): Refusal | undefined {
  const used = (body.messages as Json[]).some((message) => message.tool_calls !== undefined);
  return used && body.tools === undefined
    ? refuse("'tools' must be set when the messages contain 'tool_calls'.", "tools")
    : undefined;
}

function findNameRefusal(name: unknown, at: string): Refusal | undefined {
  if (typeof name !== "string") return refuseMissing(at);
  if (namePattern.test(name)) return undefined;
  const message = `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'.`;
  return refuse(message, at, "invalid_value");
}

function isJsonObjectText(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return isObject(JSON.parse(value));
  } catch {
    return false;
  }
}

const orphanText =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";

function unpairedText(ids: string[]): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
}

function refuse(message: string, param: string | null, code: string | null = null): Refusal {
  return { status: 400, message, type: "invalid_request_error", param, code };
}

function refuseMissing(param: string): Refusal {
  return refuse(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
}

function refuseEmpty(param: string): Refusal {
  const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  return refuse(message, param, "empty_array");
}
