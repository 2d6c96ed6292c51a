import { existsSync } from "node:fs";
import { join } from "node:path";
import { createOfferWriter } from "../../graph/loading/offer.ts";
import type { Catalog } from "../../skills/catalog.ts";
import { explainShortened } from "../../skills/listing/listing-report.ts";
import type { Diagnostic } from "../../skills/schema.ts";
import { readSettingsFile } from "../settings/settings-file.ts";
import type { Settings } from "../settings.ts";

/**
 * Tells what of the catalog a new thread would not be shown whole. No model is asked or loaded, so without
 * `skills.budget` the default counts, where a run may have a share of its model's window.
 *
 * @returns one diagnostic, `listing-shortened`, or none; its place is where the budget is set
 */
export function checkListing(
  catalog: Pick<Catalog, "skills">,
  settings: Pick<Settings, "listingBudget" | "catalogPlace" | "configFolder" | "project" | "trusted">,
): Diagnostic[] {
  const offer = createOfferWriter(settings)(catalog, {}, { active: [], recent: [], unlocked: [] });
  const message = explainShortened(offer.listing, offer.budget);
  if (message === undefined) return [];
  const path = findBudgetFile(settings);
  return [{ code: "listing-shortened", severity: "warning", path, line: 1, message }];
}

/** The person's file beats the project's, and is where to write when neither says anything. */
function findBudgetFile({ configFolder, project, trusted }: Parameters<typeof checkListing>[1]): string {
  const person = join(configFolder, "settings.json");
  const own = join(project, "skillgraph.json");
  const sets = (path: string) => readSettingsFile(path).settings.skills?.budget !== undefined;
  return !sets(person) && trusted && existsSync(own) && sets(own) ? own : person;
}
