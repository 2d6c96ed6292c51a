import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ChosenModel } from "../graph/parts.ts";
import { offlineModelName, pickModelName, resolveModel, resolveSkillModel } from "../model/resolve.ts";
import type { Settings } from "./settings.ts";

/** The models of one agent, each made at its first use. */
export interface Models {
  /** The session's model. */
  name: string;
  /** Why it is this one, in a few words. */
  reason: string;
  /** True when it chooses skills from words alone. */
  guesses: boolean;
  choose: (wanted: string | undefined) => Promise<ChosenModel>;
}

/** Models by the settings, or one that the caller brings. A key that is missing is named at the first call. */
export function createModels(settings: Settings, own?: BaseChatModel): Models {
  if (own) return fixedModel(own);
  const { apiKey, baseUrl, models: aliases } = settings;
  const endpoint = { ...(apiKey ? { apiKey } : {}), ...(baseUrl ? { baseUrl } : {}) };
  const picked = pickModelName(settings.model, endpoint);
  const made = new Map<string, Promise<ChosenModel>>();
  const get = (name: string) => {
    const model = made.get(name) ?? resolveModel(name, { ...endpoint, aliases });
    made.set(name, model);
    return model;
  };
  return {
    ...picked,
    guesses: (Object.hasOwn(aliases, picked.name) ? aliases[picked.name] : picked.name) === offlineModelName,
    choose: async (wanted) => {
      const { name, diagnostic } = resolveSkillModel(wanted, picked.name, aliases);
      const model = await get(name);
      return diagnostic === undefined ? model : { ...model, diagnostic };
    },
  };
}

function fixedModel(chat: BaseChatModel): Models {
  const name = (chat as { model?: unknown }).model;
  const model = { name: typeof name === "string" ? name : chat._llmType(), chat, guesses: false };
  return {
    name: model.name,
    reason: "given by the caller",
    guesses: false,
    choose: async (wanted) => {
      const { diagnostic } = resolveSkillModel(wanted, model.name, {});
      return diagnostic === undefined ? model : { ...model, diagnostic };
    },
  };
}
