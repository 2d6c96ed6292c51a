import { cutText } from "./cut-text.ts";
import {
  escapeListed,
  type Form,
  forms,
  type ListedSkill,
  type ListingForm,
  type ReadSkill,
  toOneLine,
} from "./listing-form.ts";

export type { ListedSkill, ListingForm, ReadSkill } from "./listing-form.ts";

/** The catalog as text, and what of it could not be shown whole. */
export interface Listing {
  text: string;
  /** Skills that were given. */
  offered: number;
  /** Descriptions that were cut. */
  cut: number;
  /** Greatest length of a description, when one was cut. */
  limit?: number;
  /** Skills of which only the name is shown. */
  namesOnly: number;
  /** Skills whose names had no room either. */
  unlisted: number;
  /** Names of all these, in the order of the listing. */
  shortened: string[];
}

/** Options of {@link renderListing}. */
export interface ListingOptions {
  /** Greatest length of the text in characters (UTF-16 units). Default {@link defaultListingBudget}. */
  budget?: number;
  /** Default `list`. */
  form?: ListingForm;
  /** Names of skills that were used, the latest first: they are shortened last. Default none. */
  recent?: readonly string[];
}

/** Characters that a listing takes at most when no budget is given. */
export const defaultListingBudget = 15_000;

/** A description that would be cut to less than this says little: names only, then. */
export const shortestCut = 60;

/** What skills that were used lately may take of the budget with their whole descriptions. */
const SHARE_OF_RECENT = 0.5;

interface Entry {
  skill: ListedSkill;
  /** On one line. */
  description: string;
  /** Of the description as it is written. */
  size: number;
  /** Characters of the line with the name only, its line end included. */
  nameCost: number;
  /** What a description costs beside its own size. */
  frame: number;
}

/** Entries that are named, with the room for the description; the others are not listed. */
type Plan = Map<Entry, number>;

/**
 * Writes the catalog for the model, one line for each skill: modes first, else in the given order.
 *
 * Over the budget, hints go first. Then every description is cut to the same greatest length (short ones stay
 * whole). Where that would leave less than {@link shortestCut}, skills become names, those used least recently
 * first. Names go last, replaced by a line `and N more`. Skills that were used stay whole, as long as together
 * they take no more than half of the budget. The same input always gives the same text.
 *
 * @param skills - In the order of precedence.
 */
export function renderListing(skills: readonly ListedSkill[], options: ListingOptions = {}): Listing {
  const { budget = defaultListingBudget, recent = [] } = options;
  const form = forms[options.form ?? "list"];
  const ordered = [...skills.filter(({ mode }) => mode), ...skills.filter(({ mode }) => !mode)];
  const entries = ordered.map((skill) => toEntry(skill, form));
  const whole = write(entries, form, ({ skill, description }) => [
    form.toLine(skill, description),
    ...form.toHint(skill),
  ]);
  if (whole.length <= budget) return toListing(whole, entries);

  const base = write(entries, form, () => []).length;
  const plan = planListing(entries, budget - base, recent);
  const left = entries.length - plan.size;
  const text = write(
    entries,
    form,
    (entry) => {
      const room = plan.get(entry);
      return room === undefined ? [] : [form.toLine(entry.skill, cutEntry(entry, room))];
    },
    left === 0 ? [] : [toRest(left)],
  );
  return toListing(text, entries, plan);
}

/** Reads the entries of a listing out of a longer text, such as the description of the `Skill` tool. */
export function parseListing(text: string): ReadSkill[] {
  const lines = text.split("\n");
  // What is listed cannot begin a list, what stands before it can.
  const [begin, form] = Object.values(forms)
    .map((each): [number, Form] => [lines.lastIndexOf(each.opening), each])
    .reduce((one, other) => (other[0] > one[0] ? other : one));
  if (begin === -1) return [];
  const end = lines.indexOf(form.closing, begin);
  return lines
    .slice(begin + 1, end === -1 ? undefined : end)
    .map(form.read)
    .filter((read) => read !== undefined);
}

