import { isDeepStrictEqual } from "node:util";
import { END, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { findStage, isUnderWay } from "../../skills/stages/stage-machine.ts";
import {
  actPaths,
  afterAct,
  afterObserve,
  afterReview,
  afterRoute,
  findOpenDrift,
  observePaths,
  reviewPaths,
  routePaths,
  waitingCalls,
} from "../edges.ts";
import { emitEvent } from "../events.ts";
import type { GraphParts } from "../parts.ts";
import type { ActiveSkill } from "../skill-state.ts";
import type { Progress, State, StateUpdate } from "../state.ts";
import { readStoredWizard } from "./wizard.ts";

type Node = (state: State, config: LangGraphRunnableConfig) => StateUpdate | Promise<StateUpdate>;
/** What progress is read from. */
export type ProgressState = Pick<State, "active" | "texts"> & Partial<Pick<State, "progress">>;

/** The node that comes after each one, by what the state is then. */
const nextNode = {
  route: (state: State) => routePaths[afterRoute(state)],
  "load-skill": () => "act",
  act: (state: State) => actPaths[afterAct(state)],
  observe: (state: State) => observePaths[afterObserve(state)],
  review: (state: State) => reviewPaths[afterReview(state)],
};

const WORDS: Record<Progress["status"], string> = {
  working: "working",
  waiting: "waiting for you",
  finished: "done",
  stopped: "stopped",
};

/**
 * A node that also keeps how far the wizard has come. It is written with the step that leads to a question, since
 * `review` has no effect before it asks.
 */
export function withProgress(
  name: keyof typeof nextNode,
  node: Node,
  { policy }: Pick<GraphParts, "policy">,
): (state: State, config: LangGraphRunnableConfig) => Promise<StateUpdate> {
  return async (state, config) => {
    const update = await node(state, config);
    const after = applyUpdate(state, update);
    const next = nextNode[name](after);
    const isAsked = next === "review" && !isRefused(after, policy.mode);
    // A turn that ends with words leaves its stage to the person.
    const progress = findProgress(after, isAsked || (next === END && !after.stop));
    if (isDeepStrictEqual(progress, state.progress ?? null)) return update;
    if (progress) emitEvent(config, { type: "progress", ...progress });
    return { ...update, progress };
  };
}

/**
 * How far the wizard under way has come; where none is, how the last one ended.
 *
 * @param isWaiting true when a person is asked something, or has the next word
 */
export function findProgress(
  { active, texts, progress: before = null }: ProgressState,
  isWaiting: boolean,
): Progress | null {
  const open = active.findLast(({ wizard }) => isUnderWay(wizard));
  if (open) {
    const status = isWaiting ? "waiting" : "working";
    // A wizard that lost its stage stands where it was seen last.
    const seen = before?.skill === open.name ? withStatus(before, status) : null;
    return toProgressFacts(open, texts, status) ?? seen;
  }
  const finished = active.filter(({ wizard }) => wizard?.status === "finished");
  const last = finished.find(({ name }) => name === before?.skill) ?? finished.at(-1);
  if (before && before.skill !== last?.name && before.status !== "finished")
    return withStatus(before, "stopped");
  return last ? (toProgressFacts(last, texts, "finished") ?? before) : null;
}

/** The same progress in another status. */
export function withStatus(
  progress: Omit<Progress, "status" | "line">,
  status: Progress["status"],
): Progress {
  const { number, total, stage } = progress;
  return { ...progress, status, line: `${number}/${total} ${stage} · ${WORDS[status]}` };
}

/** Undefined where the thread does not hold the stage; whoever works on it says so. */
function toProgressFacts(
  { name, wizard: progress }: ActiveSkill,
  texts: State["texts"],
  status: Progress["status"],
): Progress | undefined {
  const wizard = progress && readStoredWizard(texts, progress.digest);
  const stage = wizard && findStage(wizard, progress.stage);
  if (!stage) return undefined;
  const number = wizard.stages.indexOf(stage) + 1;
  const total = wizard.stages.length;
  return withStatus({ skill: name, stage: stage.id, title: stage.title, number, total }, status);
}

/** The state as the next node finds it, as far as the edges look at it. */
function applyUpdate(state: State, update: StateUpdate): State {
  const { messages = [], texts } = update;
  return {
    ...state,
    ...update,
    messages: messages.length > 0 ? messages : state.messages,
    texts: texts ? { ...state.texts, ...texts } : state.texts,
    audit: state.audit,
  };
}

/** A skill that the mode refuses in a person's place passes through `review`, and nobody is asked. */
function isRefused(state: State, mode: GraphParts["policy"]["mode"]): boolean {
  if (mode !== "deny" || waitingCalls(state).length > 0 || findOpenDrift(state)) return false;
  return state.wanted.some(({ consent }) => consent !== undefined);
}
