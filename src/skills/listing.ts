/** What the listing says of one skill. */
export interface ListedSkill {
  name: string;
  description: string;
  argumentHint?: string;
}

/** The catalog as text, with the names of the skills that could not be shown whole. */
export interface Listing {
  text: string;
  /** Skills whose description was cut, left out, or whose name did not fit either; in the given order. */
  shortened: string[];
}

/** Characters (UTF-16 units) that a listing takes at most when no budget is given. */
export const defaultListingBudget = 15_000;

const OPENING = "<skills>";
const CLOSING = "</skills>";
const CUT_MARK = "…";
/** A description that would be cut to less than this says nothing: names only, then. */
const SHORTEST_CUT = 12;
/** A plain name or a JSON string, a colon, and what is left of the description. */
const ENTRY = /^- ("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|[\p{L}\p{N}\p{M}._-]+):(?: (.*))?$/u;

/**
 * Writes the catalog for the description of the `Skill` tool, one entry for each skill in the given order.
 *
 * Over the budget, hints go first, then every description is cut to the same greatest length (short ones stay
 * whole), then descriptions go; names go last, replaced by a line `and N more`. The same input always gives
 * the same text.
 *
 * @param skills - In the order of precedence.
 * @param budget - Greatest length of the text in characters. Default: {@link defaultListingBudget}.
 */
export function renderListing(skills: ListedSkill[], budget: number = defaultListingBudget): Listing {
  const flat = skills.map((skill) => ({ ...skill, description: toOneLine(skill.description) }));
  const whole = wrap(flat.flatMap((skill) => [toEntry(skill, skill.description), ...toHintLine(skill)]));
  if (whole.length <= budget) return { text: whole, shortened: [] };

  const names = wrap(flat.map((skill) => toEntry(skill, "")));
  // A description costs one blank more than its own length.
  const room = budget - names.length - flat.filter((skill) => skill.description !== "").length;
  const limit = findFairLimit(
    flat.map((skill) => skill.description.length),
    room,
  );
  if (limit >= SHORTEST_CUT) {
    const text = wrap(flat.map((skill) => toEntry(skill, cutText(skill.description, limit))));
    return { text, shortened: flat.filter((skill) => skill.description.length > limit).map(toName) };
  }
  const described = flat.filter((skill) => skill.description !== "").map(toName);
  if (names.length <= budget) return { text: names, shortened: described };
  return renderSomeNames(flat, budget);
}

/** Reads the entries of a listing out of a longer text, such as the description of the `Skill` tool. */
export function parseListing(text: string): { name: string; description: string }[] {
  const lines = text.split("\n");
  const begin = lines.indexOf(OPENING);
  const end = lines.lastIndexOf(CLOSING);
  if (begin === -1) return [];
  return lines.slice(begin + 1, end > begin ? end : undefined).flatMap(parseEntry);
}

function renderSomeNames(skills: ListedSkill[], budget: number): Listing {
  const entries: string[] = [];
  let length = wrap([]).length;
  for (const [index, skill] of skills.entries()) {
    const entry = toEntry(skill, "");
    // Each line costs its line end.
    length += entry.length + 1;
    if (length + `and ${skills.length - index - 1} more`.length + 1 > budget) break;
    entries.push(entry);
  }
  const text = wrap([...entries, `and ${skills.length - entries.length} more`]);
  const kept = skills.slice(0, entries.length).filter((skill) => skill.description !== "");
  return { text, shortened: [...kept, ...skills.slice(entries.length)].map(toName) };
}

function wrap(lines: string[]): string {
  return [OPENING, ...lines, CLOSING].join("\n");
}

function toName(skill: ListedSkill): string {
  return skill.name;
}

function toEntry(skill: ListedSkill, description: string): string {
  // A name of another shape (a folder's name with a colon, say) is quoted so that it can be read back.
  const name = /^[\p{L}\p{N}\p{M}._-]+$/u.test(skill.name) ? skill.name : JSON.stringify(skill.name);
  return description === "" ? `- ${name}:` : `- ${name}: ${description}`;
}

function toHintLine(skill: ListedSkill): string[] {
  const hint = toOneLine(skill.argumentHint ?? "");
  return hint === "" ? [] : [`  arguments: ${hint}`];
}

function toOneLine(text: string): string {
  if (!/[^\S ]|\u0085| {2}|^ | $/.test(text)) return text;
  return text.replace(/[\s\u0085]+/g, " ").trim();
}

function parseEntry(line: string): { name: string; description: string }[] {
  const match = ENTRY.exec(line);
  if (!match) return [];
  const [, name = "", description = ""] = match;
  return [{ name: name.startsWith('"') ? String(JSON.parse(name)) : name, description }];
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

function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, findBorder(text, limit - CUT_MARK.length)).trimEnd() + CUT_MARK;
}

let graphemes: Intl.Segmenter | undefined;

/** The last border between two characters, as a person sees them, that does not lie behind the position. */
function findBorder(text: string, position: number): number {
  // Between two signs of ASCII there always is one, and the first segmenter of a process takes 10 ms to make.
  if (/^[ -~]{2}$/.test(text.slice(position - 1, position + 1))) return position;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return graphemes.segment(text).containing(position)?.index ?? position;
}
