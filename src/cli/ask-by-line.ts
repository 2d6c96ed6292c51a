import type { ReviewItem } from "../graph/review/review-item.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import type { Ask, TakeCommand } from "./ask.ts";
import { parseAnswer, parseObject } from "./json-text.ts";
import type { Lines } from "./lines.ts";
import { renderRequest } from "./render-request.ts";
import { type Decision, type GoTo, toEdit } from "./reply.ts";
import { toSafeLine } from "./safe-text.ts";
import { note, print, type Screen } from "./screen.ts";
import { isUnchanged, listPlaces, mergeOutput, readValues } from "./stage-item.ts";

const YES = /^(y|yes|approve)$/i;
const NO = /^(n|no|reject|skip)$/i;
const NO_STAGE = /^(n|no|reject)$/i;
const NO_BECAUSE = /^(?:n|no|reject)(?:\s*[,:;.-]\s*|\s+)(\S.*)$/i;

/** How to ask in lines. */
export interface LineAskOptions {
  /** True when standard output is for events only. Default false. */
  isQuiet?: boolean;
  /** Takes lines that begin with `/`. Default: `/later` and `/quit` leave the question open. */
  takeCommand?: TakeCommand;
}

/**
 * Asks in plain lines. A question takes any line as its answer; calls, skills and stages take only clear words,
 * since a stray line must not decide. The end of the input leaves the question open.
 */
export function createLineAsk(lines: Lines, screen: Screen, options: LineAskOptions = {}): Ask {
  const { isQuiet = false, takeCommand = leaveOnly } = options;
  return async (request, thread) => {
    const decisions: Decision[] = [];
    for (const item of request.items) {
      const errors = decisions.length === 0 ? (request.errors ?? []) : [];
      if (isQuiet) for (const error of errors) note(screen, toSafeLine(error, 500));
      else {
        const shown = renderRequest({ ...request, items: [item], errors }, screen.out.colors, thread);
        print(screen, shown.trimEnd());
      }
      const answer = await askItem(item, { lines, screen, takeCommand });
      if (answer === undefined || "goto" in answer) return answer;
      decisions.push(answer);
    }
    return { decisions };
  };
}

async function askItem(
  item: ReviewItem,
  { lines, screen, takeCommand }: { lines: Lines; screen: Screen; takeCommand: TakeCommand },
): Promise<Decision | GoTo | undefined> {
  for (;;) {
    note(screen, `Type ${toChoices(item)}.`);
    const line = (await lines.next("answer> "))?.trim();
    if (line === undefined) return undefined;
    const taken = line.startsWith("/") ? await takeCommand(line) : "answer";
    if (taken === "leave") return undefined;
    const decision = taken === "answer" ? readDecision(item, line) : undefined;
    if (decision) return decision;
    const why = taken === "answer" ? explainRefusal(item, line) : undefined;
    if (why !== undefined) note(screen, why);
  }
}

/** Undefined for a line that decides nothing. */
function readDecision(item: ReviewItem, line: string): Decision | GoTo | undefined {
  if (item.kind === "stage") return readStageDecision(item, line);
  if (item.kind === "drift") return readDriftChoice(item, line);
  const place = item.back && readPlace(item, line);
  if (place !== undefined) return place;
  if (item.kind === "question") return toAnswer(line);
  if (YES.test(line)) return { type: "approve" };
  if (NO.test(line)) return { type: "reject", message: "" };
  if (item.allowed.includes("respond")) return line === "" ? undefined : { type: "respond", value: line };
  return readRefusal(line);
}

/** No yes and no no: what they would mean here is not plain. */
function readDriftChoice({ choices }: ReviewItem, line: string): Decision | undefined {
  const value = choices?.find((choice) => choice === line.toLowerCase());
  return value === undefined ? undefined : { type: "respond", value };
}

/** JSON is the values of a form where the gate takes some, else what changes in the output. */
function readStageDecision(item: ReviewItem, line: string): Decision | GoTo | undefined {
  if (/^(stop|goto\s+\S+)$/i.test(line)) return readPlace(item, line);
  const { allowed } = item;
  if (YES.test(line)) return allowed.includes("approve") ? { type: "approve" } : undefined;
  if (NO_STAGE.test(line)) return { type: "reject", message: "" };
  if (allowed.includes("respond")) {
    const value = readValues(line, item);
    return value ? { type: "respond", value } : readRefusal(line);
  }
  const changes = parseObject(line);
  const output = changes && mergeOutput(item, changes);
  return output && !isUnchanged(item, output) ? toEdit(item, output) : readRefusal(line);
}

/** Why a line that means something decides nothing; undefined where the choices say it all. */
function explainRefusal(item: ReviewItem, line: string): string | undefined {
  const isStage = item.kind === "stage";
  const [, place] = /^goto(?:\s+(.*))?$/i.exec(line) ?? [];
  if ((isStage || item.back) && /^goto\b/i.test(line)) {
    const ways = `Ways: ${listPlaces(item)
      .map((id) => toSafeLine(id))
      .join(", ")}.`;
    return place === undefined
      ? `Where to? ${ways}`
      : `There is no way to "${toSafeLine(place)}" from here. ${ways}`;
  }
  if (!isStage) return undefined;
  if (YES.test(line)) return "This stage cannot be approved as it is.";
  if (!/^[{[]/.test(line)) return undefined;
  const changes = parseObject(line);
  if (!changes) return "This is no JSON object.";
  const output = mergeOutput(item, changes);
  return output
    ? "This changes nothing: type approve to go on."
    : 'The stage hands over a summary only: {"summary": TEXT}.';
}

function readPlace(item: ReviewItem, line: string): GoTo | undefined {
  const place = /^stop$/i.test(line) ? END_STAGE : /^goto\s+(\S+)$/i.exec(line)?.[1]?.normalize("NFC");
  return place !== undefined && listPlaces(item).includes(place) ? { goto: place } : undefined;
}

function readRefusal(line: string): Decision | undefined {
  const because = NO_BECAUSE.exec(line)?.[1];
  return because === undefined ? undefined : { type: "reject", message: because };
}

/** `null` is what JSON has for no answer; typed by a person it is the word. */
function toAnswer(line: string): Decision {
  return { type: "respond", value: parseAnswer(line) ?? line };
}

function toChoices(item: ReviewItem): string {
  if (item.kind === "question") return "your answer, or /later";
  if (item.kind === "stage") return toStageChoices(item);
  if (item.kind === "drift") return `${item.choices?.join(", ")}, or /later`;
  if (item.kind === "outcome") return "y (run it again), n (skip it), the result it had, or /later";
  return "y, n, n and why not, or /later";
}

function toStageChoices(item: ReviewItem): string {
  const { allowed, back = [] } = item;
  return [
    ...(allowed.includes("approve") ? ["approve"] : []),
    "reject and what to change",
    allowed.includes("respond") ? "the values as JSON" : "JSON with what you change",
    ...back.map((id) => `goto ${toSafeLine(id)}`),
    "stop (ends the wizard)",
    "or /later",
  ].join(", ");
}

async function leaveOnly(line: string): ReturnType<TakeCommand> {
  return line === "/later" || line === "/quit" ? "leave" : "answer";
}