function toEntry(skill: ListedSkill, form: Form): Entry {
  const description = toOneLine(skill.description);
  const size = measure(description);
  const name = form.toLine(skill, "").length;
  return {
    skill,
    description,
    size,
    nameCost: name + 1,
    frame: form.toLine(skill, description).length - size - name,
  };
}

function write(
  entries: Entry[],
  form: Form,
  toLines: (entry: Entry) => string[],
  rest: string[] = [],
): string {
  const first = entries.findIndex(({ skill }) => !skill.mode);
  const headings = first > 0 ? form.headings : undefined;
  const lines = entries.flatMap((entry, index) => [
    ...(headings && index === 0 ? [headings[0]] : []),
    ...(headings && index === first ? [headings[1]] : []),
    ...toLines(entry),
  ]);
  return [form.opening, ...lines, ...rest, form.closing].join("\n");
}

function planListing(entries: Entry[], room: number, recent: readonly string[]): Plan {
  const ranks = new Map(recent.map((name, index) => [name, index]));
  const rank = ({ skill }: Entry) => ranks.get(skill.name) ?? recent.length;
  const ranked = [...entries].sort((one, other) => rank(one) - rank(other));
  const used = ranked.slice(0, ranked.filter(({ skill }) => ranks.has(skill.name)).length);
  const kept = takeWhile(used, room * SHARE_OF_RECENT, wholeCost);
  const plan: Plan = new Map(kept.map((entry) => [entry, entry.size]));
  const others = ranked.slice(kept.length);
  const left = room - sum(kept, wholeCost);
  const names = sum(others, ({ nameCost }) => nameCost);
  if (names > left) {
    const spare = left - toRest(entries.length).length - 1;
    for (const entry of takeWhile(others, spare, ({ nameCost }) => nameCost)) plan.set(entry, 0);
    return plan;
  }
  const least = ({ frame, size }: Entry) => frame + Math.min(size, shortestCut);
  const described = takeWhile(others, left - names, least);
  const limit = findFairLimit(
    described.map(({ size }) => size),
    left - names - sum(described, ({ frame }) => frame),
  );
  for (const [index, entry] of others.entries()) plan.set(entry, index < described.length ? limit : 0);
  return plan;
}

function wholeCost({ nameCost, frame, size }: Entry): number {
  return nameCost + frame + size;
}

function cutEntry({ description, size }: Entry, room: number): string {
  if (room >= size) return description;
  return room < shortestCut ? "" : cutText(description, room, measure);
}

function toListing(text: string, entries: Entry[], plan?: Plan): Listing {
  const roomOf = (entry: Entry) => (plan ? plan.get(entry) : entry.size);
  const short = entries.filter((entry) => (roomOf(entry) ?? -1) < entry.size);
  const unlisted = short.filter((entry) => roomOf(entry) === undefined).length;
  const cut = short.filter((entry) => (roomOf(entry) ?? 0) > 0);
  const [first] = cut;
  return {
    text,
    offered: entries.length,
    cut: cut.length,
    ...(first ? { limit: roomOf(first) ?? 0 } : {}),
    namesOnly: short.length - unlisted - cut.length,
    unlisted,
    shortened: short.map(({ skill }) => skill.name),
  };
}

function toRest(count: number): string {
  return `and ${count} more: SearchSkills finds them`;
}

function measure(text: string): number {
  return escapeListed(text).length;
}

function sum<Item>(items: Item[], cost: (item: Item) => number): number {
  return items.reduce((total, item) => total + cost(item), 0);
}

/** The first items that together cost no more than there is. */
function takeWhile<Item>(items: Item[], room: number, cost: (item: Item) => number): Item[] {
  let left = room;
  const end = items.findIndex((item) => {
    left -= cost(item);
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** The greatest length that all descriptions may have so that together they fit the room. */
function findFairLimit(lengths: number[], room: number): number {
  const sorted = [...lengths].sort((one, other) => one - other);
  let left = room;
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
