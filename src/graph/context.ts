import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError } from "../errors.ts";
import type { Catalog } from "../skills/catalog.ts";
import { isRecord } from "../skills/record.ts";
import { explainUnknownSkill } from "./loading/explain.ts";
import { readRun } from "./run.ts";
import { contextSchema } from "./state.ts";

/** What a client set for a run. */
export interface RunContext {
  model?: string;
  /** Names of the skills that the model is offered. */
  skills?: ReadonlySet<string>;
  wizard?: string;
}

/**
 * Reads the context of a run. A form in Studio sends what was left empty as empty text or an empty list: that is
 * as good as not set.
 *
 * @throws SkillgraphError `usage` for a context that does not fit
 */
export function readContext(config: LangGraphRunnableConfig): RunContext {
  const raw: unknown = config.context ?? {};
  const given = isRecord(raw)
    ? Object.fromEntries(Object.entries(raw).filter(([, value]) => !isEmpty(value)))
    : raw;
  const parsed = contextSchema.safeParse(readRun(config).nested ? pickKnown(given) : given);
  if (!parsed.success) throw new SkillgraphError("usage", explain(parsed.error.issues[0], given));
  const { model, skills, wizard } = parsed.data;
  return {
    ...(model === undefined ? {} : { model: model.trim() }),
    ...(skills === undefined ? {} : { skills: new Set(skills.map((name) => name.normalize("NFC"))) }),
    ...(wizard === undefined ? {} : { wizard: wizard.trim().normalize("NFC") }),
  };
}

/**
 * Refuses a context that offers a skill which is not there.
 *
 * @throws SkillgraphError `skill-unknown`
 */
export function checkContext({ skills = new Set() }: RunContext, catalog: Catalog): void {
  for (const name of skills) {
    if (!catalog.get(name)) throw new SkillgraphError("skill-unknown", explainUnknownSkill(name, catalog));
  }
}

/** The context of a parent graph is its own; what bears our names in it is meant for us. */
function pickKnown(given: unknown): Record<string, unknown> {
  const known = Object.keys(contextSchema.shape);
  return isRecord(given)
    ? Object.fromEntries(Object.entries(given).filter(([key]) => known.includes(key)))
    : {};
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return (typeof value === "string" && value.trim() === "") || (Array.isArray(value) && value.length === 0);
}

function explain(
  issue: { code: string; path: PropertyKey[]; message: string; keys?: string[] } | undefined,
  given: unknown,
): string {
  const known = Object.keys(contextSchema.shape).join(", ");
  if (issue?.code === "unrecognized_keys") {
    return `The context holds "${issue.keys?.join('", "')}". Known: ${known}.`;
  }
  const name = issue?.path.join(".") ?? "";
  const value = issue?.path.reduce<unknown>(
    (part, key) => (part as Record<PropertyKey, unknown>)?.[key],
    given,
  );
  const shown = (JSON.stringify(value) ?? String(value)).slice(0, 80);
  return `The context${name === "" ? "" : `'s "${name}"`} is ${shown}: ${issue?.message ?? "it does not fit"}. Known: ${known}.`;
}
