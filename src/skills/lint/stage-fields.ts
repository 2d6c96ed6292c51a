import { FIELD } from "../shell-values.ts";
import type { JsonSchema, Stage, Wizard } from "../stage.ts";
import { type Finding, type Instructions, toWarning } from "./rule.ts";

const FIELDS = new RegExp(FIELD.source, "g");
/** What every result has, whatever its output is. */
const COMMON = ["summary", "output", "answer"];
/** Words of a schema by which there may be fields that `properties` does not list. */
const OPEN = ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"];

/** A placeholder such as `{plan.version}` names an earlier stage that hands this value over. */
export function judgeFields(
  { text, firstLine }: Pick<Instructions, "text" | "firstLine">,
  stage: Stage,
  { stages }: Wizard,
): Finding[] {
  return [...text.matchAll(FIELDS)].flatMap((match) => {
    const [id = "", field = ""] = match[0].slice(1, -1).split(".");
    const source = stages.find((each) => each.id === id);
    const fault = source && findFault(source, field, stage);
    if (fault === undefined) return [];
    const line = firstLine + text.slice(0, match.index).split("\n").length - 1;
    return [toWarning("stage-field", line, `"${match[0]}" stays as it is: ${fault}`)];
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
  if (typeof properties !== "object" || properties === null) return undefined;
  return OPEN.some((word) => word in (output ?? {})) ? undefined : Object.keys(properties);
}
