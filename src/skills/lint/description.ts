import { type Finding, type LintedFile, toWarning } from "./rule.ts";

const OCCASION =
  /\b(?:when|whenever|while|if|use|uses|used|using|useful|before|after|during|for|asks?|asked|needs?|wants?|triggers?|invoke)\b/i;
const ENGLISH = /\b(?:the|of|and|with|to|from|your|that|this|into)\b/i;

/**
 * A description tells when the skill is to be used, since it is all that the choice is made by. Only what is English
 * by its words is judged, and only without any word that could begin such a hint.
 */
export function judgeDescription({ skill, frontmatter }: LintedFile): Finding[] {
  if (skill === undefined) return [];
  const { description } = skill;
  if (OCCASION.test(description) || !ENGLISH.test(description)) return [];
  const line = frontmatter.keyLines.get("description") ?? 1;
  const message = 'The description says what the skill does, but not when to use it, such as "Use when …".';
  return [toWarning("description-when", line, message)];
}
