import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError } from "../../errors.ts";
import { isStorable } from "../../model/storable.ts";
import { toToolName } from "../../permissions/rule.ts";
import { fillShell } from "../../skills/arguments/fill-shell.ts";
import { toFields } from "../../skills/stages/read-wizard.ts";
import type { Stage, Wizard } from "../../skills/stages/stage.ts";
import type { StageEnvelope } from "../../skills/stages/stage-envelope.ts";
import { findOpenFields } from "../../skills/stages/stage-fields.ts";
import {
  advance,
  findStage,
  type GateChoice,
  isUnderWay,
  listChoices,
  type StageEvent,
  type WizardState,
} from "../../skills/stages/stage-machine.ts";
import { addResult, findUndone, listResults } from "../../skills/stages/stage-results.ts";
import { fillsOutput } from "../../skills/stages/stage-values.ts";
import { createCompleteStageTool } from "../../tools/complete-stage.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import { unloadSkillTool } from "../../tools/unload-skill.ts";
import { emitEvent } from "../events.ts";
import type { ActiveSkill, WizardProgress } from "../skill-state.ts";
import type { State } from "../state.ts";
import { closeLaterStages } from "./later-stages.ts";
import { shortenResults } from "./short-results.ts";

const NOT_STORABLE = 'The value is nested too deeply, or holds the key "lc", which no thread can keep.';
/** Wizards that are kept read; a thread's own are few. */
const MAX_KEPT = 50;

/** The wizard that is under way, at its stage. */
export interface OpenWizard {
  skill: ActiveSkill;
  progress: WizardProgress;
  wizard: Wizard;
  stage: Stage;
}

type WizardPlace = Pick<State, "active" | "texts">;

const kept = new Map<string, Wizard>();

/** The wizard under way; of several, the one that was loaded last. */
export function findOpenWizard(state: WizardPlace): OpenWizard | undefined {
  const skill = state.active.findLast(({ wizard }) => isUnderWay(wizard));
  return skill && readOpenWizard(skill, state.texts);
}

/** A wizard that is under way, or undefined for every other skill. */
export function readOpenWizard(skill: ActiveSkill, texts: State["texts"]): OpenWizard | undefined {
  const progress = skill.wizard;
  if (!progress || !isUnderWay(progress)) return undefined;
  const wizard = readStoredWizard(texts, progress.digest);
  const stage = wizard && findStage(wizard, progress.stage);
  if (stage) return { skill, progress, wizard, stage };
  // Without its stages it would go on as if it had none.
  throw new SkillgraphError(
    "skill-unreadable",
    `The thread holds the wizard "${skill.name}" at the stage "${progress.stage}", and not the text of that stage.`,
  );
}

/** A wizard as it was read when it was loaded: later changes on disk do not count. */
export function readStoredWizard(texts: State["texts"], digest: string): Wizard | undefined {
  const text = texts[digest];
  if (text === undefined) return undefined;
  const known = kept.get(digest);
  if (known) return known;
  const wizard = JSON.parse(text) as Wizard;
  kept.set(digest, wizard);
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
  return wizard;
}

/** What a person can do at the gate, beside going back. */
export function listGateChoices({ progress, stage }: OpenWizard): GateChoice[] {
  return listChoices(toWizardState(progress), stage);
}

/** Ids of the stages that a person may go back to, the current one among them. */
export function listWaysBack({ wizard, stage }: OpenWizard): string[] {
  return wizard.stages.slice(0, wizard.stages.indexOf(stage) + 1).map(({ id }) => id);
}

/** What the events make of a wizard, or why they cannot be. */
export function moveWizard(
  state: WizardPlace,
  open: OpenWizard,
  event: StageEvent,
  anchor?: string,
): { active: ActiveSkill[]; next: OpenWizard | undefined; progress: WizardProgress } | { error: string } {
  const { skill, wizard, progress } = open;
  const moved = advance(wizard, toWizardState(progress), event);
  if ("error" in moved) return moved;
  // Text that was read as a value, or a default of the schema, was not looked at when it came in.
  if (!isStorable(moved.state)) return { error: NOT_STORABLE };
  const place = { digest: progress.digest, anchor: anchor ?? progress.anchor };
  const after = keepFiles(progress, {
    ...toProgress(moved.state, place),
    runs: noteRun(progress, event, moved.state, place.anchor),
  });
  const changed = { ...skill, wizard: after };
  const active = state.active.map((each) => (each === skill ? changed : each));
  return { active, next: readOpenWizard(changed, state.texts), progress: after };
}

/** How far a wizard has come, as a checkpoint keeps it. */
export function toProgress(
  state: WizardState,
  place: Pick<WizardProgress, "digest" | "anchor">,
): WizardProgress {
  return { ...place, ...state };
}

