import type { ReviewItem } from "../graph/review/review-item.ts";
import type { Ask, TakeCommand } from "./ask.ts";
import { explainRefusal, readDecision, toChoices } from "./line-decision.ts";
import type { Lines } from "./lines.ts";
import { renderRequest } from "./render-request.ts";
import type { Decision, GoTo } from "./reply.ts";
import { toSafeLine } from "./safe-text.ts";
import { note, print, type Screen } from "./screen.ts";

/** How to ask in lines. */
export interface LineAskOptions {
  /** True when standard output is for events only. Default false. */
  isQuiet?: boolean;
  /** Takes lines that begin with `/`. Default: `/later` and `/quit` leave the question open. */
  takeCommand?: TakeCommand;
}

/**
 * Asks in plain lines. A question takes any line as its answer; calls, skills and stages take only clear words,
 * since a stray line must not decide. The end of the input leaves the question open.
 */
export function createLineAsk(lines: Lines, screen: Screen, options: LineAskOptions = {}): Ask {
  const { isQuiet = false, takeCommand = leaveOnly } = options;
  return async (request, thread) => {
    const decisions: Decision[] = [];
    for (const item of request.items) {
      const errors = decisions.length === 0 ? (request.errors ?? []) : [];
      if (isQuiet) for (const error of errors) note(screen, toSafeLine(error, 500));
      else {
        const shown = renderRequest({ ...request, items: [item], errors }, screen.out.colors, thread);
        print(screen, shown.trimEnd());
      }
      const answer = await askItem(item, { lines, screen, takeCommand });
      if (answer === undefined || "goto" in answer) return answer;
      decisions.push(answer);
    }
    return { decisions };
  };
}

async function askItem(
  item: ReviewItem,
  { lines, screen, takeCommand }: { lines: Lines; screen: Screen; takeCommand: TakeCommand },
): Promise<Decision | GoTo | undefined> {
  for (;;) {
    note(screen, `Type ${toChoices(item)}.`);
    const line = (await lines.next("answer> "))?.trim();
    if (line === undefined) return undefined;
    const taken = line.startsWith("/") ? await takeCommand(line) : "answer";
    if (taken === "leave") return undefined;
    const decision = taken === "answer" ? readDecision(item, line) : undefined;
    if (decision) return decision;
    const why = taken === "answer" ? explainRefusal(item, line) : undefined;
    if (why !== undefined) note(screen, why);
  }
}

/** Where nobody else takes commands, these two leave the question open. */
export async function leaveOnly(line: string): ReturnType<TakeCommand> {
  return line === "/later" || line === "/quit" ? "leave" : "answer";
}
