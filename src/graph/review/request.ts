import { createHash } from "node:crypto";
import { type Toolbox, toInputSchema } from "../../tools/toolbox.ts";
import { toDriftItem } from "../drift/drift-item.ts";
import { findOpenDrift, waitingCalls } from "../edges.ts";
import { describeTerms } from "../loading/consent.ts";
import type { PendingCall, State } from "../state.ts";
import { findDisplaced } from "../upgrade/displaced.ts";
import { toUpgradeItem } from "../upgrade/upgrade-item.ts";
import { toStageItem } from "../wizard/stage-item.ts";
import {
  findOpenWizard,
  listWaysBack,
  type OpenWizard,
  readCheck,
  readOpenWizard,
} from "../wizard/wizard.ts";
import { describeCallItem } from "./describe-item.ts";
import { withDraft } from "./draft.ts";
import type { DecisionType, ReviewItem } from "./review-item.ts";

/** An item in the shape and both casings that LangGraph Studio, agent-chat-ui and Agent Inbox read. */
interface ActionRequest {
  name: string;
  args: Record<string, unknown>;
  arguments: Record<string, unknown>;
  description: string;
}

/** What the graph asks when it pauses. Plain JSON. */
export interface ReviewRequest {
  /** Ours and stable: the interrupt's own id changes with every pass. */
  id: string;
  items: ReviewItem[];
  /** Why the last reply could not be used. */
  errors?: string[];
  action_requests: ActionRequest[];
  actionRequests: ActionRequest[];
  review_configs: {
    action_name: string;
    allowed_decisions: DecisionType[];
    args_schema?: Record<string, unknown>;
  }[];
  reviewConfigs: {
    actionName: string;
    allowedDecisions: DecisionType[];
    argsSchema?: Record<string, unknown>;
  }[];
}

type RequestState = Pick<State, "calls" | "wanted" | "active" | "reviewErrors"> &
  Partial<Pick<State, "decision" | "texts" | "drifts" | "run" | "draft">>;

/**
 * The open request of a state: every call that waits, in order, or alone a skill that changed, a wizard that lost its place or a skill to agree to.
 *
 * @param toolbox tells what the arguments of a call may be
 */
export function toReviewRequest(state: RequestState, toolbox?: Pick<Toolbox, "get">): ReviewRequest {
  const waiting = waitingCalls(state);
  // Whatever else is open has its turn when the calls of the turn are decided.
  const drift = waiting.length === 0 ? findOpenDrift({ drifts: state.drifts ?? [] }) : undefined;
  const displaced = waiting.length === 0 && !drift ? findDisplaced(state) : undefined;
  const misplaced = displaced && readOpenWizard(displaced, state.texts ?? {});
  const consent =
    waiting.length === 0 && !drift && !misplaced
      ? state.wanted.find((wanted) => wanted.consent !== undefined)
      : undefined;
  const asked = drift
    ? [toDriftItem(drift)]
    : misplaced
      ? [toUpgradeItem(misplaced)]
      : consent
        ? [{ ...toSkillItem(consent), ...toPlace(findOpenWizard({ texts: {}, ...state })) }]
        : waiting.map((call) => withForm(toItem(call, state), toolbox));
  // The question stays the same, with what a person filled in already.
  const items = asked.map((item) => withDraft(item, state));
  const schemas = items.map(({ kind, name, form }) => {
    const tool = kind === "call" ? toolbox?.get(name) : undefined;
    return form ?? (tool && toInputSchema(tool));
  });
  return {
    id: toRequestId(asked, [
      ...waiting.map(({ life }) => life),
      // Asked again for another reason, or with other files: an answer to the question before is none to this one.
      ...(waiting.some(({ edited }) => edited) ? ["edited"] : []),
      ...(waiting.some(isAskedAgain) ? [waiting.map(({ reason }) => reason), listTold(state)] : []),
      state.decision?.messageId,
      // Other files are another question: a late yes to the one before does not count.
      ...(consent?.terms ? [consent.terms.digest] : []),
      // After a stop the same change is asked about once more, which is another question, too.
      ...(drift ? [drift.digest, state.run?.life] : []),
      ...(misplaced ? [misplaced.progress.digest, state.run?.life] : []),
    ]),
    items,
    ...(state.reviewErrors.length > 0 ? { errors: state.reviewErrors } : {}),
    ...toClientShapes(items, schemas),
  };
}

