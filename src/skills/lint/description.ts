import { estimateTokens } from "../tokens.ts";
import { ENGLISH, type Finding, type LintedFile, toWarning } from "./rule.ts";

const OCCASION =
  /\b(?:when|whenever|while|if|use|uses|used|using|useful|before|after|during|for|asks?|asked|needs?|wants?|triggers?|invoke)\b/i;
/** "This skill should be used when …" is usual and says something; "A skill that …" only begins late. */
const OPENING =
  /^(?:(?:an?|the|my|this)\s+)?(?:agent\s+)?skill\s+(?:that|which|to|for)\b|^this is an?\b.*?\bskill\b/i;
const FIRST_PERSON = /^(?:I|We)(?:['’](?:ll|m|ve|re|d)\b|\s+[a-z])|^(?:Let me|My (?:job|task|role))\b/;
/** Words that say nothing of what a skill is for. */
const EMPTY = new Set(
  `a able about ai all an and any anything are as ask asked asks assist assistant assistants assists be best can
  claude common day different do does everyday everything for from general generally generic good great handle handles
  help helper helpful helping helps i if in is it its kind kinds lots make makes many me misc miscellaneous more my need
  needed needs of on or other perform performs please provide provides request requests should skill skills some
  something stuff such support supports task tasks that the their them these thing things this those to tool tools
  use used useful user users uses utility various want wants way ways we when whenever which will with work works you
  your`.split(/\s+/),
);
/** Below it no description says what a skill does and when: twenty characters of English. */
const LEAST_TOKENS = 5;

/**
 * A description tells what the skill does and when it is to be used, since it is all that the choice is made by. Only
 * what is English by its words is judged by its words.
 */
export function judgeDescription(linted: LintedFile): Finding[] {
  const { skill, frontmatter } = linted;
  if (skill === undefined) return [];
  const { description } = skill;
  const line = frontmatter.keyLines.get("description") ?? 1;
  const fault = describeVague(description);
  if (fault !== undefined) return [toWarning("description-vague", line, fault)];
  if (OCCASION.test(description) || !ENGLISH.test(description)) return [];
  const message = 'The description says what the skill does, but not when to use it, such as "Use when …".';
  return [toWarning("description-when", line, message)];
}

function describeVague(description: string): string | undefined {
  const words = description.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (estimateTokens(description) < LEAST_TOKENS) {
    return `The description is too short to choose by: "${description}". Say what the skill does and when to use it.`;
  }
  if (words.every((word) => EMPTY.has(word))) {
    return "The description fits any skill. Name what the skill works on, what comes out, and when to use it.";
  }
  if (OPENING.test(description)) {
    return `The description begins with "${firstWords(description)}". Begin with what the skill does, such as "Counts …".`;
  }
  if (FIRST_PERSON.test(description)) {
    return `The description speaks as "${firstWords(description)}". Write what the skill does, such as "Counts …".`;
  }
  return undefined;
}

function firstWords(description: string): string {
  return `${description.split(/\s+/).slice(0, 3).join(" ")} …`;
}
