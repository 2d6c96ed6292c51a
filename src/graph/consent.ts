import type { Catalog } from "../skills/catalog.ts";
import type { Skill } from "../skills/schema.ts";
import type { GraphParts } from "./parts.ts";
import type { WantedSkill } from "./skill-state.ts";

/** The request with the reason for which a person must agree first, where there is one. */
export function withConsent(
  request: WantedSkill,
  catalog: Catalog,
  { mode, guesses }: { mode: GraphParts["policy"]["mode"]; guesses: boolean },
): WantedSkill {
  const skill = catalog.get(request.name);
  if (request.consent !== undefined || request.agreed || !skill) return request;
  const why = findConsent(request, skill, guesses);
  if (why === undefined || mode === "allow") return request;
  return { ...request, consent: why, path: skill.path };
}

/** Loading grants permissions, so a guess and a stranger's skill need a person's word first. */
function findConsent(request: WantedSkill, skill: Skill, guesses: boolean): string | undefined {
  if (!skill.trusted) return `it comes from a folder that is not trusted: ${skill.source}`;
  if (request.chosenBy === "model" && guesses) return "it was chosen from the words of the request alone";
  return undefined;
}
