import { basename } from "node:path";
import type { Catalog } from "../../skills/catalog.ts";
import type { Skill } from "../../skills/schema.ts";
import { findRealPath } from "../../tools/workspace.ts";
import type { Bench, RequestedCall } from "../judge.ts";
import type { WantedSkill } from "../skill-state.ts";
import type { PendingCall } from "../state.ts";
import { explainUnknownSkill, findByToolName } from "./explain.ts";
import { listOffered } from "./offer.ts";
import { explainUnvouched } from "./trust.ts";
import { explainHold, explainNotLoaded } from "./unload.ts";

/** Tools that models invent, one for each skill. */
const ACTIVATION = /^(?:activate|load|use|run|invoke|launch|open)[_-]?skill[_-]+(.+)$/iu;

type Judged = Pick<PendingCall, "id" | "tool" | "input">;
type Settle = (result: string) => PendingCall;

/** A call of `Skill`, by any of the ways that lead to it. */
export function judgeSkillCall(
  { way, ...pending }: Judged & { way: NonNullable<WantedSkill["way"]> },
  settled: Settle,
  bench: Bench,
): PendingCall {
  const { catalog, offered } = bench;
  const name = String(pending.input.name ?? "");
  const skill = catalog.get(name);
  if (skill && offered && !offered.has(skill.name)) {
    const result = `The skill "${name}" is not offered in this run. Offered: ${listTold(bench).join(", ")}.`;
    return { ...settled(result), ...pending };
  }
  const unvouched = skill && explainUnvouched(skill, bench.parts.trust);
  if (unvouched !== undefined) return { ...settled(unvouched), ...pending };
  if (skill?.modelInvocable) {
    const input = { name: skill.name, arguments: String(pending.input.arguments ?? ""), way };
    return { ...pending, input, status: "load", reason: "the model asks for a skill" };
  }
  if (skill) return { ...settled(`Only a person can load "${name}", by typing /${name}.`), ...pending };
  return { ...settled(explainUnknownSkill(name, catalog, listTold(bench))), ...pending };
}

/** A call of `UnloadSkill`: taken when the skill is loaded and lets itself be unloaded by a model. */
export function judgeUnload(
  pending: Judged,
  settled: Settle,
  { parts, state }: Pick<Bench, "parts" | "state">,
): PendingCall {
  const name = String(pending.input.name ?? "").normalize("NFC");
  const skill = state.active.find((each) => each.name === name);
  if (!skill) return { ...settled(explainNotLoaded(name, state.active)), ...pending };
  const held = explainHold(skill, parts.policy);
  if (held !== undefined) return { ...settled(`Not unloaded: ${held}`), ...pending };
  return {
    ...pending,
    input: { name },
    status: "ready",
    reason: "a skill that limits nothing may be let go",
  };
}

/** The names that a model may be told. */
export function listTold({
  catalog,
  offered,
  state,
}: Pick<Bench, "catalog" | "offered" | "state">): string[] {
  return listOffered(catalog, offered ? { skills: offered } : {}, state).map(({ name }) => name);
}

/** The input of `Skill` that a call of an invented tool such as `activate_skill_x` means. */
export function readActivation(
  { name, input }: RequestedCall,
  catalog: Catalog,
): Record<string, unknown> | undefined {
  const named = ACTIVATION.exec(name)?.[1];
  if (named === undefined) return undefined;
  const given = [input.arguments, input.args, input.input].find((value) => typeof value === "string");
  return { name: findByToolName(named, catalog)?.name ?? named, arguments: given ?? "" };
}

/**
 * The offered skill whose SKILL.md a whole `Read` names, where the catalog tells the model to read it there. With
 * an offset or a limit the file itself is meant.
 */
export function findReadSkill(input: unknown, { parts, catalog, state, offered }: Bench): Skill | undefined {
  if (parts.catalogPlace !== "system-prompt") return undefined;
  const { path, offset, limit } = input as { path: string; offset?: number; limit?: number };
  if (offset !== undefined || limit !== undefined) return undefined;
  const real = toReal(path, parts.policy.workspace);
  // Every SKILL.md, also one that is a link, leads to a file with this ending or name.
  if (real === undefined || !/\.md$|skill/i.test(basename(real))) return undefined;
  const told = new Set(listTold({ catalog, state, ...(offered ? { offered } : {}) }));
  return catalog.skills.find((skill) => {
    if (!told.has(skill.name)) return false;
    return skill.path === real || toReal(skill.path, parts.policy.workspace) === real;
  });
}

function toReal(path: string, workspace: string): string | undefined {
  try {
    return findRealPath(path, workspace);
  } catch {
    return undefined; // `Read` itself says what is wrong with such a path.
  }
}
