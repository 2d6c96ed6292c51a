import type { ReviewRequest } from "../graph/review/request.ts";
import type { ReviewItem } from "../graph/review/review-item.ts";
import { toVisibleText } from "../permissions/ask/visible-text.ts";
import { quoteWord } from "../skills/arguments/apply-arguments.ts";
import { readFormFields, renderFormFields, toFormExample } from "./form-fields.ts";
import { toProgramName } from "./program-name.ts";
import { renderDifference } from "./render-difference.ts";
import { listDriftAnswers, renderDriftBody } from "./render-drift.ts";
import {
  type Answer,
  listStageAnswers,
  listWaysOut,
  renderStageBody,
  renderStageTitle,
} from "./render-stage.ts";
import { listUpgradeAnswers, renderUpgradeBody } from "./render-upgrade.ts";
import { toSafeLine, toSafeLines, toSafeText } from "./safe-text.ts";
import type { Colors } from "./screen.ts";

/** Longest arguments that are repeated in a printed `--edit`, in characters. */
const EXAMPLE_LIMIT = 300;

/**
 * What is asked, whole: an approval must not hide a part of what it is for.
 *
 * @param thread the thread that asks, to be named where something is too long even so
 */
export function renderRequest(request: ReviewRequest, colors: Colors, thread?: string): string {
  const { items, errors = [] } = request;
  if (!Array.isArray(items)) return `${toSafeText(JSON.stringify(request, null, 2))}\n`;
  const lines = errors.map((error) => colors.red(`The last answer was not taken: ${toSafeLine(error, 500)}`));
  for (const [index, item] of items.entries()) {
    const number = items.length > 1 ? `${index + 1} of ${items.length}: ` : "";
    const body = item.kind === "drift" ? renderDriftBody(item, colors) : toBody(item, colors, thread);
    lines.push("", colors.bold(number + toTitle(item)), ...body);
  }
  return `${lines.join("\n")}\n`;
}

/** The commands that answer a request, ready to be copied. `carried` are flags that every one needs. */
export function renderAnswers(thread: string, request: ReviewRequest, carried = ""): string {
  const base = `${toProgramName()} resume ${thread} --request ${request.id}${carried === "" ? "" : ` ${carried}`}`;
  const lines = toAnswers(request).map(
    ({ flag, about }) => `  ${base} ${flag}${about ? `   # ${about}` : ""}`,
  );
  return ["", "Answer with:", ...lines, ""].join("\n");
}

/** The command that goes on with a thread which waits for nobody. */
export function renderResume(thread: string, carried = ""): string {
  return `${toProgramName()} resume ${thread}${carried === "" ? "" : ` ${carried}`}`;
}

/** One call in one line, for progress. */
export function renderCall(tool: string, input: Record<string, unknown>): string {
  if (tool === "Bash" && typeof input.command === "string") return `$ ${toCommandLine(input.command)}`;
  const values = Object.entries(input).map(([key, value]) =>
    Object.keys(input).length === 1 ? toText(value) : `${key}=${toText(value)}`,
  );
  return `→ ${toSafeLine(`${tool} ${values.join(" ")}`)}`;
}

function toTitle(item: ReviewItem): string {
  if (item.kind === "stage") return renderStageTitle(item);
  const who = item.skill === undefined ? "The model" : `The skill ${toSafeLine(item.skill)}`;
  if (item.kind === "question") return `${who} asks:`;
  if (item.kind === "outcome") return "It is not known how this call ended:";
  if (item.kind === "skill") return "A skill waits for your word:";
  if (item.kind === "upgrade") return `The wizard ${toSafeLine(item.name)} lost its place:`;
  if (item.kind === "drift") return `The skill ${toSafeLine(item.name)} changed on disk after it was loaded:`;
  return `${who} wants to use ${toSafeLine(item.name)}:`;
}

function toBody(item: ReviewItem, colors: Colors, thread: string | undefined): string[] {
  if (item.kind === "upgrade") return renderUpgradeBody(item);
  if (item.kind === "stage") return renderStageBody(item, colors, thread);
  const description = toSafeLines(item.description);
  if (item.kind === "question")
    return [...description, ...renderFormFields(readFormFields(item.form, {}, item.fieldErrors))];
  if (item.kind === "skill") return description;
  const args = Object.entries(item.args).flatMap(([key, value]) => toArgument(item, key, value));
  return item.kind === "call" ? [...args, ...toCallFacts(item, colors)] : [...args, ...description];
}

