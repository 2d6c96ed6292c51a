import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Wizard } from "../../skills/stages/stage.ts";
import { findStage, isUnderWay } from "../../skills/stages/stage-machine.ts";
import { listDependants } from "../../skills/stages/stage-results.ts";
import type { ActiveSkill, WizardProgress } from "../skill-state.ts";
import type { State } from "../state.ts";
import { readStoredWizard } from "./wizard.ts";

/** A history without the work that the current stage is not to see. */
export interface FoldedHistory {
  history: BaseMessage[];
  /** For a message that was left out, the id of the one before it that stayed. */
  moved: Map<string, string | undefined>;
}

type Runs = NonNullable<WizardProgress["runs"]>;

/**
 * Leaves out the turns of the model, with their results, of stages that the current one does not need, and of those
 * whose work counts no more. What a person said stays. What a stage handed over stands in the envelope of the
 * stage that needs it.
 *
 * @param paired - The history with every call's results right after it.
 */
export function foldStages(
  { messages, active, texts }: Pick<State, "messages" | "active" | "texts">,
  paired: BaseMessage[],
): FoldedHistory {
  const folded = active.flatMap((skill) => listFolded(skill, texts, messages));
  const moved: FoldedHistory["moved"] = new Map();
  if (folded.length === 0) return { history: paired, moved };
  const gone = new Set(folded);
  let isFolded = false;
  let last: string | undefined;
  const history = paired.filter((message) => {
    if (AIMessage.isInstance(message)) isFolded = message.id !== undefined && gone.has(message.id);
    else if (!ToolMessage.isInstance(message)) isFolded = false;
    if (!isFolded) last = message.id;
    else if (message.id !== undefined) moved.set(message.id, last);
    return !isFolded;
  });
  return { history, moved };
}

/** Ids of the model's messages that a wizard folds away. */
function listFolded(
  { wizard: progress }: ActiveSkill,
  texts: State["texts"],
  messages: BaseMessage[],
): string[] {
  const runs = progress?.runs ?? [];
  const wizard = progress && runs.length > 1 ? readStoredWizard(texts, progress.digest) : undefined;
  if (!progress || !wizard) return [];
  const positions = new Map(messages.map(({ id }, index) => [id, index]));
  return runs.flatMap((_run, index) => {
    const start = positions.get(runs[index]?.anchor);
    const end = positions.get(runs[index + 1]?.anchor);
    // Where an end of it is not to be found, nobody knows what belongs to it.
    if (start === undefined || end === undefined || isShown(wizard, progress, runs, index)) return [];
    return messages
      .slice(start + 1, end)
      .flatMap((message) => (AIMessage.isInstance(message) && message.id !== undefined ? [message.id] : []));
  });
}

function isShown(wizard: Wizard, progress: WizardProgress, runs: Runs, index: number): boolean {
  const { stage: id } = runs[index]!;
  const later = runs.slice(index + 1);
  if (id === undefined || later.length === 0) return true;
  const isLatest = later.every(({ stage }) => stage !== id);
  const isValid = isLatest && progress.results.some((result) => result.id === id && !result.stale);
  if (!isUnderWay(progress)) return isValid;
  if (id !== progress.stage) return isValid && findStage(wizard, progress.stage)?.needs.includes(id) === true;
  // What was made of this stage before stays to be amended, unless what it was made from was made anew.
  return later.every(({ stage }) => stage === undefined || !listDependants(wizard, stage).has(id));
}
