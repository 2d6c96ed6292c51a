import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { toRisk } from "../../permissions/risk.ts";
import type { Catalog } from "../../skills/catalog.ts";
import type { Skill } from "../../skills/schema.ts";
import { emitEvent } from "../events.ts";
import type { GraphParts } from "../parts.ts";
import { isRun, type Run, readRun } from "../run.ts";
import type { ActiveSkill } from "../skill-state.ts";
import { readRequests } from "./skill-requests.ts";

/** Whether a skill's folder is what a person trusts. */
export interface SkillTrust {
  trusted: boolean;
  /** Why it is not, as it follows "because". */
  reason?: string;
  /** What changed since it was trusted: `scripts/go.sh (changed)`. */
  files: string[];
  /** Of all its files, where they had to be read. */
  digest?: string;
}

/** Answers of the runtime to questions of trust. */
export interface TrustDesk {
  /** Reads every file of a skill that counts as it was recorded. */
  check: (skill: Skill) => SkillTrust;
}

interface Finding {
  trusted: boolean;
  /** True when something happened since that may have changed its files. */
  stale?: true;
}

/** What was found in a run, by the path of the SKILL.md: a skill is looked at once, and after what a person approved. */
const found = new WeakMap<Run, Map<string, Finding>>();

/**
 * Tells which active skills may grant what they were loaded with. Each is looked at when a run first asks, so that
 * a script which was changed meanwhile does not run under the old grant; one that may grant no more is told.
 */
export function holdTrust(
  parts: Pick<GraphParts, "trust">,
  catalog: Catalog,
  active: ActiveSkill[],
  config: LangGraphRunnableConfig,
): (path: string) => boolean {
  const known = readFound(config);
  for (const { name, path, allowedTools, wizard } of active) {
    const before = known.get(path);
    if (before && !before.stale) continue;
    const skill = catalog.files.get(path)?.skill;
    const trust = skill && parts.trust.check(skill);
    known.set(path, { trusted: trust?.trusted === true });
    if (before?.trusted === false) continue;
    if (!trust || trust.trusted || (allowedTools.length === 0 && !wizard)) continue;
    const text = `The skill "${name}" grants nothing for now: ${trust.reason}. See "skillgraph trust".`;
    emitEvent(config, { type: "notice", text });
  }
  return (path) => known.get(path)?.trusted === true;
}

/** Looks at the skills again before the next call: what a person approved may have written into their folders. */
export function doubtTrust(config: LangGraphRunnableConfig): void {
  const known = readFound(config);
  for (const [path, { trusted }] of known) known.set(path, { trusted, stale: true });
}

/** Notes what was found when a skill was loaded: its files may be others than at the beginning of the run. */
export function noteTrust(config: LangGraphRunnableConfig, path: string, trusted: boolean): void {
  readFound(config).set(path, { trusted });
}

function readFound(config: LangGraphRunnableConfig): Map<string, Finding> {
  const run = readRun(config);
  // Outside of a run of its own nothing tells when to look again.
  if (!isRun(run)) return new Map();
  const known = found.get(run) ?? new Map<string, Finding>();
  found.set(run, known);
  return known;
}

/** True for a skill that the model is not told of: nobody vouches for it, and it wants to run commands or call out. */
export function isUnvouched({ trusted, allowedTools }: Pick<Skill, "trusted" | "allowedTools">): boolean {
  return !trusted && toRisk(allowedTools) === "L2";
}

/** Why a model cannot load a skill that nobody vouches for, by its files as they are now. */
export function explainUnvouched(skill: Skill, desk: TrustDesk): string | undefined {
  const trust = desk.check(skill);
  if (trust.trusted || readRequests(skill).risk !== "L2") return undefined;
  const { name, userInvocable } = skill;
  const who = userInvocable
    ? `Only a person can load "${name}", with /${name}`
    : `"${name}" cannot be loaded`;
  return `${who}: it asks to run commands or call out, and ${trust.reason}.`;
}
