import type { BaseMessage } from "@langchain/core/messages";
import type { Catalog } from "../skills/catalog.ts";
import type { WantedSkill } from "./skill-state.ts";

/**
 * The skill that a person named at the very start of a message, as `/name arguments` or `$name arguments`.
 * The whole first word must be a skill's name: paths, URLs and unknown words are plain text.
 */
export function readSlash(
  message: BaseMessage | undefined,
  catalog: Pick<Catalog, "get" | "skills">,
): WantedSkill[] {
  const text = /^\s*[/$](\S[\s\S]*)$/u.exec(message?.text ?? "")?.[1]?.normalize("NFC");
  if (text === undefined) return [];
  // A name may hold blanks, so the longest one that the text begins with wins over its first word.
  const spaced = catalog.skills
    .filter(({ name }) => /\s/.test(name) && text.startsWith(name) && /^(\s|$)/.test(text.slice(name.length)))
    .sort((left, right) => right.name.length - left.name.length)[0];
  const skill = spaced ?? catalog.get(/^\S+/.exec(text)?.[0] ?? "");
  if (!skill?.userInvocable) return [];
  return [{ name: skill.name, arguments: text.slice(skill.name.length).trim(), chosenBy: "person" }];
}
