import type { ReviewItem } from "../graph/review/review-item.ts";
import { upgradeAnswers } from "../graph/upgrade/upgrade-item.ts";
import { readUpgradeReply } from "../graph/upgrade/upgrade-reply.ts";
import type { Answer } from "./render-stage.ts";
import type { Decision } from "./reply.ts";
import { toSafeLine, toSafeLines } from "./safe-text.ts";

/** Words that a line may begin with; a plain yes or no says nothing here. */
const WORDS = ["restart", "map", "goto", "stop"];

/** Why a wizard lost its place, and where it can go on. */
export function renderUpgradeBody({ notes = [] }: ReviewItem): string[] {
  return notes.flatMap((note) => toSafeLines(note));
}

/** The flags that say where a wizard goes on. */
export function listUpgradeAnswers({ choices = [], back = [] }: ReviewItem): Answer[] {
  return [
    ...(choices.includes("restart")
      ? [{ flag: "--answer restart", about: toSafeLine(upgradeAnswers.restart) }]
      : []),
    ...back.map((id) => ({ flag: `--goto ${toSafeLine(id)}`, about: "goes on at this stage" })),
    { flag: "--answer stop", about: upgradeAnswers.stop },
  ];
}

/** The choices on a terminal. */
export function listUpgradeChoices({ choices = [], back = [], stage = "" }: ReviewItem) {
  return [
    ...(choices.includes("restart")
      ? [{ value: "restart", label: `Do the stage ${toSafeLine(stage)} again (restart)` }]
      : []),
    ...back
      .filter((id) => id !== stage)
      .map((id) => ({
        value: `map ${id}`,
        label: `Go on at the stage ${toSafeLine(id)} (goto ${toSafeLine(id)})`,
      })),
    { value: "stop", label: "Stop here; the thread is kept (stop)" },
  ];
}

/** What a line, or a choice, decides; undefined for one that decides nothing. */
export function readUpgradeChoice(item: ReviewItem, line: string): Decision | undefined {
  const [first = ""] = line.trim().split(/\s+/);
  const isClear = WORDS.includes(first.toLowerCase()) || item.back?.includes(first.normalize("NFC"));
  const read = isClear ? readUpgradeReply(line, item) : undefined;
  return read && "decisions" in read ? read.decisions[0] : undefined;
}

/** What can be typed. */
export function toUpgradeWords({ choices = [], back = [] }: ReviewItem): string {
  const places = back.map((id) => `goto ${toSafeLine(id)}`);
  return [...choices.flatMap((choice) => (choice === "map" ? places : choice)), "or /later"].join(", ");
}
