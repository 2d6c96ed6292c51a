import { riskWords } from "../../permissions/risk.ts";
import type { Catalog } from "../../skills/catalog.ts";
import { readFolderFiles } from "../../skills/folder-files.ts";
import type { Skill } from "../../skills/schema.ts";
import type { GraphParts } from "../parts.ts";
import type { ConsentTerms, WantedSkill } from "../skill-state.ts";
import { readAgain } from "./read-again.ts";
import { readRequests } from "./skill-requests.ts";
import type { SkillTrust } from "./trust.ts";

/** The request with the reason for which a person must agree first, where there is one, and what they agree to. */
export function withConsent(
  request: WantedSkill,
  catalog: Catalog,
  { parts, guesses }: { parts: Pick<GraphParts, "policy" | "trust">; guesses: boolean },
): WantedSkill {
  const skill = catalog.get(request.name);
  if (request.consent !== undefined || request.agreed || !skill || parts.policy.mode === "allow") {
    return request;
  }
  const trust = parts.trust.check(skill);
  const why = trust.trusted ? findDoubt(request, guesses) : trust.reason;
  if (why === undefined) return request;
  return { ...request, consent: why, path: skill.path, terms: toTerms(skill, trust, catalog) };
}

/**
 * What a person agreed to, asked anew: the same question with what is there now, when that is not what they were
 * shown.
 *
 * @returns undefined when nothing changed
 */
export function renewConsent(
  request: WantedSkill,
  { catalog, trust: desk }: Pick<GraphParts, "catalog" | "trust">,
): WantedSkill | undefined {
  const known = catalog();
  const skill = known.get(request.name);
  if (!request.terms || !skill || skill.path !== request.path) return undefined;
  const trust = desk.check(skill);
  if (readDigest(skill, trust) === request.terms.digest) return undefined;
  return {
    ...request,
    consent: trust.reason ?? "its files changed after you were asked",
    terms: toTerms(skill, trust, known),
  };
}

/** Why a skill is not loaded now: it is not what the person agreed to, or nobody agreed to what it has become. */
export function findLoadFault(
  request: WantedSkill,
  skill: Skill,
  trust: SkillTrust,
  mode: GraphParts["policy"]["mode"],
): string | undefined {
  if (request.path !== undefined && request.path !== skill.path) {
    return `Not loaded: the person agreed to ${request.path}, and "${skill.name}" is now another file. Ask again.`;
  }
  if (request.terms && readDigest(skill, trust) !== request.terms.digest) {
    return `Not loaded: the files of "${skill.name}" changed after the person agreed. Ask again.`;
  }
  if (request.chosenBy === "model" && !skill.modelInvocable) {
    return `Not loaded: only a person can load "${skill.name}", by typing /${skill.name}.`;
  }
  if (trust.trusted || request.agreed || mode === "allow") return undefined;
  return `Not loaded: "${skill.name}" needs a person's word, because ${trust.reason}. Ask again.`;
}

/** What a person is told of a skill before they agree, in sentences. */
export function describeTerms({ source, risk, asks, trusted }: ConsentTerms): string {
  const level = `(risk ${risk}: ${riskWords[risk]})`;
  const list = asks.join(", ");
  if (trusted) {
    const given = asks.length === 0 ? "no permissions of its own" : list;
    return `It comes from ${source} and is granted ${given} ${level}.`;
  }
  const wish = asks.length === 0 ? "asks for no permissions" : `asks for ${list}`;
  return `It comes from ${source} and ${wish} ${level}. It is granted nothing until "skillgraph trust".`;
}

/** Loading grants permissions, so a guess needs a person's word first. */
function findDoubt(request: WantedSkill, guesses: boolean): string | undefined {
  if (request.chosenBy === "model" && guesses) return "it was chosen from the words of the request alone";
  return undefined;
}

function toTerms(skill: Skill, trust: SkillTrust, catalog: Catalog): ConsentTerms {
  return {
    digest: readDigest(skill, trust),
    source: skill.source,
    trusted: trust.trusted,
    ...readRequests(readAgain(skill, catalog) ?? skill),
    files: trust.files,
  };
}

function readDigest({ directory }: Skill, { digest }: SkillTrust): string {
  return digest ?? readFolderFiles(directory).digest;
}
