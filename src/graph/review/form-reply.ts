import { isRecord } from "../../skills/record.ts";
import type { ReviewItem } from "./review-item.ts";

/** One `field=value`, as people type it. */
const ASSIGNMENT = /^\s*[\p{L}_][\p{L}\p{N}_.-]*\s*=/u;

/**
 * Why a reply to a form cannot be used: it was meant to fill the form in, and does not. To take it as a refusal
 * would send the stage back.
 *
 * @param said what the reply holds: words, or values
 * @param isBare true where no client said what kind of a decision it is
 * @returns undefined when it is not such a reply
 */
export function findFormFault(said: unknown, item: ReviewItem, isBare: boolean): string | undefined {
  if (item.gate !== "form") return undefined;
  const fields = listFields(item);
  const known = new Set([...fields, ...Object.keys(item.args)]);
  const isMissed = (key: string) => known.size > 0 && !known.has(key);
  const isFault =
    typeof said === "string"
      ? isAttempt(said, isBare) || (isBare && fields.length > 1)
      : isRecord(said) && (isBare || (Object.keys(said).length > 0 && Object.keys(said).every(isMissed)));
  if (!isFault) return undefined;
  const shown = JSON.stringify(said).slice(0, 80);
  const names = [...known].join(", ");
  const wants = known.size > 0 ? `an object with ${names}` : "an object with its values";
  return `${shown} does not fill in the form of ${item.name}; send ${wants}, or {"type":"reject","message":"…"} to send the stage back.`;
}

/** JSON with a slip, or one field of it. Typed JSON is read, and refused, where the form is checked. */
function isAttempt(said: string, isBare: boolean): boolean {
  return ASSIGNMENT.test(said) || (isBare && /^\s*[{[]/.test(said));
}

function listFields({ form }: ReviewItem): string[] {
  return isRecord(form?.properties) ? Object.keys(form.properties) : [];
}
