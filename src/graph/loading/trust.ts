import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Catalog } from "../../skills/catalog.ts";
import type { Skill } from "../../skills/schema.ts";
import { isUnderWay } from "../../skills/stages/stage-machine.ts";
import { emitEvent } from "../events.ts";
import type { GraphParts } from "../parts.ts";
import { isRun, type Run, readRun } from "../run.ts";
import type { ActiveSkill } from "../skill-state.ts";
import { isListed, type Lists, readLists } from "./listed-tools.ts";
import { readAgain } from "./read-again.ts";
import { readKnownRisk, readRequests } from "./skill-requests.ts";

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
  /** Why it is not, where a person can do something about it. */
  reason?: string;
  /** What its files list now; absent right after it was loaded, when that is what was loaded. */
  lists?: Lists;
  /** True when something happened since that may have changed its files. */
  stale?: true;
}

/** What was found in a run, by the path of the SKILL.md: a skill is looked at once, and after what a person approved. */
const found = new WeakMap<Run, Map<string, Finding>>();

/**
 * Tells what active skills may grant of what they were loaded with: what is trusted now, and is still listed in their
 * files. Each is looked at when a run first asks, so that a script which was changed meanwhile does not run under the
 * old grant; a skill that grants less is told.
 *
 * @returns whether a skill, by its path, may grant an entry; one of a stage when that is named
 */
export function holdTrust(
  parts: Pick<GraphParts, "trust">,
  catalog: Catalog,
  active: ActiveSkill[],
  config: LangGraphRunnableConfig,
): (path: string, entry: string, stage?: string) => boolean {
  const known = readFound(config);
  for (const skill of active) {
    const before = known.get(skill.path);
    if (before && !before.stale) continue;
    const finding = look(skill, parts.trust, catalog);
    known.set(skill.path, finding);
    const loss = before?.trusted === false ? undefined : explainLoss(skill, finding);
    if (loss !== undefined && loss !== (before && explainLoss(skill, before))) {
      emitEvent(config, { type: "notice", text: loss });
    }
  }
  return (path, entry, stage) => {
    const finding = known.get(path);
    if (!finding?.trusted) return false;
    return finding.lists === undefined || isListed(entry, finding.lists, stage);
  };
}

function look({ path, directory, wizard }: ActiveSkill, desk: TrustDesk, catalog: Catalog): Finding {
  const listed = catalog.files.get(path)?.skill;
  const now = listed && readAgain(listed, catalog);
  if (!now) return { trusted: false };
  const trust = desk.check(now);
  if (!trust.trusted)
    return { trusted: false, ...(trust.reason === undefined ? {} : { reason: trust.reason }) };
  return { trusted: true, lists: readLists(now, directory, isUnderWay(wizard)) };
}

/** One sentence when a skill grants less than it was loaded with. */
function explainLoss({ name, allowedTools, wizard }: ActiveSkill, finding: Finding): string | undefined {
  const { trusted, reason, lists } = finding;
  if (!trusted) {
    if (reason === undefined || (allowedTools.length === 0 && !wizard)) return undefined;
    return `The skill "${name}" grants nothing for now: ${reason}. See "skillgraph trust".`;
  }
  const lost = lists === undefined ? [] : allowedTools.filter((entry) => !isListed(entry, lists));
  if (lost.length === 0) return undefined;
  return `The skill "${name}" no longer grants ${lost.join(", ")}: its SKILL.md does not list it any more.`;
}

/** Looks at the skills again before the next call: what a person approved may have written into their folders. */
export function doubtTrust(config: LangGraphRunnableConfig): void {
  const known = readFound(config);
  for (const [path, finding] of known) known.set(path, { ...finding, stale: true });
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
export function isUnvouched(skill: Skill): boolean {
  return !skill.trusted && readKnownRisk(skill) === "L2";
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
