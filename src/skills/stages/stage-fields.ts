import { fillShell } from "../arguments/fill-shell.ts";
import { FIELDS } from "../arguments/shell-values.ts";
import type { StageResult } from "./stage-results.ts";

/** How many names stand in a placeholder after the stage's id. */
const DEPTH_LIMIT = 4;
/** How many parts of one output have a placeholder. */
const FIELD_LIMIT = 2000;
/** What a placeholder's name is made of; anything else would not be found in a text. */
const NAME = /^[^\s{}'"\\$`.]+$/;

/**
 * The placeholders that stand for what earlier stages handed over: `{plan.version}`, `{plan.files.0.path}`, and
 * `{plan.summary}` and `{plan.output}` where the output has no field of that name. `{plan.answer}` is what a person
 * filled in, if anyone did. Text stands for itself, all else for its JSON.
 *
 * @param results - Stale ones are left out.
 */
export function toFields(results: StageResult[]): Map<string, string> {
  const valid = results.filter(({ id, stale }) => !stale && NAME.test(id));
  return new Map(valid.flatMap((result) => [...listFields(result)]));
}

/**
 * The placeholders of a block that name a value of an earlier stage and were not filled in, such as
 * `{plan.version}`. What stands in single quotes may be a part of a value that was; in a here-document nothing is.
 *
 * @param stages - Ids of the stages whose values the block may use.
 */
export function findOpenFields(code: string, stages: string[]): string[] {
  const names = new Set([...code.matchAll(FIELDS)].map(([name]) => name));
  return [...names].filter((name) => {
    const isOfStage = stages.some((id) => name.startsWith(`{${id}.`));
    const filled = fillShell(code, { fields: new Map([[name, ""]]) });
    const isInDocument = /<<(?!<)/.test(code) && filled.refused.includes(name);
    return isOfStage && (filled.code !== code || isInDocument);
  });
}

function listFields({ id, summary, output, answer }: StageResult): Map<string, string> {
  const fields = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text !== undefined && !fields.has(`{${path}}`)) fields.set(`{${path}}`, text);
  };
  const own = `${id}.answer`;
  // What a person filled in is never the model's to say.
  const isTaken = (path: string): boolean => answer !== undefined && `${path}.`.startsWith(`${own}.`);
  for (const [path, value] of listParts(id, output)) if (!isTaken(path)) add(path, value);
  add(`${id}.summary`, summary);
  add(`${id}.output`, output);
  for (const [path, value] of listParts(own, answer)) add(path, value);
  add(own, answer);
  return fields;
}

/** The parts of a value with their paths, the outer ones first, so that a long list costs only its own parts. */
function listParts(root: string, value: unknown): [string, unknown][] {
  const parts: [string, unknown][] = [];
  let level: [string, unknown][] = [[root, value]];
  for (let depth = 0; depth < DEPTH_LIMIT && parts.length < FIELD_LIMIT; depth += 1) {
    level = level.flatMap(([path, each]) => listChildren(path, each)).slice(0, FIELD_LIMIT - parts.length);
    parts.push(...level);
  }
  return parts;
}

function listChildren(path: string, value: unknown): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => NAME.test(name))
    .map(([name, part]) => [`${path}.${name}`, part]);
}
