import { OUTPUT_LIMIT } from "../../tools/output.ts";
import { createOutputCollector } from "../../tools/process/collector.ts";
import type { ItemDecision } from "./review-item.ts";

/** Characters of a reason: room for the words around it in the result of a call. */
const REASON_LIMIT = OUTPUT_LIMIT - 1_000;

/**
 * What a person said, as the model reads it. What is longer than a tool's result may be keeps its head and its tail,
 * and the whole goes into a file that the model can read.
 */
export function shortenWords(text: string, folder: string, limit: number = OUTPUT_LIMIT): string {
  if (text.length <= limit) return text;
  const collector = createOutputCollector(folder, limit);
  collector.push(Buffer.from(text));
  return collector.finish().text;
}

/** Decisions whose reasons are short enough for the model. */
export function shortenReasons(decisions: ItemDecision[], folder: string): ItemDecision[] {
  return decisions.map((decision) =>
    decision.type === "reject" && decision.message !== undefined
      ? { ...decision, message: shortenWords(decision.message, folder, REASON_LIMIT) }
      : decision,
  );
}
