import { offlineModelName, pickModelName } from "../../model/resolve.ts";
import type { Settings } from "../settings.ts";
import type { Check } from "./check.ts";

/** Which model serves and why, and whether what it needs is set. No key is ever part of a text. */
export function checkModel(settings: Settings): Check[] {
  const { apiKey, baseUrl, models } = settings;
  const endpoint = { ...(apiKey ? { apiKey } : {}), ...(baseUrl ? { baseUrl } : {}) };
  const { name, reason } = pickModelName(settings.model, endpoint);
  const known = Object.hasOwn(models, name) ? (models[name] ?? name) : name;
  const alias = known === name ? "" : ` (${known} by the settings' models)`;
  return [
    { name: "model", status: "ok", text: `${name}${alias}: ${reason}` },
    checkKey(known, settings),
    ...(baseUrl === undefined ? [] : [checkBaseUrl(baseUrl, settings)]),
  ];
}

function checkKey(model: string, { apiKey, baseUrl }: Settings): Check {
  const name = "key";
  if (apiKey !== undefined) return { name, status: "ok", text: "OPENAI_API_KEY is set" };
  const unset = "OPENAI_API_KEY is not set";
  if (model === offlineModelName) {
    return { name, status: "ok", text: `${unset}, and the offline model needs none` };
  }
  if (baseUrl !== undefined) {
    return { name, status: "ok", text: `${unset}: the base URL is sent a placeholder` };
  }
  const help = `Set it, or OPENAI_BASE_URL for a server that needs no key, or use --model ${offlineModelName}.`;
  return { name, status: "error", text: `${unset}, and ${model} needs it. ${help}` };
}

function checkBaseUrl(baseUrl: string, { environment }: Settings): Check {
  const name = "base URL";
  const from = environment.OPENAI_BASE_URL === baseUrl ? "from OPENAI_BASE_URL" : "from the settings";
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    return { name, status: "error", text: `it is no http or https URL (${from})` };
  }
  const { protocol, host, pathname, username, password, search } = new URL(baseUrl);
  // Some gateways take the key as a part of the address.
  const hidden =
    username === "" && password === "" && search === "" ? "" : " without what may be secret in it";
  return { name, status: "ok", text: `${protocol}//${host}${pathname}${hidden} (${from})` };
}
