import type { ReviewItem } from "../graph/review/review-item.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import { parseAnswer, parseObject } from "./json-text.ts";
import { readUpgradeChoice, toUpgradeWords } from "./render-upgrade.ts";
import { type Decision, type GoTo, toEdit } from "./reply.ts";
import { toSafeLine } from "./safe-text.ts";
import { explainValues, isUnchanged, listPlaces, mergeOutput, readValues } from "./stage-item.ts";

const YES = /^(y|yes|approve)$/i;
const ALWAYS = /^((y|yes|approve)[ ,_-]*)?always$/i;
const NO = /^(n|no|reject|skip)$/i;
const NO_STAGE = /^(n|no|reject)$/i;
const NO_BECAUSE = /^(?:n|no|reject)(?:\s*[,:;.-]\s*|\s+)(\S.*)$/i;

/**
 * What a line decides; undefined for one that decides nothing. A question takes any line as its answer; all else takes
 * only clear words, since a stray line must not decide.
 */
export function readDecision(item: ReviewItem, line: string): Decision | GoTo | undefined {
  if (item.kind === "stage") return readStageDecision(item, line);
  if (item.kind === "upgrade") return readUpgradeChoice(item, line);
  if (item.kind === "drift") return readDriftChoice(item, line);
  const place = item.back && readPlace(item, line);
  if (place !== undefined) return place;
  if (item.kind === "question") return toAnswer(item, line);
  if (ALWAYS.test(line)) return item.always?.length ? { type: "approve", always: true } : undefined;
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
    const value = explainValues(line, item) === undefined ? readValues(line, item) : undefined;
    return value ? { type: "respond", value } : readRefusal(line);
  }
  const changes = parseObject(line);
  const output = changes && mergeOutput(item, changes);
  return output && !isUnchanged(item, output) ? toEdit(item, output) : readRefusal(line);
}

/** Why a line decides nothing; undefined for an empty one. */
export function explainRefusal(item: ReviewItem, line: string): string | undefined {
  if (line === "") return undefined;
  return explainWords(item, line) ?? `"${toSafeLine(line, 80)}" was not understood.`;
}

function explainWords(item: ReviewItem, line: string): string | undefined {
  const isStage = item.kind === "stage";
  if (item.kind === "call" && ALWAYS.test(line))
    return "No rule is offered for this call: type y for this once.";
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
  if (item.allowed.includes("respond")) return explainValues(line, item);
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
function toAnswer(item: ReviewItem, line: string): Decision {
  const values = item.form ? readValues(line, item) : undefined;
  if (values) return { type: "respond", value: values };
  return { type: "respond", value: parseAnswer(line) ?? line };
}

/** What can be typed. */
export function toChoices(item: ReviewItem): string {
  if (item.kind === "question") return "your answer, or /later";
  if (item.kind === "stage") return toStageChoices(item);
  if (item.kind === "upgrade") return toUpgradeWords(item);
  if (item.kind === "drift") return `${item.choices?.join(", ")}, or /later`;
  if (item.kind === "outcome") return "y (run it again), n (skip it), the result it had, or /later";
  return `y, ${item.always?.length ? "always, " : ""}n, n and why not, or /later`;
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
