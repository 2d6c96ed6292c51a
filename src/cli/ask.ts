import { cancel, isCancel, text } from "@clack/prompts";
import type { ReviewRequest } from "../graph/review/request.ts";
import type { ReviewItem } from "../graph/review/review-item.ts";
import { leaveOnly } from "./ask-by-line.ts";
import { askFields, askObject, isTypable } from "./ask-field.ts";
import { askWayBack, followStage, listStageChoices } from "./ask-stage.ts";
import { pickOpenFields, readFormFields } from "./form-fields.ts";
import { explainRefusal, readDecision, toChoices } from "./line-decision.ts";
import { askMenu, type Menu } from "./menu.ts";
import { listDriftChoices } from "./render-drift.ts";
import { describeAlways, renderRequest } from "./render-request.ts";
import { listUpgradeChoices, readUpgradeChoice } from "./render-upgrade.ts";
import { type Decision, type GoTo, type Reply, toEdit } from "./reply.ts";
import { note, print, type Screen } from "./screen.ts";
import type { Streams } from "./streams.ts";

/** Gets a reply to a request of a thread; undefined leaves the question open. */
export type Ask = (request: ReviewRequest, thread?: string) => Promise<Reply | undefined>;

/**
 * Takes a line that begins with `/` where an answer could be: `again` when it was a command and the question is
 * still to be answered, `leave` when the question is left, `answer` when it is no command.
 */
export type TakeCommand = (line: string) => Promise<"again" | "leave" | "answer">;

/** How to ask on the terminal. */
export interface TerminalAskOptions {
  takeCommand?: TakeCommand;
  /** Default: the streams of the process. */
  streams?: Streams;
}

const NOT_NOW = "Later (leave it open)";

/** Asks on the terminal, one item after the other. */
export function createTerminalAsk(screen: Screen, options: TerminalAskOptions = {}): Ask {
  const { streams = {} } = options;
  return async (request, thread) => {
    const decisions: Decision[] = [];
    for (const item of request.items) {
      const errors = decisions.length === 0 ? (request.errors ?? []) : [];
      const shown = renderRequest({ ...request, items: [item], errors }, screen.out.colors, thread);
      print(screen, shown.trimEnd());
      const answer = await askItem(item, screen, options);
      if (answer === "taken") return undefined;
      if (answer === undefined) {
        cancel("Left open.", streams);
        return undefined;
      }
      if ("goto" in answer) return answer;
      decisions.push(answer);
    }
    return { decisions };
  };
}

async function askItem(
  item: ReviewItem,
  screen: Screen,
  options: TerminalAskOptions,
): Promise<Decision | GoTo | "taken" | undefined> {
  if (item.kind === "question") return askQuestion(item, options);
  const { streams = {}, takeCommand = leaveOnly } = options;
  for (;;) {
    const answer = await askMenu(toMenu(item), streams);
    if (answer.kind === "left") return undefined;
    if (answer.kind === "chosen") return follow(item, answer.value, streams);
    const { text } = answer;
    if (/^later$/i.test(text)) return undefined;
    const taken = text.startsWith("/") ? await takeCommand(text) : "answer";
    if (taken === "leave") return "taken";
    const decision = taken === "answer" ? readClear(item, text) : undefined;
    if (decision) return decision;
    const ways = item.kind === "outcome" ? "y (run it again), n (skip it), or /later" : toChoices(item);
    if (taken === "answer") note(screen, `${explainRefusal(item, text)} Choose, or type ${ways}.`);
  }
}

/** Beside a menu words must be clear: a line that is no choice is not what a call has brought about. */
function readClear(item: ReviewItem, text: string): Decision | GoTo | undefined {
  const decision = text.startsWith("/") ? undefined : readDecision(item, text);
  const isGuess = item.kind === "outcome" && decision && "type" in decision && decision.type === "respond";
  return isGuess ? undefined : decision;
}

/** Enter alone must not run a command, open a gate or change a skill. */
function toMenu(item: ReviewItem): Menu<string> {
  const { kind, back = [], allowed, always = [] } = item;
  const later = { value: "later", label: NOT_NOW };
  if (kind === "upgrade") {
    const options = [...listUpgradeChoices(item), later];
    return { message: "Where does it go on?", initialValue: "later", options };
  }
  if (kind === "drift") {
    const options = [...listDriftChoices(item), later];
    return { message: "What becomes of it?", initialValue: "later", options };
  }
  const labels = kind === "outcome" ? OUTCOME_LABELS : kind === "skill" ? SKILL_LABELS : CALL_LABELS;
  const options =
    kind === "stage"
      ? listStageChoices(item)
      : [
          ...allowed.flatMap((value) => [
            { value, label: labels[value] },
            ...(value === "approve" && always.length > 0
              ? [{ value: "always", label: `Approve always: ${describeAlways(always)}` }]
              : []),
          ]),
          ...(back.length > 0 ? [{ value: "goto", label: "Go back to a stage of the wizard" }] : []),
        ];
  return { message: "Your decision", initialValue: "later", options: [...options, later] };
}

/** What was chosen, with what else has to be said. */
async function follow(
  item: ReviewItem,
  choice: string,
  streams: Streams,
): Promise<Decision | GoTo | undefined> {
  if (choice === "later") return undefined;
  if (item.kind === "upgrade") return readUpgradeChoice(item, choice);
  if (item.kind === "drift") return { type: "respond", value: choice };
  if (item.kind === "stage") return followStage(item, choice, streams);
  if (choice === "goto") return askWayBack(item.back ?? [], streams);
  if (choice === "approve") return { type: "approve" };
  if (choice === "always") return { type: "approve", always: true };
  if (choice === "edit") return edit(item, streams);
  if (choice === "respond") {
    const value = await text({ ...streams, message: "What was its result?" });
    return isCancel(value) ? undefined : { type: "respond", value: value ?? "" };
  }
  const message = await text({ ...streams, message: "Why not? (may be empty)" });
  return isCancel(message) ? undefined : { type: "reject", message: message ?? "" };
}

const CALL_LABELS = { approve: "Approve", edit: "Edit it first", reject: "Reject", respond: "Answer" };
const OUTCOME_LABELS = {
  approve: "Run it again",
  edit: "Edit",
  reject: "Skip it",
  respond: "It happened: tell its result",
};
const SKILL_LABELS = { approve: "Load it", edit: "Edit", reject: "Do not load it", respond: "Answer" };

/** A command is edited as it stands, everything else as JSON. */
async function edit(item: ReviewItem, streams: Streams): Promise<Decision | undefined> {
  const { command } = item.args;
  if (item.name !== "Bash" || typeof command !== "string" || !isTypable(command)) {
    const args = await askObject("The arguments, as JSON", item.args, streams);
    return args && toEdit(item, args);
  }
  const edited = await text({ ...streams, message: "The command", initialValue: command });
  return isCancel(edited) ? undefined : toEdit(item, { ...item.args, command: edited });
}

async function askQuestion(
  item: ReviewItem,
  { takeCommand, streams = {} }: TerminalAskOptions,
): Promise<Decision | "taken" | undefined> {
  const fields = pickOpenFields(readFormFields(item.form, {}, item.fieldErrors));
  while (fields.length === 0) {
    const value = await text({ ...streams, message: "Your answer (Esc leaves it open)" });
    if (isCancel(value)) return undefined;
    const taken = value?.startsWith("/") ? await takeCommand?.(value.trim()) : "answer";
    if (taken === "leave") return "taken";
    if (taken !== "again") return { type: "respond", value: value ?? "" };
  }
  const value = await askFields(fields, streams);
  return value && { type: "respond", value };
}