/** Why a call asks, what it writes, and what "always" would add; each rule on a line of its own. */
function toCallFacts(
  { description, reason = description, writes = [], difference = "", always = [] }: ReviewItem,
  colors: Colors,
): string[] {
  return [
    ...(writes.length > 0 ? [`  Writes: ${writes.map(toShown).join(", ")}`] : []),
    ...(difference === "" ? [] : ["  Changes:", ...renderDifference(toVisibleText(difference), colors)]),
    `  Why you are asked: ${toSafeLine(toVisibleText(reason), 1000)}`,
    ...(always.length > 0
      ? [`  Approve always would add to ${SETTINGS}:`, ...always.map((rule) => `    ${toShown(rule)}`)]
      : []),
  ];
}

/** What a yes for ever adds to, in words. */
const SETTINGS = "your settings for this project";

/** What would be added, for a menu or behind a printed command. */
export function describeAlways(rules: readonly string[]): string {
  const what = rules.length > 3 ? `${rules.length} rules` : rules.map(toShown).join(", ");
  return `adds ${what} to ${SETTINGS}`;
}

function toArgument(item: ReviewItem, key: string, value: unknown): string[] {
  const text = toVisibleText(toText(value));
  if (item.name === "Bash" && key === "command") return toSafeLines(item.command ?? text, "  $ ", "    ");
  if (!text.includes("\n")) return toSafeLines(`${toVisibleText(key)}: ${text}`);
  return [`  ${toSafeLine(toVisibleText(key))}:`, ...toSafeLines(text, "    ", "    ")];
}

/** Whole, on one line, with nothing hidden. */
function toShown(text: string): string {
  return toVisibleText(text.replace(/\n/g, " ⏎ "));
}

/** A line break parts commands, so it stays to be seen: `echo x` on a line of its own hides nothing behind it. */
function toCommandLine(command: string): string {
  return toSafeLine(command.trim().replace(/\s*[\r\n]\s*/g, " ⏎ "));
}

function toAnswers({ items }: ReviewRequest): Answer[] {
  const first = Array.isArray(items) ? items[0] : undefined;
  if (!first) return [{ flag: "--answer TEXT" }];
  if (first.kind === "stage") return listStageAnswers(first);
  if (first.kind === "drift") return listDriftAnswers(first);
  if (first.kind === "upgrade") return listUpgradeAnswers(first);
  const count = items.length;
  const approved = items.findIndex((item) => !item.allowed.includes("approve"));
  const many =
    count === 1 ? undefined : approved === -1 ? `all ${count}` : `the first ${approved}, then asks again`;
  const answers = {
    approve: { flag: "--approve", about: many ?? (first.kind === "outcome" ? "run it again" : undefined) },
    always: { flag: "--approve --always", about: toAlwaysAbout(items, approved, many) },
    edit: { flag: `--edit ${quoteWord(toEditExample(items))}` },
    respond: {
      flag: `--answer ${toAnswerExample(first)}`,
      about: count === 1 ? undefined : "the first, then asks again",
    },
    reject: { flag: "--reject 'why not'", about: count === 1 ? undefined : `all ${count}` },
  };
  const kinds = first.allowed.flatMap((type) =>
    type === "approve" && answers.always.about !== undefined ? [type, "always" as const] : [type],
  );
  const decisions = kinds.map((kind) => {
    const { flag, about } = { about: undefined, ...answers[kind] };
    return about === undefined ? { flag } : { flag, about };
  });
  return [...decisions, ...(first.back ? listWaysOut(first) : [])];
}

/** What `--always` adds beside the yes to all; undefined where no item offers a rule. */
function toAlwaysAbout(items: ReviewItem[], end: number, many: string | undefined): string | undefined {
  const answered = items.slice(0, end === -1 ? undefined : end);
  const rules = [...new Set(answered.flatMap(({ always = [] }) => always))];
  if (rules.length === 0) return undefined;
  return [...(many === undefined ? [] : [many]), describeAlways(rules)].join("; ");
}

function toEditExample(items: ReviewItem[]): string {
  const [first] = items;
  if (!first) return "{}";
  const example = items.length === 1 ? first.args : { [first.id]: first.args };
  const text = JSON.stringify(example);
  if (text.length <= EXAMPLE_LIMIT && toVisibleText(text) === text) return text;
  const short = Object.fromEntries(Object.keys(first.args).map((key) => [key, "…"]));
  const shape = JSON.stringify(items.length === 1 ? short : { [first.id]: short });
  return toSafeLine(toVisibleText(shape), EXAMPLE_LIMIT);
}

function toAnswerExample(item: ReviewItem): string {
  if (item.kind === "outcome") return "'the result that it had'";
  const fields = readFormFields(item.form);
  if (fields.length === 0) return "'your answer'";
  return quoteWord(toSafeLine(JSON.stringify(toFormExample(fields)), EXAMPLE_LIMIT));
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
