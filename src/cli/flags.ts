import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parseCheckpointUrl } from "../checkpoint/checkpoint-url.ts";
import { SkillgraphError } from "../errors.ts";
import type { SkillAgentOptions } from "../runtime/agent.ts";
import type { SettingsOptions } from "../runtime/settings.ts";
import { quoteWord } from "../skills/arguments/apply-arguments.ts";

/** Flags of the commands that only read the catalog. */
export interface CatalogFlags {
  skills?: string[];
  trust?: true;
  cwd?: string;
  json?: true;
}

/** Flags of `run`, `resume`, `chat` and `doctor`. */
export interface CommonFlags extends CatalogFlags {
  model?: string;
  ask?: true;
  deny?: true;
  allow?: true;
  maxSteps?: number;
  checkpoint?: string;
  sandbox?: "auto" | "required" | "off";
  /** Of `run`, `resume` and `chat`. */
  autoGates?: true;
  /** Of `resume` only. */
  drift?: "pin" | "ask" | "refresh";
}

/** Flags of `run`. */
export interface RunFlags extends CommonFlags {
  skill?: string;
  wizard?: true;
  name?: string;
  continue?: true;
}

/** Flags of `resume`. */
export interface ResumeFlags extends CommonFlags {
  approve?: true;
  /** With `approve`: for this call and its like. */
  always?: true;
  reject?: string;
  edit?: string;
  answer?: string;
  goto?: string;
  request?: string;
}

/** Flags of `chat`. */
export interface ChatFlags extends CommonFlags {
  thread?: string;
}

/** Flags of `threads` and its parts. */
export interface ThreadsFlags extends Pick<CommonFlags, "cwd" | "checkpoint" | "json"> {
  waiting?: true;
}

/** Flags of `threads show`. */
export interface ShowThreadFlags extends ThreadsFlags {
  usage?: true;
  decisions?: true;
}

/** Flags of `threads fork`. */
export interface ForkFlags extends ThreadsFlags {
  at: string;
}

/** Flags of `threads prune`. */
export interface PruneFlags extends ThreadsFlags {
  olderThan: string;
  stopped?: true;
  dryRun?: true;
}

/** Flags of `graph`. */
export interface GraphFlags extends CatalogFlags {
  wizard?: true;
}

/** Flags of `lint`. */
export interface LintFlags extends Pick<CommonFlags, "cwd" | "json"> {
  fix?: true;
  sarif?: true;
}

/** Flags of `new`. */
export interface NewFlags extends Pick<CommonFlags, "cwd" | "json"> {
  wizard?: true;
}

/** Flags of `trust`. */
export interface TrustFlags {
  remove?: true;
  list?: true;
  json?: true;
}

/** Flags of `demo`. */
export interface DemoFlags {
  keep?: true;
  json?: true;
}

/** Flags for settings, as the runtime takes them. */
export function toSettingsOptions(flags: CommonFlags): SettingsOptions {
  checkFolder(flags.cwd);
  const mode = pickOne(flags, ["ask", "deny", "allow"]);
  return {
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
    ...(flags.skills ? { skills: flags.skills } : {}),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(mode ? { mode } : {}),
    ...(flags.trust ? { trust: true } : {}),
    ...(flags.maxSteps === undefined ? {} : { maxSteps: flags.maxSteps }),
    ...(flags.checkpoint === undefined ? {} : { checkpoint: flags.checkpoint }),
    ...(flags.drift === undefined ? {} : { drift: flags.drift }),
    ...(flags.sandbox === undefined ? {} : { sandbox: flags.sandbox }),
  };
}

/** Flags for an agent. */
export function toAgentOptions(flags: CommonFlags): SkillAgentOptions {
  const { mode, ...options } = toSettingsOptions(flags);
  return {
    ...options,
    ...(mode ? { permissions: { mode } } : {}),
    ...(flags.autoGates ? { autoGates: true } : {}),
  };
}

/**
 * The name of the one flag that is set out of a group that excludes each other.
 *
 * @throws SkillgraphError `usage` when more than one is set
 */
export function pickOne<Name extends string>(
  flags: { [Key in Name]?: unknown },
  names: readonly Name[],
): Name | undefined {
  const set = names.filter((name) => flags[name] !== undefined);
  if (set.length <= 1) return set[0];
  const list = (chosen: readonly Name[]) => chosen.map((name) => `--${name}`).join(", ");
  throw new SkillgraphError("usage", `Only one of ${list(names)} can be used; got ${list(set)}.`);
}

/** The flags that a later command needs to find the same thread and to behave the same, as shell words. */
export function toCarriedFlags(flags: CommonFlags): string {
  const mode = pickOne(flags, ["deny", "allow"]);
  const words = [
    ...(flags.cwd === undefined ? [] : ["--cwd", resolve(flags.cwd)]),
    ...(flags.checkpoint === undefined
      ? []
      : ["--checkpoint", toAbsolute(flags.checkpoint, resolve(flags.cwd ?? "."))]),
    ...(flags.skills ?? []).flatMap((root) => ["--skills", resolve(flags.cwd ?? ".", root)]),
    ...(flags.model === undefined ? [] : ["--model", flags.model]),
    ...(mode ? [`--${mode}`] : []),
    ...(flags.trust ? ["--trust"] : []),
    ...(flags.autoGates ? ["--auto-gates"] : []),
    ...(flags.maxSteps === undefined ? [] : ["--max-steps", String(flags.maxSteps)]),
    ...(flags.drift === undefined ? [] : ["--drift", flags.drift]),
    ...(flags.sandbox === undefined ? [] : ["--sandbox", flags.sandbox]),
  ];
  return words.map(quoteWord).join(" ");
}

/** Relative places start from the workspace. A password is not printed. */
function toAbsolute(checkpoint: string, folder: string): string {
  const place = parseCheckpointUrl(checkpoint, folder);
  if (place.kind === "postgres") return place.shown;
  return place.kind === "file" ? `sqlite:${place.path}` : checkpoint;
}

/**
 * The working folder, as an absolute path.
 *
 * @throws SkillgraphError `usage` when it is not there
 */
export function toFolder(cwd: string | undefined): string {
  checkFolder(cwd);
  return resolve(cwd ?? ".");
}

function checkFolder(folder: string | undefined): void {
  if (folder === undefined) return;
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new SkillgraphError("usage", `--cwd "${folder}" is no folder.`);
  leaveDeletedFolder(folder);
}

/** In a deleted folder everything relative fails, in libraries too: the folder that was named takes its place. */
function leaveDeletedFolder(folder: string): void {
  try {
    process.cwd();
  } catch {
    process.chdir(folder);
  }
}