/** The items as other clients read them. `schemas`, by place: what the arguments may be. */
export function toClientShapes(
  items: ReviewItem[],
  schemas: (Record<string, unknown> | undefined)[],
): Omit<ReviewRequest, "id" | "items" | "errors"> {
  const actions = items.map(({ name, args, description }) => ({ name, args, arguments: args, description }));
  return {
    action_requests: actions,
    actionRequests: actions,
    review_configs: items.map(({ name, allowed }, index) => ({
      action_name: name,
      allowed_decisions: allowed,
      ...(schemas[index] ? { args_schema: schemas[index] } : {}),
    })),
    reviewConfigs: items.map(({ name, allowed }, index) => ({
      actionName: name,
      allowedDecisions: allowed,
      ...(schemas[index] ? { argsSchema: schemas[index] } : {}),
    })),
  };
}

/** A person who changes the call of a caller's own tool cannot know what that takes. */
function withForm(item: ReviewItem, toolbox: Pick<Toolbox, "get"> | undefined): ReviewItem {
  const tool = item.kind === "call" ? toolbox?.get(item.name) : undefined;
  return tool?.mayPause ? { ...item, form: toInputSchema(tool) } : item;
}

function isAskedAgain({ status, approvedFor }: PendingCall): boolean {
  return status === "ask" && approvedFor !== undefined;
}

/** The files of each skill as a person was last told of them. */
function listTold({ active }: RequestState): (string | undefined)[] {
  return active.map(({ drift, files }) => drift?.digest ?? files);
}

/** Call ids are unique in a thread, so the same question has the same id and the next one another. */
function toRequestId(items: ReviewItem[], moment: unknown[]): string {
  const facts = JSON.stringify([items.map(({ kind, id, args }) => [kind, id, args]), moment]);
  return `req-${createHash("sha256").update(facts).digest("hex").slice(0, 12)}`;
}

function toItem(call: PendingCall, { active, texts = {} }: RequestState): ReviewItem {
  if (call.status === "gate") return toStageItem(call, { active, texts });
  const open = findOpenWizard({ active, texts });
  const skill = open?.skill.name ?? active.at(-1)?.name;
  const base = {
    id: call.id,
    name: call.tool,
    args: call.input,
    ...(skill === undefined ? {} : { skill }),
    ...toPlace(open),
  };
  if (call.status === "question") {
    const form = call.input.form as Record<string, unknown> | undefined;
    return {
      ...base,
      kind: "question",
      description: String(call.input.question ?? ""),
      allowed: ["respond", "reject"],
      ...(form ? { form } : {}),
    };
  }
  if (call.status === "unknown") {
    return {
      ...base,
      kind: "outcome",
      description: `${call.tool} was begun, and the run ended before its end was seen. Approve runs it again, respond records the result that it had, reject skips it.`,
      allowed: ["approve", "respond", "reject"],
    };
  }
  // What runs there is the check, which the arguments do not show.
  const check = call.tool === "CompleteStage" && open ? readCheck(open) : undefined;
  const told = describeCallItem(call, check?.command);
  return { ...base, kind: "call", ...told, allowed: ["approve", "edit", "reject"] };
}

/** Where in a wizard something is asked, and where a person may go instead. */
function toPlace(open: OpenWizard | undefined): Pick<ReviewItem, "stage" | "back"> {
  return open ? { stage: open.stage.id, back: listWaysBack(open) } : {};
}

function toSkillItem(wanted: State["wanted"][number]): ReviewItem {
  const { terms } = wanted;
  const about = terms ? ` ${describeTerms(terms)}` : "";
  return {
    kind: "skill",
    id: wanted.callId ?? wanted.name,
    name: wanted.name,
    args: { name: wanted.name, arguments: wanted.arguments },
    description: `Load the skill "${wanted.name}"? It needs your word because ${wanted.consent}.${about}`,
    allowed: ["approve", "reject"],
    ...(terms ? { source: terms.source, risk: terms.risk, asks: terms.asks, changed: terms.files } : {}),
  };
}
