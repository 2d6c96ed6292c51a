import type { Stage, Wizard } from "../../../src/skills/stages/stage.ts";
import type { StageEvent } from "../../../src/skills/stages/stage-machine.ts";

/** A result that counts, and the summaries of what it was made from. */
interface Made {
  summary: string;
  from: Map<string, string>;
}

/** What must be true of a wizard, told in other words than the program's. */
export interface Model {
  stage: string;
  status: "working" | "gate" | "finished" | "stopped";
  attempts: number;
  held?: { summary: string; output: unknown };
  done: Map<string, Made>;
}

/** A wizard of which nothing is done. */
export function createModel({ stages }: Wizard): Model {
  return { stage: stages[0]!.id, status: "working", attempts: 0, done: new Map() };
}

/** What an event must lead to; undefined where it must be refused. */
export function predict(wizard: Wizard, model: Model, event: StageEvent): Model | undefined {
  const stage = wizard.stages.find(({ id }) => id === model.stage)!;
  const { status, held, attempts } = model;
  const anew: Model = { stage: stage.id, status: "working", attempts: 0, done: model.done };
  const hasOwnForm = stage.form !== undefined;
  const completesOutput = stage.gate === "form" && !hasOwnForm;
  if (status === "stopped") return undefined;
  if (event.type === "goto") return goBack(wizard, model, event.stage);
  if (status === "finished") return undefined;
  if (status === "working") {
    if (event.type === "fail") {
      const isLast = attempts + 1 === stage.maxAttempts;
      return { ...model, status: isLast ? "gate" : "working", attempts: attempts + 1 };
    }
    if (event.type !== "hand-over") return undefined;
    if (!completesOutput && stage.output && !isNumber(event.output)) return undefined;
    if (stage.gate === "none") return pass(wizard, model, event.summary);
    return { ...anew, status: "gate", held: { summary: event.summary, output: event.output } };
  }
  switch (event.type) {
    case "reject":
    case "withdraw":
      return anew;
    case "approve":
      if (held === undefined || hasOwnForm) return undefined;
      return completesOutput && !isNumeric(held.output) ? undefined : pass(wizard, model, held.summary);
    case "edit": {
      if (completesOutput || (hasOwnForm && held)) return undefined;
      if (stage.output && !isNumeric(event.output)) return undefined;
      const summary = held?.summary ?? "Written by the person.";
      return hasOwnForm
        ? { ...anew, status: "gate", held: { summary, output: event.output } }
        : pass(wizard, model, summary);
    }
    case "answer": {
      const summary = held?.summary ?? "Filled in by the person.";
      if (hasOwnForm) return held && isYes(event.values) ? pass(wizard, model, summary) : undefined;
      if (!completesOutput) return undefined;
      const whole = { ...(held?.output as object), ...(event.values as object) };
      // A field that nobody knows is a slip of the person's, and none of the model's.
      const isStray = "ok" in (event.values as object) && !("ok" in ((held?.output ?? {}) as object));
      return !isStray && isNumeric(whole) ? pass(wizard, model, summary) : undefined;
    }
    default:
      return undefined;
  }
}

function pass(wizard: Wizard, model: Model, summary: string): Model {
  const stage = wizard.stages.find(({ id }) => id === model.stage)!;
  const from = new Map(stage.needs.map((id) => [id, model.done.get(id)!.summary]));
  const done = new Map([...model.done, [stage.id, { summary, from }]]);
  const left = wizard.stages.filter(({ id }) => !done.has(id));
  return left[0]
    ? { stage: left[0].id, status: "working", attempts: 0, done }
    : { stage: wizard.stages.at(-1)!.id, status: "finished", attempts: 0, done };
}

function goBack(wizard: Wizard, model: Model, target: string): Model | undefined {
  const { held: _held, ...rest } = model;
  if (target === "__end__") return model.status === "finished" ? undefined : { ...rest, status: "stopped" };
  const order = wizard.stages.map(({ id }) => id);
  if (!order.includes(target) || order.indexOf(target) > order.indexOf(model.stage)) return undefined;
  const done = new Map([...model.done].filter(([id]) => id !== target && !needs(wizard, id, target)));
  return { stage: target, status: "working", attempts: 0, done };
}

/** Whether a stage needs another, itself or by way of those that it needs. */
function needs(wizard: Wizard, id: string, other: string): boolean {
  const stage: Stage = wizard.stages.find((each) => each.id === id)!;
  return stage.needs.some((need) => need === other || needs(wizard, need, other));
}

function isNumber(output: unknown): boolean {
  return typeof (output as { n?: unknown }).n === "number";
}

/** As a person may write it. */
function isNumeric(output: unknown): boolean {
  const { n } = output as { n?: unknown };
  return typeof n === "number" || n === "2";
}

function isYes(values: unknown): boolean {
  return (values as { ok?: unknown }).ok === true;
}
