import type { BaseMessage } from "@langchain/core/messages";
import type { Catalog } from "../../skills/catalog.ts";
import type { Skill } from "../../skills/schema.ts";
import type { WantedSkill } from "../skill-state.ts";

type Names = Pick<Catalog, "get" | "skills">;

/** What may stand behind a mention without being a part of its word. */
const CLOSING = /^[.,;:!?)\]}"'»”’…。，、；：！？）」』】]*(?=\s|$)/u;
/** What may stand before the `$` of a mention. */
const OPENING = /[\s(["'«“‘（「『【]$/u;
/** Longest word that is looked at, in characters. */
const MAX_WORD = 300;

/**
 * The skill that a person named at the very start of a message, as `/name arguments` or `$name arguments`.
 * The whole first word must be a skill's name: paths, URLs and unknown words are plain text.
 */
export function readSlash(message: Pick<BaseMessage, "text"> | undefined, catalog: Names): WantedSkill[] {
  const text = /^\s*[/$](\S[\s\S]*)$/u.exec(message?.text ?? "")?.[1]?.normalize("NFC");
  if (text === undefined) return [];
  const skill = findSpaced(text, listSpaced(catalog), /^(\s|$)/) ?? catalog.get(/^\S+/.exec(text)?.[0] ?? "");
  if (!skill?.userInvocable) return [];
  const rest = text.slice(skill.name.length).trim();
  return [{ name: skill.name, arguments: rest, chosenBy: "person", way: "name" }];
}

/**
 * The skills that a person mentions as `$name` anywhere in a message, in order. The whole word must be a skill's
 * name; code in backticks and fences is not looked at, and `\$name` and `$$name` are text.
 */
export function readMentions(message: BaseMessage | undefined, catalog: Names): WantedSkill[] {
  const text = (message?.text ?? "").normalize("NFC");
  if (!text.includes("$")) return [];
  const found = new Map<string, WantedSkill>();
  const prose = blankCode(text);
  const spaced = listSpaced(catalog);
  for (const { index } of prose.matchAll(/\$(?=[^\s$])/gu)) {
    if (index > 0 && !OPENING.test(prose.slice(index - 1, index))) continue;
    const rest = prose.slice(index + 1);
    const skill = findSpaced(rest, spaced, CLOSING) ?? findMentioned(rest, catalog);
    if (!skill?.userInvocable || found.has(skill.name)) continue;
    found.set(skill.name, { name: skill.name, arguments: "", chosenBy: "person", way: "mention" });
  }
  return [...found.values()];
}

/**
 * The name in a message that is only `/unload NAME`; empty when the name is missing. A skill that is itself called
 * `unload` is loaded instead.
 */
export function readUnload(
  message: BaseMessage | undefined,
  catalog: Pick<Names, "get">,
): string | undefined {
  const name = /^\s*\/unload(?:\s+(\S[^\n\r]*?))?\s*$/u.exec(message?.text ?? "");
  if (!name || catalog.get("unload")?.userInvocable) return undefined;
  return (name[1] ?? "").replace(/^[/$]/, "").normalize("NFC");
}

/** A name may hold blanks, so the longest one that the text begins with wins over its first word. */
function findSpaced(text: string, spaced: Skill[], end: RegExp): Skill | undefined {
  return spaced
    .filter(({ name }) => text.startsWith(name) && end.test(text.slice(name.length)))
    .sort((left, right) => right.name.length - left.name.length)[0];
}

function listSpaced({ skills }: Names): Skill[] {
  return skills.filter(({ name }) => /\s/.test(name));
}

function findMentioned(text: string, catalog: Names): Skill | undefined {
  const word = /^\S{1,301}/u.exec(text)?.[0] ?? "";
  if (word.length > MAX_WORD) return undefined;
  // A name may itself end in a mark, so the longest reading is tried first.
  for (let end = word.length; end > 0 && CLOSING.test(word.slice(end)); end -= 1) {
    const skill = catalog.get(word.slice(0, end));
    if (skill) return skill;
  }
  return undefined;
}

/** The text with code spans and fenced blocks as blanks. */
function blankCode(text: string): string {
  return blankSpans(blankFences(text));
}

function blankFences(text: string): string {
  let open: string | undefined;
  const lines = text.split("\n").map((line) => {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === undefined) {
      // Backticks behind the opening ones make it a span on one line.
      if (
        fence === undefined ||
        (fence.startsWith("`") && line.trimStart().slice(fence.length).includes("`"))
      )
        return line;
      open = fence;
    } else if (fence?.startsWith(open) && line.trim() === fence) open = undefined;
    return "";
  });
  return lines.join("\n");
}

/** A run of backticks is closed by the next run of the same length, and one that is not closed is text. */
function blankSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ index, 0: run }) => ({ index, length: run.length }));
  const closing = new Map<number, number>();
  const latest = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const { length } = runs[at]!;
    const next = latest.get(length);
    if (next !== undefined) closing.set(at, next);
    latest.set(length, at);
  }
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const end = closing.get(at);
    if (end === undefined) continue;
    parts.push(text.slice(from, runs[at]!.index), "`");
    from = runs[end]!.index + runs[end]!.length;
    at = end;
  }
  return parts.join("") + text.slice(from);
}