/**
 * What each stage found of files stays, until it is begun again; what it changed of them is shown as long as its gate
 * is open.
 */
function keepFiles(before: WizardProgress, after: WizardProgress): WizardProgress {
  const { survey, changes } = before;
  const isLonger = (after.runs?.length ?? 1) > (before.runs?.length ?? 1);
  const begun = isLonger ? after.runs?.at(-1)?.stage : undefined;
  const written = before.written?.filter(({ stage }) => stage !== begun);
  return {
    ...after,
    ...(written ? { written } : {}),
    ...(survey ? { survey } : {}),
    ...(changes && after.status === "gate" ? { changes } : {}),
  };
}

/** A stage that is sent back at its gate goes on; one that a person goes back to begins again. */
function noteRun(
  { stage, anchor: begun, runs = [{ stage, anchor: begun }] }: WizardProgress,
  event: StageEvent,
  after: WizardState,
  anchor: string,
): NonNullable<WizardProgress["runs"]> {
  if (after.status === "finished") return [...runs, { anchor }];
  const isNew = event.type === "goto" ? after.status === "working" : after.stage !== stage;
  return isNew ? [...runs, { stage: after.stage, anchor }] : runs;
}

function toWizardState({
  digest: _digest,
  anchor: _anchor,
  runs: _runs,
  written: _written,
  survey: _survey,
  changes: _changes,
  ...state
}: WizardProgress): WizardState {
  return state as WizardState;
}

/** The stage that comes once the current one is passed; undefined where it is the last to be done. */
export function findNextStage({ wizard, progress, stage }: OpenWizard): Stage | undefined {
  const { results } = toWizardState(progress);
  return findUndone(wizard, addResult(wizard, results, { id: stage.id, summary: "" }));
}

/**
 * The tools of a moment: with `CompleteStage` while a wizard is under way, when none reads the files of stages to come,
 * and with `UnloadSkill` while a skill is active.
 */
export function openToolbox(toolbox: Toolbox, state: WizardPlace): Toolbox {
  const open = findOpenWizard(state);
  const added = [
    ...(open ? [toCompleteStageTool(open)] : []),
    ...(state.active.length > 0 ? [unloadSkillTool] : []),
  ];
  if (added.length === 0) return toolbox;
  const wizards = open ? state.active.flatMap((skill) => readOpenWizard(skill, state.texts) ?? []) : [];
  return {
    get: (name) => {
      const tool = toolbox.get(name) ?? added.find((each) => each.name === toToolName(name));
      return tool && closeLaterStages(tool, wizards);
    },
    list: () => [...toolbox.list(), ...added],
    nearest: (name) => toolbox.nearest(name),
  };
}

/** The command that must succeed before the stage counts as done, with its values filled in. */
export function readCheck({
  wizard,
  progress,
  stage,
  skill,
}: OpenWizard): { command: string; refused: string[]; missing: string[] } | undefined {
  if (stage.check === undefined) return undefined;
  const fields = toFields(listResults(wizard, toWizardState(progress), stage));
  const missing = findOpenFields(stage.check, stage.needs).filter((name) => !fields.has(name));
  const { code, refused } = fillShell(stage.check, { directory: skill.directory, fields });
  return { command: code, refused, missing };
}

function toCompleteStageTool(open: OpenWizard): Tool {
  const { stage } = open;
  const check = readCheck(open);
  return createCompleteStageTool({
    title: stage.title,
    isOutputWhole: !fillsOutput(stage),
    ...(stage.output === undefined ? {} : { output: stage.output }),
    ...(check === undefined ? {} : { check }),
  });
}

/** Tells a watcher that a stage begins. */
export function announceStage(open: OpenWizard | undefined, config: LangGraphRunnableConfig): void {
  if (!open) return;
  const { skill, stage, wizard } = open;
  const [number, total] = [wizard.stages.indexOf(stage) + 1, wizard.stages.length];
  emitEvent(config, {
    type: "stage-start",
    skill: skill.name,
    stage: stage.id,
    title: stage.title,
    number,
    total,
  });
}

/** The current stage as the model reads it, before its placeholders are filled in. */
export function toStageEnvelope({ skill, wizard, stage, progress }: OpenWizard): StageEnvelope {
  return {
    skill: skill.name,
    id: stage.id,
    title: stage.title,
    number: wizard.stages.indexOf(stage) + 1,
    total: wizard.stages.length,
    gate: stage.gate,
    ...(stage.output === undefined ? {} : { output: stage.output }),
    results: shortenResults(listResults(wizard, toWizardState(progress), stage)),
    ...(progress.feedback === undefined ? {} : { feedback: progress.feedback }),
    ...(progress.failures.length > 0 ? { failures: progress.failures } : {}),
    text: stage.text,
  };
}
