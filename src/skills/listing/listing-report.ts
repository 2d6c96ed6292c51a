import type { Listing } from "./listing.ts";

/** Names that are told of the skills that were shortened. */
const MAX_NAMED = 10;

/** One sentence on what the model is not shown whole, or undefined when it is shown everything. */
export function explainShortened(listing: Omit<Listing, "text">, budget: number): string | undefined {
  const { offered, cut, limit = 0, namesOnly, unlisted, shortened } = listing;
  if (shortened.length === 0) return undefined;
  const parts = [
    ...(cut > 0 ? [`${count(cut, "description")} cut to ${limit} characters`] : []),
    ...(namesOnly > 0 ? [`${count(namesOnly, "skill")} shown by name only`] : []),
    ...(unlisted > 0 ? [`${count(unlisted, "skill")} found only by SearchSkills`] : []),
  ];
  const rest = shortened.length - MAX_NAMED;
  const named = shortened.slice(0, MAX_NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return (
    `The list of ${count(offered, "skill")} does not fit its ${budget.toLocaleString("en-US")} characters: ` +
    `${parts.join(", ")} (${named}). A larger skills.budget in your own settings shows more.`
  );
}

function count(amount: number, noun: string): string {
  return amount === 1 ? `1 ${noun}` : `${amount} ${noun}s`;
}
