import { type DriftAnswer, driftAnswers, listUsedFiles } from "../graph/drift/drift-item.ts";
import type { ReviewItem } from "../graph/review/review-item.ts";
import type { RuntimeEvent } from "../runtime/threads/events.ts";
import { renderDifference } from "./render-difference.ts";
import type { Answer } from "./render-stage.ts";
import { toSafeLine, toSafeLines } from "./safe-text.ts";
import type { Colors } from "./screen.ts";

/** Longest list of files in a line of progress, in characters. */
const LIST_LIMIT = 500;

/** A skill whose files changed, in one line: what changed, and what becomes of it. */
export function renderDrift(event: Extract<RuntimeEvent, { type: "skill-drifted" }>): string {
  const { name, choice, files } = event;
  const used = listUsedFiles(files);
  const what = `skill ${toSafeLine(name)} changed on disk after it was loaded: ${toList(files)}.`;
  if (choice === "ask") return what;
  if (choice === "refresh") return `${what} It is read anew.`;
  const note = used.length > 0 ? ` Used as on disk: ${toList(used)}.` : "";
  return `${what} It goes on with the text that was loaded.${note}`;
}

/** What changed of a skill, for the person who decides what becomes of it. */
export function renderDriftBody(item: ReviewItem, colors: Colors): string[] {
  const { path = "", files = [], notes = [], difference = "" } = item;
  return [
    `  ${toSafeLine(path, LIST_LIMIT)}`,
    ...files.map((file) => `  - ${toSafeLine(file)}`),
    ...notes.flatMap((note) => toSafeLines(note)),
    ...renderDifference(difference, colors),
  ];
}

/** The flags that answer the question about a changed skill. */
export function listDriftAnswers({ choices = [] }: ReviewItem): Answer[] {
  return choices.map((choice) => ({
    flag: `--answer ${choice}`,
    about: driftAnswers[choice as DriftAnswer],
  }));
}

/** The choices on a terminal. */
export function listDriftChoices({ choices = [] }: ReviewItem): { value: string; label: string }[] {
  return choices.map((value) => ({ value, label: `${LABELS[value as DriftAnswer]} (${value})` }));
}

const LABELS = {
  pin: "Go on with the text that was loaded",
  refresh: "Read the new text",
  stop: "Stop here; the thread is kept",
};

function toList(files: string[]): string {
  return toSafeLine(files.join(", "), LIST_LIMIT);
}
