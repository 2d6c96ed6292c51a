/** What a skill's folder holds beside its SKILL.md, as paths relative to that folder. */
export interface SkillResources {
  scripts: string[];
  references: string[];
  assets: string[];
  /** Those beside SKILL.md and in other folders. */
  otherFiles?: string[] | undefined;
  /** How many more there are, which are not named. */
  more?: number | undefined;
}

/** A loaded skill as the model sees it. */
export interface SkillEnvelope {
  name: string;
  /** Real absolute path of the skill's folder. */
  directory: string;
  /** What the person or the model gave, as it was typed; may be empty. */
  arguments: string;
  argumentHint?: string;
  /** Names of its arguments, in their order. */
  argumentNames?: string[];
  /** Digest of the text that was loaded. */
  digest: string;
  resources?: SkillResources;
  /** The instructions, with the arguments filled in. */
  text: string;
}

const OPENING = "<instructions>";
const CLOSING_INSTRUCTIONS = "</instructions>";
const CLOSING = `${CLOSING_INSTRUCTIONS}\n</skill>`;

const MORE = /^and (\d+) more; Glob lists them\.$/;
const PLACE =
  "Relative paths are below the directory: Read, Glob and Grep find them. In Bash write the directory out; commands also find the last loaded skill's in SKILL_DIR.";

const HEADINGS: [kind: Exclude<keyof SkillResources, "more">, heading: string][] = [
  ["scripts", "Scripts, relative to the directory:"],
  ["references", "References, relative to the directory; read one with Read when it is needed:"],
  ["assets", "Assets, relative to the directory; use them by path, they are not to be read:"],
  ["otherFiles", "Other files, relative to the directory; read one with Read when the instructions name it:"],
];

/**
 * Writes a loaded skill as one message for the model: an opening tag with the facts, the arguments, the files
 * that come with it, then the instructions.
 *
 * {@link parseSkillEnvelope} reads it back whatever the instructions hold.
 */
export function renderSkillEnvelope(envelope: SkillEnvelope): string {
  const attributes = [
    ["name", envelope.name],
    ["directory", envelope.directory],
    ["arguments", envelope.arguments],
    ...(envelope.argumentHint === undefined ? [] : [["argument-hint", envelope.argumentHint]]),
    ...(envelope.argumentNames === undefined ? [] : [["argument-names", envelope.argumentNames.join(",")]]),
    ["digest", envelope.digest],
  ].map(([key = "", value = ""]) => `${key}="${escapeText(value)}"`);
  const given = escapeText(envelope.arguments.trim());
  return [
    `<skill ${attributes.join(" ")}>`,
    given === "" ? "No arguments were given." : `Arguments as given: ${given}`,
    PLACE,
    ...(envelope.resources ? renderResources(envelope.resources) : []),
    OPENING,
    envelope.text,
    CLOSING,
  ].join("\n");
}

/**
 * Reads a message that {@link renderSkillEnvelope} wrote.
 *
 * @returns The envelope, or undefined when the content is anything else.
 */
export function parseSkillEnvelope(content: string): SkillEnvelope | undefined {
  const parts = splitEnvelope(content, "skill");
  if (parts === undefined) return undefined;
  const attributes = readAttributes(parts.tag);
  const [name, directory, digest] = ["name", "directory", "digest"].map((key) => attributes.get(key));
  if (name === undefined || directory === undefined || digest === undefined) return undefined;
  const hint = attributes.get("argument-hint");
  const names = attributes.get("argument-names")?.split(",");
  const resources = readResources(parts.lines);
  return {
    name,
    directory,
    arguments: attributes.get("arguments") ?? "",
    ...(hint === undefined ? {} : { argumentHint: hint }),
    ...(names === undefined ? {} : { argumentNames: names }),
    digest,
    ...(resources === undefined ? {} : { resources }),
    text: parts.text,
  };
}

function renderResources(resources: SkillResources): string[] {
  const { more = 0 } = resources;
  const lines = HEADINGS.flatMap(([kind, heading]) => {
    const paths = (resources[kind] ?? []).map((path) => `- ${escapeText(path)}`);
    return paths.length === 0 ? [] : [heading, ...paths];
  });
  return more === 0 ? lines : [...lines, `and ${more} more; Glob lists them.`];
}

function readResources(preface: string[]): SkillResources | undefined {
  const resources: SkillResources = { scripts: [], references: [], assets: [] };
  let current: string[] | undefined;
  for (const line of preface) {
    const heading = HEADINGS.find(([, text]) => text === line);
    if (heading) current = resources[heading[0]] ??= [];
    else if (line.startsWith("- ")) current?.push(unescapeText(line.slice(2)));
    else if (current && MORE.test(line)) resources.more = Number(MORE.exec(line)?.[1]);
  }
  return current && resources;
}

/** An envelope without its marks. */
interface EnvelopeParts {
  /** The opening tag. */
  tag: string;
  /** What stands between it and the instructions. */
  lines: string[];
  /** The instructions. */
  text: string;
}

/** Takes an envelope apart; undefined when the content is anything else. */
export function splitEnvelope(content: string, name: "skill" | "stage"): EnvelopeParts | undefined {
  const whole = content.trim();
  const closing = `\n${CLOSING_INSTRUCTIONS}\n</${name}>`;
  if (!whole.startsWith(`<${name} `) || !whole.endsWith(closing)) return undefined;
  // No line before the instructions can be this mark, so the first one is the real one.
  const begin = whole.indexOf(`\n${OPENING}\n`);
  const textStart = begin + OPENING.length + 2;
  const textEnd = whole.length - closing.length;
  if (begin === -1 || textEnd < textStart) return undefined;
  const [tag = "", ...lines] = whole.slice(0, begin).split("\n");
  return { tag, lines, text: whole.slice(textStart, textEnd) };
}

/** The attributes of an opening tag. */
export function readAttributes(tag: string): Map<string, string> {
  const found = tag.matchAll(/ ([a-z-]+)="([^"]*)"/g);
  return new Map([...found].map(([, key = "", value = ""]) => [key, unescapeText(value)]));
}

const ESCAPES: [character: string, entity: string][] = [
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["\n", "&#10;"],
  ["\r", "&#13;"],
];

/** The value as it stands in an attribute or on a line before the instructions. */
export function escapeText(value: string): string {
  return value.replace(/[&<>"\n\r]/g, (found) => new Map(ESCAPES).get(found) ?? found);
}

function unescapeText(value: string): string {
  const back = new Map(ESCAPES.map(([character, entity]) => [entity, character]));
  return value.replace(/&(?:amp|lt|gt|quot|#10|#13);/g, (found) => back.get(found) ?? found);
}
