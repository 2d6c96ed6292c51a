import type { ReviewItem } from "../review/review-item.ts";
import type { PendingDrift } from "../skill-state.ts";

/** What a person can do about a skill that changed. */
export type DriftAnswer = "pin" | "refresh" | "stop";

/** Files that hold the text of a skill. */
const TEXTS = /^(SKILL\.md|stages|(stages|steps)\/[^/]+\.md) \((changed|new|gone)\)$/i;

/** What each answer does. */
export const driftAnswers: Record<DriftAnswer, string> = {
  pin: "goes on with the text that was loaded",
  refresh: "reads the new text",
  stop: "ends the run; the thread is kept",
};

/** The changed files whose text is not kept: whatever a person chooses, they are used as they are on disk. */
export function listUsedFiles(files: string[]): string[] {
  return files.filter((file) => !TEXTS.test(file) && !file.endsWith(" (gone)"));
}

/** True when more changed than the text, which is kept as it was loaded. */
export function isMoreThanText(files: string[]): boolean {
  return files.some((file) => !TEXTS.test(file));
}

/** The question about a skill whose files changed. */
export function toDriftItem(drift: PendingDrift): ReviewItem {
  const { name, path, files, difference } = drift;
  const choices = listDriftAnswers(drift);
  return {
    kind: "drift",
    id: name,
    name,
    skill: name,
    args: { choice: "pin" },
    description: describe(drift, choices),
    allowed: ["approve", "edit", "respond", "reject"],
    form: {
      type: "object",
      required: ["choice"],
      properties: {
        choice: { type: "string", enum: choices, default: "pin", description: explain(choices) },
      },
    },
    path,
    files,
    difference,
    choices,
    notes: listNotes(drift),
  };
}

/** Pin comes first: it is what an approval means. */
export function listDriftAnswers({ fault }: Pick<PendingDrift, "fault">): DriftAnswer[] {
  return fault === undefined ? ["pin", "refresh", "stop"] : ["pin", "stop"];
}

function listNotes({ files, why, fault, digest, difference }: PendingDrift): string[] {
  const used = listUsedFiles(files);
  return [
    ...(why === undefined ? [] : [why]),
    ...(fault === undefined ? [] : [`The new text cannot be taken: ${fault}`]),
    ...(used.length > 0 ? [`Used as on disk, whatever you choose: ${used.join(", ")}.`] : []),
    ...(difference === "" && fault === undefined && digest !== "" ? ["Its instructions are the same."] : []),
  ];
}

/** Chat clients show this and the fields of the form, and nothing else. */
function describe(drift: PendingDrift, choices: DriftAnswer[]): string {
  const { name, path, files, difference } = drift;
  const head = `The skill "${name}" changed on disk after it was loaded: ${files.join(", ")} (${path}).`;
  const text = [head, ...listNotes(drift), explain(choices)].join(" ");
  return difference === "" ? text : `${text}\n\n${difference}`;
}

function explain(choices: DriftAnswer[]): string {
  return `${choices.map((choice) => `${choice}: ${driftAnswers[choice]}`).join(" · ")}.`;
}
