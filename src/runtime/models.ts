import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ChosenModel, WantedModel } from "../graph/parts.ts";
import { offlineModelName, pickModelName, resolveModel, resolveSkillModel } from "../model/resolve.ts";
import type { Settings } from "./settings.ts";

/** The models of one agent, each made at its first use. */
export interface Models {
  /** The session's model. */
  name: string;
  /** Why it is this one, in a few words. */
  reason: string;
  /** True when it, or the model named in its place, chooses skills from words alone. */
  guesses: (session?: string) => boolean;
  choose: (wish: WantedModel) => Promise<ChosenModel>;
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
    guesses: (session = picked.name) =>
      (Object.hasOwn(aliases, session) ? aliases[session] : session) === offlineModelName,
    choose: async ({ skill, session = picked.name }) => {
      const { name, diagnostic } = resolveSkillModel(skill, session, aliases);
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
    guesses: () => false,
    choose: async ({ skill, session }) => {
      const wish = resolveSkillModel(skill, model.name, {}).diagnostic;
      const instead =
        session === undefined || session === model.name
          ? undefined
          : `the model is ${model.name}, given by the caller; "${session}" is not used`;
      const diagnostic = instead ?? wish;
      return diagnostic === undefined ? model : { ...model, diagnostic };
    },
  };
}
