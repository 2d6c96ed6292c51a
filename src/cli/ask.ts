import type { Readable, Writable } from "node:stream";
import { cancel, confirm, isCancel, select, text } from "@clack/prompts";
import type { ReviewItem, ReviewRequest } from "../graph/request.ts";
import { type FormField, readFormFields, renderRequest } from "./render-request.ts";
import { type Decision, parseAnswer, type Reply } from "./reply.ts";
import { toSafeLine } from "./safe-text.ts";
import { print, type Screen } from "./screen.ts";

/** Gets a reply to a request; undefined leaves the question open. */
export type Ask = (request: ReviewRequest) => Promise<Reply | undefined>;

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

interface Streams {
  input?: Readable;
  output?: Writable;
}

const NOT_NOW = "Later (leave it open)";

/** Asks on the terminal, one item after the other. */
export function createTerminalAsk(screen: Screen, options: TerminalAskOptions = {}): Ask {
  const { streams = {} } = options;
  return async (request) => {
    const decisions: Decision[] = [];
    for (const item of request.items) {
      const errors = decisions.length === 0 ? (request.errors ?? []) : [];
      print(screen, renderRequest({ ...request, items: [item], errors }, screen.out.colors).trimEnd());
      const decision =
        item.kind === "question" ? await askQuestion(item, options) : await askDecision(item, streams);
      if (decision === "taken") return undefined;
      if (decision === undefined) {
        cancel("Left open.", streams);
        return undefined;
      }
      decisions.push(decision);
    }
    return { decisions };
  };
}

async function askDecision(item: ReviewItem, streams: Streams): Promise<Decision | undefined> {
  const labels =
    item.kind === "outcome" ? OUTCOME_LABELS : item.kind === "skill" ? SKILL_LABELS : CALL_LABELS;
  const choice = await select<string>({
    ...streams,
    message: "Your decision",
    // Enter alone must not run a command.
    initialValue: "later",
    options: [
      ...item.allowed.map((value) => ({ value, label: labels[value] })),
      { value: "later", label: NOT_NOW },
    ],
  });
  if (choice === "approve") return { type: "approve" };
  if (choice === "edit") return edit(item, streams);
  if (choice === "respond") {
    const value = await text({ ...streams, message: "What was its result?" });
    return isCancel(value) ? undefined : { type: "respond", value: value ?? "" };
  }
  if (choice !== "reject") return undefined;
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
  const isCommand = item.name === "Bash" && typeof command === "string" && !command.includes("\n");
  const edited = await text({
    ...streams,
    message: isCommand ? "The command" : "The arguments, as JSON",
    initialValue: isCommand ? command : JSON.stringify(item.args),
    validate: (value) => (isCommand || readObject(value ?? "") ? undefined : "Write a JSON object."),
  });
  if (isCancel(edited)) return undefined;
  const args = isCommand ? { ...item.args, command: edited } : readObject(edited);
  return args && { type: "edit", edited_action: { name: item.name, args } };
}

async function askQuestion(
  item: ReviewItem,
  { takeCommand, streams = {} }: TerminalAskOptions,
): Promise<Decision | "taken" | undefined> {
  const fields = readFormFields(item.form);
  while (fields.length === 0) {
    const value = await text({ ...streams, message: "Your answer (Esc leaves it open)" });
    if (isCancel(value)) return undefined;
    const taken = value?.startsWith("/") ? await takeCommand?.(value.trim()) : "answer";
    if (taken === "leave") return "taken";
    if (taken !== "again") return { type: "respond", value: value ?? "" };
  }
  const values: [string, unknown][] = [];
  for (const field of fields) {
    const value = await askField(field, streams);
    if (isCancel(value)) return undefined;
    if (value !== undefined) values.push([field.name, value]);
  }
  return { type: "respond", value: Object.fromEntries(values) };
}

async function askField(field: FormField, streams: Streams): Promise<unknown> {
  const message = toSafeLine(field.title ?? field.name);
  if (field.choices) {
    const options = field.choices.map((choice, index) => ({
      value: index,
      label: toSafeLine(typeof choice === "string" ? choice : JSON.stringify(choice)),
    }));
    const index = await select({ ...streams, message, options });
    return isCancel(index) ? index : field.choices[index];
  }
  if (field.type === "boolean") return confirm({ ...streams, message });
  const isNumber = field.type === "number" || field.type === "integer";
  const value = await text({
    ...streams,
    message: field.required ? message : `${message} (may be empty)`,
    validate: (typed = "") => {
      if (typed === "") return field.required ? "An answer is needed." : undefined;
      return isNumber && !Number.isFinite(Number(typed)) ? "Write a number." : undefined;
    },
  });
  if (isCancel(value)) return value;
  if (value === undefined || value === "") return undefined;
  if (isNumber) return Number(value);
  return field.type === "string" ? value : parseAnswer(value);
}

function readObject(value: string): Record<string, unknown> | undefined {
  const parsed = parseAnswer(value);
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return isObject ? (parsed as Record<string, unknown>) : undefined;
}
