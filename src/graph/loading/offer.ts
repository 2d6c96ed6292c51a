import type { Catalog } from "../../skills/catalog.ts";
import {
  defaultListingBudget,
  type Listing,
  type ListingForm,
  renderListing,
} from "../../skills/listing/listing.ts";
import { type SkillSearch, searchSkills } from "../../skills/listing/search.ts";
import type { Skill } from "../../skills/schema.ts";
import type { RunContext } from "../context.ts";
import type { CatalogPlace } from "../parts.ts";
import type { RouteDecision, State } from "../state.ts";
import { isUnvouched } from "./trust.ts";

/** What the offer depends on beside the catalog. */
export type OfferState = Partial<Pick<State, "unlocked">>;

/** The catalog as one model is shown it. */
export interface Offer {
  /** In the order of the catalog. */
  skills: Skill[];
  listing: Listing;
  /** Characters that it was given. */
  budget: number;
  /** Names that the `Skill` tool advertises as its choices. */
  choices: string[];
}

/** An offer, and what became of it where it was shortened by what was used. */
interface KeptOffer {
  whole: Offer;
  byRecent: Map<string, Offer>;
}

/** What of a model's window the catalog may take. */
const SHARE_OF_WINDOW = 0.02;
/** Characters of English text in a token, roughly: https://platform.openai.com/tokenizer */
const CHARACTERS_PER_TOKEN = 4;
/** How much of the catalog's budget the list of permitted names may take. */
const MAX_SHARE_OF_CHOICES = 0.25;
/** Offers that are kept: contexts, models and what was used differ from run to run. */
const MAX_KEPT = 20;
/** Names that a checkpoint keeps of the shortened skills. */
const MAX_NAMED = 20;

/** The skills that the model may know of, in the order of the catalog. The one place that decides it. */
export function listOffered(
  catalog: Pick<Catalog, "skills">,
  { skills }: Pick<RunContext, "skills">,
  { unlocked = [] }: OfferState,
): Skill[] {
  const open = new Set(unlocked);
  return catalog.skills.filter((skill) => {
    const { name, modelInvocable, paths } = skill;
    if (!modelInvocable || isUnvouched(skill) || (skills !== undefined && !skills.has(name))) return false;
    return paths.length === 0 || open.has(name);
  });
}

/** Looks among the skills that the model may know of. */
export function searchOffered(
  catalog: Pick<Catalog, "skills">,
  context: Pick<RunContext, "skills">,
  state: OfferState,
): (query: string, limit: number) => SkillSearch {
  return (query, limit) =>
    searchSkills(catalog.skills, query, { offered: listOffered(catalog, context, state), limit });
}

/** Writes the catalog for a model. Kept until the catalog, the budget, or what was used and does not fit changes. */
export function createOfferWriter({
  listingBudget,
  catalogPlace,
}: {
  listingBudget?: number;
  catalogPlace: CatalogPlace;
}) {
  const form: ListingForm = catalogPlace === "system-prompt" ? "elements" : "list";
  const kept: KeptOffer[] = [];
  return (
    catalog: Pick<Catalog, "skills">,
    context: Pick<RunContext, "skills">,
    state: Pick<State, "active" | "recent" | "unlocked">,
    chat?: unknown,
  ): Offer => {
    const budget = listingBudget ?? findBudget(chat);
    const skills = listOffered(catalog, context, state);
    const known = kept.find(({ whole }) => whole.budget === budget && isSame(whole.skills, skills));
    const entry = known ?? { whole: writeOffer(skills, budget, form, []), byRecent: new Map() };
    if (!known && kept.push(entry) > MAX_KEPT) kept.shift();
    // What was used lately only matters where something is left out.
    const recent = listRecent(state);
    if (!isShortened(entry.whole) || recent.length === 0) return entry.whole;
    const key = recent.join("\n");
    const offer = entry.byRecent.get(key) ?? writeOffer(skills, budget, form, recent);
    if (entry.byRecent.size >= MAX_KEPT) entry.byRecent.clear();
    entry.byRecent.set(key, offer);
    return offer;
  };
}

/** True when not every description fits. */
export function isShortened({ listing }: Pick<Offer, "listing">): boolean {
  return listing.shortened.length > 0;
}

/** What a checkpoint keeps of an offer. */
export function toOfferFacts({ listing }: Offer): NonNullable<RouteDecision["offer"]> {
  const { text: _text, shortened, ...counts } = listing;
  return { ...counts, shortened: shortened.slice(0, MAX_NAMED) };
}

/** The end of the system prompt, where the catalog stands in it. */
export function renderOffer(offer: Offer): string {
  if (offer.skills.length === 0) return "";
  const search = isShortened(offer) ? " SearchSkills finds what is cut or left out here." : "";
  return [
    "Skills: instructions for kinds of tasks. When one fits the task, load it before doing anything else: Read the",
    `SKILL.md at its location, or call Skill with its name.${search}`,
    offer.listing.text,
  ].join("\n");
}

function isSame(one: Skill[], other: Skill[]): boolean {
  return one.length === other.length && one.every((skill, index) => skill === other[index]);
}

function writeOffer(skills: Skill[], budget: number, form: ListingForm, recent: string[]): Offer {
  const choices = skills.map(({ name }) => name);
  const size = JSON.stringify(choices).length;
  if (form === "list" && size <= budget * MAX_SHARE_OF_CHOICES) {
    // The choices repeat the listing's names, so they count too, and give way where descriptions would.
    const listing = renderListing(skills, { budget: budget - size, form, recent });
    if (listing.shortened.length === 0) return { skills, listing, budget, choices };
  }
  return { skills, listing: renderListing(skills, { budget, form, recent }), budget, choices: [] };
}

/** A share of what the model can read at once, where LangChain knows it. */
function findBudget(chat: unknown): number {
  const { profile } = (chat ?? {}) as { profile?: { maxInputTokens?: unknown } };
  const window = profile?.maxInputTokens;
  if (typeof window !== "number" || !Number.isFinite(window) || window <= 0) return defaultListingBudget;
  return Math.floor(window * SHARE_OF_WINDOW * CHARACTERS_PER_TOKEN);
}

/** Active skills and those that were asked for, the latest first. */
function listRecent({ active, recent }: Pick<State, "active" | "recent">): string[] {
  return [...new Set([...active.map(({ name }) => name).reverse(), ...recent])];
}
