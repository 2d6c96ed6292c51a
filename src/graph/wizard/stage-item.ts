import { isRecord } from "../../skills/record.ts";
import type { JsonSchema } from "../../skills/stages/stage.ts";
import type { DecisionType, ReviewItem } from "../review/review-item.ts";
import type { PendingCall, State } from "../state.ts";
import { describeChange, describeChanges, toPatch } from "./stage-changes.ts";
import { findNextStage, findOpenWizard, listGateChoices, listWaysBack, type OpenWizard } from "./wizard.ts";

/** The gate of a completed stage as a person decides it. */
export function toStageItem(call: PendingCall, state: Pick<State, "active" | "texts">): ReviewItem {
  const open = findOpenWizard(state);
  const base = { kind: "stage", id: call.id } as const;
  if (!open) {
    const description = "The wizard of this stage is not active any more.";
    return { ...base, name: call.tool, args: {}, description, allowed: ["reject"] };
  }
  const { skill, stage, wizard, progress } = open;
  const at = wizard.stages.indexOf(stage);
  const next = findNextStage(open);
  const failures = progress.handed ? [] : progress.failures;
  const { changes = [] } = progress;
  const difference = toPatch(changes);
  const summary = progress.handed?.summary ?? String(call.input.summary ?? "");
  const form = toForm(open);
  return {
    ...base,
    name: `${skill.name}/${stage.id}`,
    skill: skill.name,
    args: toArguments(call, open),
    description: `${describe(open, summary, next?.title)}${describeChanges(changes)}`,
    allowed: toAllowed(open),
    ...(form ? { form } : {}),
    stage: stage.id,
    title: stage.title,
    summary,
    gate: listGateChoices(open).includes("answer") ? "form" : "approve",
    number: at + 1,
    total: wizard.stages.length,
    ...(next ? { next: { id: next.id, title: next.title } } : {}),
    back: listWaysBack(open),
    ...(asksOwnForm(open) && progress.handed?.output !== undefined ? { output: progress.handed.output } : {}),
    ...(failures.length > 0 ? { failures } : {}),
    ...(changes.length > 0 ? { files: changes.map(describeChange) } : {}),
    ...(difference === undefined ? {} : { difference }),
  };
}

function toForm(open: OpenWizard): JsonSchema | undefined {
  return asksOwnForm(open) ? open.stage.form : open.stage.output;
}

/** What is shown, and what an edit sends back: the output where that is an object. */
function toArguments(call: PendingCall, open: OpenWizard): Record<string, unknown> {
  const { stage, progress } = open;
  const output = progress.handed ? progress.handed.output : call.input.output;
  if (stage.form !== undefined && asksOwnForm(open)) return listFields(stage.form);
  const fields = stage.gate === "form" && stage.output ? listFields(stage.output) : {};
  if (isRecord(output)) return { ...fields, ...output };
  if (output !== undefined) return { output };
  return stage.gate === "form" || stage.output ? fields : { summary: call.input.summary ?? "" };
}

/** Every field of a form: a chat client shows one for each key, so what has no default is there and empty. */
function listFields({ properties }: JsonSchema): Record<string, unknown> {
  if (!isRecord(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      isRecord(field) && "default" in field ? field.default : "",
    ]),
  );
}

/** The card offers what the machine takes; a chat client fills in a form as an edit of its fields. */
function toAllowed(open: OpenWizard): DecisionType[] {
  const kinds = {
    approve: ["approve"],
    edit: ["edit"],
    answer: ["edit", "respond"],
    reject: ["reject"],
  } as const;
  return listGateChoices(open).flatMap((choice): DecisionType[] => [...kinds[choice]]);
}

/** True when the form beside the output is asked, and not the output itself. */
function asksOwnForm({ stage, progress }: OpenWizard): boolean {
  return stage.gate === "form" && stage.form !== undefined && progress.handed !== undefined;
}

function describe({ stage, progress }: OpenWizard, summary: string, next: string | undefined): string {
  const after = next === undefined ? "It is the last stage." : `Then comes "${next}".`;
  const done = stage.gate === "form" ? "has a form to be filled in" : "is complete";
  const said = /[.!?…。！？]$/.test(summary.trim()) ? summary.trim() : `${summary.trim()}.`;
  if (progress.handed) return `The stage "${stage.title}" ${done}: ${said} ${after}`;
  const reasons = progress.failures.map((failure) => `\n- ${failure}`).join("");
  return `The stage "${stage.title}" could not be completed in ${progress.attempts} attempts:${reasons}`;
}
