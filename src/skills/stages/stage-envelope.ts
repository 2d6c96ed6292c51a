import { escapeText, readAttributes, splitEnvelope } from "../envelope.ts";
import type { JsonSchema, StageGate } from "./stage.ts";
import type { StageResult } from "./stage-results.ts";

/** The current stage of a wizard as the model sees it. */
export interface StageEnvelope {
  /** Name of the skill. */
  skill: string;
  id: string;
  title: string;
  /** Counted from one. */
  number: number;
  total: number;
  gate: StageGate;
  /** What the stage must hand over. */
  output?: JsonSchema;
  /** Of the earlier stages that it needs. */
  results: StageResult[];
  /** What the person said when they sent the stage back. */
  feedback?: string;
  /** Why the latest completions failed. */
  failures?: string[];
  /** The instructions, with their values filled in. */
  text: string;
}

const OPENING = "<instructions>";
const CLOSING = "</instructions>\n</stage>";
const SCHEMA = "JSON Schema of the output: ";
const RESULT = "Result: ";
const FEEDBACK = "The person sent this stage back and said: ";
const FAILURE = "A completion failed: ";

const GATES: Record<StageGate, string> = {
  approve: "Then the person approves it, changes it or sends it back.",
  form: "Then the person fills in a form; leave to them what only they can know.",
  none: "Then the next stage begins.",
};

/**
 * Writes the current stage of a wizard as one message for the model: where it stands, how the stage ends, what
 * earlier stages handed over, then its instructions.
 *
 * {@link parseStageEnvelope} reads it back whatever the texts hold.
 */
export function renderStageEnvelope(envelope: StageEnvelope): string {
  const { skill, id, title, number, total, gate, output, results, feedback, failures, text } = envelope;
  const attributes = Object.entries({ skill, id, title, number, total, gate })
    .map(([key, value]) => `${key}="${escapeText(String(value))}"`)
    .join(" ");
  const handsOver = output === undefined ? "" : ", with an output that fits the schema below";
  return [
    `<stage ${attributes}>`,
    `This is stage ${number} of ${total} of the skill. Do this stage only; the next one is shown when it comes.`,
    `When it is done, call CompleteStage${handsOver}, as the only call of that turn. ${GATES[gate]}`,
    // JSON has no line breaks of its own, so no value can end its line.
    ...(output === undefined ? [] : [`${SCHEMA}${JSON.stringify(output)}`]),
    ...(results.length === 0 ? [] : ["Results of earlier stages:"]),
    ...results.map((result) => `${RESULT}${JSON.stringify(result)}`),
    ...(feedback === undefined ? [] : [`${FEEDBACK}${JSON.stringify(feedback)}`]),
    ...(feedback === "" ? ["They gave no reason."] : []),
    ...(failures ?? []).map((failure) => `${FAILURE}${JSON.stringify(failure)}`),
    OPENING,
    text,
    CLOSING,
  ].join("\n");
}

/**
 * Reads a message that {@link renderStageEnvelope} wrote.
 *
 * @returns The envelope, or undefined when the content is anything else.
 */
export function parseStageEnvelope(content: string): StageEnvelope | undefined {
  const parts = splitEnvelope(content, "stage");
  if (parts === undefined) return undefined;
  const { tag, lines, text } = parts;
  const place = readPlace(readAttributes(tag));
  if (place === undefined) return undefined;
  const read = (label: string): unknown[] =>
    lines.filter((line) => line.startsWith(label)).map((line) => parseJson(line.slice(label.length)));
  const [output] = read(SCHEMA) as (JsonSchema | undefined)[];
  const [feedback] = read(FEEDBACK) as (string | undefined)[];
  const failures = read(FAILURE) as string[];
  return {
    ...place,
    ...(output === undefined ? {} : { output }),
    results: read(RESULT).filter((result) => result !== undefined) as StageResult[],
    ...(feedback === undefined ? {} : { feedback }),
    ...(failures.length === 0 ? {} : { failures }),
    text,
  };
}

type Place = Pick<StageEnvelope, "skill" | "id" | "title" | "number" | "total" | "gate">;

function readPlace(attributes: Map<string, string>): Place | undefined {
  const [skill, id, title, gate] = ["skill", "id", "title", "gate"].map((key) => attributes.get(key));
  const [number, total] = ["number", "total"].map((key) => Number(attributes.get(key)));
  if (skill === undefined || id === undefined || title === undefined || gate === undefined) return undefined;
  if (!Object.hasOwn(GATES, gate) || !Number.isInteger(number) || !Number.isInteger(total)) return undefined;
  return { skill, id, title, number: number!, total: total!, gate: gate as StageGate };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not written by us; the line says nothing then.
  }
}
