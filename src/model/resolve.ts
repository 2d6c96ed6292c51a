import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { EmptyContent } from "./repair.ts";

/** What models are made from; the runtime reads it from flags, environment and files. */
export interface ModelSettings {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** Names of our own for models, such as `fast` for `gpt-5-nano`. */
  aliases: Record<string, string>;
  /** Longest silence of the server, in milliseconds. Default 300,000. */
  timeoutMs?: number | undefined;
  /** Requests after the first one when the server is busy or unreachable. Default 2. */
  maxRetries?: number | undefined;
  /** Content of turns that only call tools, for servers that refuse the empty string. Default `string`. */
  emptyContent?: EmptyContent | undefined;
}

/** A model that is ready to be asked. */
export interface ResolvedModel {
  /** The name that the server knows. */
  name: string;
  chat: BaseChatModel;
  /** True when it chooses skills from words alone, so that a person confirms. */
  guesses: boolean;
}

/** A model's name as it was set, and where. */
export interface ModelWish {
  name?: string | undefined;
  from: "flag" | "environment" | "settings" | "default";
}

/** The embedded model, which needs neither key nor network. */
export const offlineModelName = "offline";

/** Small, quick and good at calling tools: what a person with a key gets who names no model. */
export const defaultModelName = "gpt-5-mini";

/**
 * Makes the model of a name or an alias. Nothing is asked yet: a missing key or an unknown name fails at the
 * first call.
 */
export async function resolveModel(name: string, settings: ModelSettings): Promise<ResolvedModel> {
  const resolved = readAlias(name, settings.aliases) ?? name;
  if (resolved === offlineModelName) {
    const { createOfflineModel } = await import("./offline.ts");
    return { name: resolved, chat: createOfflineModel(), guesses: true };
  }
  const { aliases: _aliases, ...options } = settings;
  const { createOpenAIModel } = await import("./openai.ts");
  return { name: resolved, chat: createOpenAIModel({ ...options, model: resolved }), guesses: false };
}

/**
 * The model for a skill. Skills name models of many vendors, which the person's server need not have, so a
 * skill's wish counts only through the aliases of the settings.
 *
 * @param wanted The skill's `model`.
 * @param session The session's model.
 */
export function resolveSkillModel(
  wanted: string | undefined,
  session: string,
  aliases: Record<string, string>,
): { name: string; diagnostic?: string } {
  const wish = wanted?.trim() ?? "";
  if (wish === "" || wish.toLowerCase() === "inherit" || wish === session) return { name: session };
  if ((readAlias(session, aliases) ?? session) === offlineModelName) return { name: session };
  const mapped = readAlias(wish, aliases);
  if (mapped !== undefined) return { name: mapped };
  const diagnostic = `The skill asks for model "${wish}", which the settings do not map to a model; "${session}" serves. Known names: ${listAliases(aliases)}.`;
  return { name: session, diagnostic };
}

/** The model's name and why it is this one: what was set, else what the key or base URL allows. */
export function pickModelName(
  wish: ModelWish,
  endpoint: Pick<ModelSettings, "apiKey" | "baseUrl">,
): { name: string; reason: string } {
  const reasons = {
    flag: "named by the option model",
    environment: "named by SKILLGRAPH_MODEL",
    settings: "named in the settings",
    default: "named as the default",
  };
  if (wish.name) return { name: wish.name, reason: reasons[wish.from] };
  if (endpoint.apiKey) return { name: defaultModelName, reason: "the default when a key is set" };
  if (endpoint.baseUrl) return { name: defaultModelName, reason: "the default when a base URL is set" };
  return { name: offlineModelName, reason: "no model, OPENAI_API_KEY or OPENAI_BASE_URL is set" };
}

// A skill's file gives the name, so only own keys count.
function readAlias(name: string, aliases: Record<string, string>): string | undefined {
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

function listAliases(aliases: Record<string, string>): string {
  const names = Object.keys(aliases);
  return names.length > 0 ? names.join(", ") : "none";
}
