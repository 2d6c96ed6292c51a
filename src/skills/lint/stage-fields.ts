import { FIELDS } from "../arguments/shell-values.ts";
import { isRecord } from "../record.ts";
import type { JsonSchema, Stage, Wizard } from "../stages/stage.ts";
import { type Finding, type Instructions, toWarning } from "./rule.ts";

/** What every result has, whatever its output is. */
const COMMON = ["summary", "output", "answer"];
/** Words of a schema by which there may be fields that `properties` does not list. */
const OPEN = ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"];

interface EmptyField {
  name: string;
  /** Where it stands in the text. */
  index: number;
  fault: string;
}

/** A placeholder such as `{plan.version}` names an earlier stage that hands this value over. */
export function judgeFields(
  { text, firstLine }: Pick<Instructions, "text" | "firstLine">,
  stage: Stage,
  wizard: Wizard,
): Finding[] {
  return findEmptyFields(text, stage, wizard).map(({ name, index, fault }) => {
    const line = firstLine + text.slice(0, index).split("\n").length - 1;
    return toWarning("stage-field", line, `"${name}" stays as it is: ${fault}`);
  });
}

/** So does a placeholder of the stage's check; without its value the check is not run. */
export function judgeCheck(line: number, stage: Stage, wizard: Wizard): Finding[] {
  return findEmptyFields(stage.check ?? "", stage, wizard).map(({ name, fault }) =>
    toWarning("stage-field", line, `"${name}" in the check has no value: ${fault}`),
  );
}

function findEmptyFields(text: string, stage: Stage, { stages }: Wizard): EmptyField[] {
  return [...text.matchAll(FIELDS)].flatMap(({ 0: name, index }): EmptyField[] => {
    const [id = "", field = ""] = name.slice(1, -1).split(".");
    const source = stages.find((each) => each.id === id);
    const fault = source && findFault(source, field, stage);
    return fault === undefined ? [] : [{ name, index, fault }];
  });
}

function findFault(source: Stage, field: string, stage: Stage): string | undefined {
  if (!stage.needs.includes(source.id)) {
    const needs = stage.needs.length === 0 ? "none" : stage.needs.join(", ");
    return `this stage does not see the result of "${source.id}". It sees: ${needs}.`;
  }
  const names = listFields(source.output);
  if (names === undefined || names.includes(field) || COMMON.includes(field)) return undefined;
  return `the stage "${source.id}" hands over no "${field}". Its fields: ${[...names, "summary"].join(", ")}.`;
}

/** The fields of an output; undefined where there may be any. */
function listFields(output: JsonSchema | undefined): string[] | undefined {
  const properties = output?.properties;
  if (!isRecord(properties)) return undefined;
  return OPEN.some((word) => word in (output ?? {})) ? undefined : Object.keys(properties);
}
