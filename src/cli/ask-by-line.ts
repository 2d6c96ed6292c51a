import type { ReviewItem } from "../graph/request.ts";
import type { Ask } from "./ask.ts";
import type { Lines } from "./lines.ts";
import { renderRequest } from "./render-request.ts";
import { type Decision, parseAnswer } from "./reply.ts";
import { note, print, type Screen } from "./screen.ts";

const YES = /^(y|yes|approve)$/i;
const NO = /^(n|no|reject|skip)$/i;

/**
 * Asks in plain lines: `y`, `n` or a reason against it for what would run, and any line for a question. `/later`
 * or the end of the input leaves the question open.
 *
 * @param isQuiet true when standard output is for events only
 */
export function createLineAsk(lines: Lines, screen: Screen, isQuiet: boolean): Ask {
  return async (request) => {
    const decisions: Decision[] = [];
    for (const item of request.items) {
      const errors = decisions.length === 0 ? (request.errors ?? []) : [];
      if (!isQuiet)
        print(screen, renderRequest({ ...request, items: [item], errors }, screen.out.colors).trimEnd());
      const decision = await askItem(item, lines, screen);
      if (decision === undefined) return undefined;
      decisions.push(decision);
    }
    return { decisions };
  };
}

async function askItem(item: ReviewItem, lines: Lines, screen: Screen): Promise<Decision | undefined> {
  const prompt = item.kind === "question" ? "answer> " : `${toChoices(item)}> `;
  for (;;) {
    const typed = await lines.next(prompt);
    const line = typed?.trim();
    if (line === undefined || line === "/later" || line === "/quit") return undefined;
    if (item.kind === "question") return toAnswer(line);
    if (YES.test(line)) return { type: "approve" };
    if (NO.test(line)) return { type: "reject", message: "" };
    if (line !== "" && item.allowed.includes("respond")) return { type: "respond", value: line };
    if (line !== "") return { type: "reject", message: line };
    note(screen, `Answer with ${toChoices(item)}.`);
  }
}

/** `null` is what JSON has for no answer; typed by a person it is the word. */
function toAnswer(line: string): Decision {
  return { type: "respond", value: parseAnswer(line) ?? line };
}

function toChoices(item: ReviewItem): string {
  if (item.kind === "outcome") return "y (run again), n (skip), the result it had, /later";
  return "y, n, why not, /later";
}
