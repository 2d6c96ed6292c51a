import type { ReviewItem } from "../review/review-item.ts";
import type { OpenWizard } from "../wizard/wizard.ts";
import { listPlaces } from "./place-wizard.ts";

/** What a person can do about a wizard that lost its place. */
export type UpgradeAnswer = "restart" | "map" | "stop";

/** What each answer does. */
export const upgradeAnswers: Record<UpgradeAnswer, string> = {
  restart: "does its stage again from the beginning",
  map: "goes on at the stage that you name",
  stop: "ends the run; the thread is kept",
};

/** The question about a wizard that lost its place. */
export function toUpgradeItem({ skill, wizard, progress }: OpenWizard): ReviewItem {
  const { stage = progress.stage, why = "" } = progress.displaced ?? {};
  const back = listPlaces(wizard, progress);
  const choices: UpgradeAnswer[] = [...(back.includes(stage) ? ["restart" as const] : []), "map", "stop"];
  const first = choices[0] ?? "stop";
  const notes = [
    toSentence(why),
    ...(choices.includes("restart") ? [] : [`It cannot go on at "${stage}".`]),
    `It can go on at: ${wizard.stages.flatMap(({ id, title }) => (back.includes(id) ? `${id} (${title})` : [])).join(", ")}.`,
  ];
  const explained = `${choices.map((choice) => `${choice}: ${upgradeAnswers[choice]}`).join(" · ")}.`;
  return {
    kind: "upgrade",
    id: skill.name,
    name: skill.name,
    skill: skill.name,
    args: { choice: first, stage: first === "restart" ? stage : progress.stage },
    description: [`The wizard "${skill.name}" lost its place.`, ...notes, explained].join(" "),
    allowed: ["edit", "respond", "reject"],
    form: {
      type: "object",
      required: ["choice"],
      properties: {
        choice: { type: "string", enum: choices, default: first, description: explained },
        stage: { type: "string", enum: back, description: "The stage to go on at." },
      },
    },
    path: skill.path,
    stage,
    back,
    choices,
    notes,
  };
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
