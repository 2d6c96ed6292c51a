import { isRecord } from "../../skills/record.ts";
import type { StageResult } from "../../skills/stages/stage-results.ts";
import { capOutput } from "../../tools/output.ts";

/** Characters of what a stage is shown of earlier ones, as JSON; a person may hand over more. */
const RESULTS_LIMIT = 250_000;
const SHORTEST = 500;

/** Results as the model reads them: where they are too long together, the longest texts keep their head and tail. */
export function shortenResults(results: StageResult[]): StageResult[] {
  let limit = RESULTS_LIMIT / 2;
  let shown = results;
  while (JSON.stringify(shown).length > RESULTS_LIMIT && limit >= SHORTEST) {
    shown = results.map((result) => shorten(result, limit) as StageResult);
    limit /= 2;
  }
  return shown;
}

function shorten(value: unknown, limit: number): unknown {
  if (typeof value === "string") return capOutput(value, limit);
  if (Array.isArray(value)) return value.map((each) => shorten(each, limit));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shorten(each, limit)]));
}
