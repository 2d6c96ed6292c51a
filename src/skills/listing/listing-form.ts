/** What a listing says of one skill. */
export interface ListedSkill {
  name: string;
  description: string;
  argumentHint?: string;
  /** True for a skill that changes how everything is done: it is listed before the others. */
  mode?: boolean;
  /** Absolute path of the SKILL.md; the form `elements` shows it. */
  path?: string;
}

/** `list` is for the description of a tool; `elements` is the form that agentskills.io shows for system prompts. */
export type ListingForm = "list" | "elements";

/** How a listing is written. What a skill says of itself is escaped in every form. */
export interface Form {
  opening: string;
  closing: string;
  /** The lines above the skills of the mode kind and above the others, when there are both. */
  headings: [modes: string, others: string] | undefined;
  /** One line: only the name when there is no description. */
  toLine: (skill: ListedSkill, description: string) => string;
  /** A line for what may be left out first. */
  toHint: (skill: ListedSkill) => string[];
  /** Reads a line that `toLine` wrote. */
  read: (line: string) => ReadSkill | undefined;
}

/** A skill as it was read back from a listing. */
export interface ReadSkill {
  name: string;
  description: string;
  /** Where its SKILL.md is, when the listing says so. */
  location?: string;
}

const PLAIN_NAME = /^[\p{L}\p{N}\p{M}._-]+$/u;
/** A plain name or a JSON string, a colon, and what is left of the description. */
const ENTRY = /^- ("(?:[^"\\]|\\.)*"|[\p{L}\p{N}\p{M}._-]+):(?: (.*))?$/u;
const ELEMENT =
  /^<skill><name>([^<]*)<\/name>(?:<description>([^<]*)<\/description>)?(?:<location>([^<]*)<\/location>)?<\/skill>$/;

/** Whatever could end an element, move the cursor of a terminal, or stand there unseen. Joiners belong to words. */
const UNSAFE = /[&<>\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;
const ENTITIES = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);
const SIGNS = new Map([...ENTITIES].map(([sign, entity]) => [entity, sign]));

export const forms: Readonly<Record<ListingForm, Form>> = {
  list: {
    opening: "<skills>",
    closing: "</skills>",
    headings: ["Modes, which change how you work:", "Skills for single tasks:"],
    toLine: ({ name }, description) => {
      // A name of another shape (a folder's name with a colon, say) is quoted so that it can be read back.
      const shown = PLAIN_NAME.test(name) ? name : escapeListed(JSON.stringify(name));
      return description === "" ? `- ${shown}:` : `- ${shown}: ${escapeListed(description)}`;
    },
    toHint: ({ argumentHint = "" }) => {
      const hint = escapeListed(toOneLine(argumentHint));
      return hint === "" ? [] : [`  arguments: ${hint}`];
    },
    read: (line) => {
      const match = ENTRY.exec(line);
      if (!match) return undefined;
      const [, name = "", description = ""] = match;
      return { name: readName(name), description: unescapeListed(description) };
    },
  },
  elements: {
    opening: "<available_skills>",
    closing: "</available_skills>",
    headings: undefined,
    toLine: ({ name, path = "" }, description) => {
      const fields = [
        ["name", name],
        // A skill that is only named is loaded by its name; its place would cost more than the name.
        ...(description === ""
          ? []
          : [["description", description], ...(path === "" ? [] : [["location", path]])]),
      ];
      const inner = fields.map(([key, value = ""]) => `<${key}>${escapeListed(value)}</${key}>`).join("");
      return `<skill>${inner}</skill>`;
    },
    toHint: () => [],
    read: (line) => {
      const match = ELEMENT.exec(line);
      if (!match) return undefined;
      const [name = "", description = "", location] = match
        .slice(1)
        .map((part) => part && unescapeListed(part));
      return { name, description, ...(location === undefined ? {} : { location }) };
    },
  },
};

/** A text as it may stand in a listing: it can end nothing, begin nothing, and hides nothing. */
export function escapeListed(text: string): string {
  return text.replace(UNSAFE, (sign) => ENTITIES.get(sign) ?? `&#x${sign.codePointAt(0)?.toString(16)};`);
}

/** Every run of blanks and line breaks as one blank. */
export function toOneLine(text: string): string {
  if (!/[^\S ]|\u0085| {2}|^ | $/.test(text)) return text;
  return text.replace(/[\s\u0085]+/g, " ").trim();
}

function unescapeListed(text: string): string {
  return text.replace(/&(?:amp|lt|gt|#x(10[0-9a-f]{4}|[0-9a-f]{1,5}));/g, (entity, code?: string) =>
    code === undefined ? (SIGNS.get(entity) ?? entity) : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

function readName(shown: string): string {
  if (!shown.startsWith('"')) return shown;
  try {
    return String(JSON.parse(unescapeListed(shown)));
  } catch {
    // No listing of ours holds such a name.
    return shown;
  }
}
