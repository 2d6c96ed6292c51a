import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { toRealPath } from "../../permissions/places/real-path.ts";
import { describeFault, findRuleFault } from "../../permissions/rule-fault.ts";
import { isRecord } from "../../skills/record.ts";
import { makeFolder } from "../../tools/files/make-folder.ts";
import type { Settings } from "../settings.ts";
import { readSettingsFile } from "./settings-file.ts";

/** How long another process may hold the file. */
const LOCK_MS = 5_000;
/** Nobody takes so long to write a file: who locked it is gone. */
const STALE_MS = 30_000;
const WAIT_MS = 20;

/**
 * Adds allow rules to the person's settings, for this project only. The rest of the file stays; what is there already
 * is not added again. Whoever reads the file meanwhile sees the old one or the new one.
 *
 * @returns the rules that were not there yet
 * @throws SkillgraphError `settings-invalid` for an entry that is no rule, and for a file that cannot be read or
 * written; it is then as it was
 */
export function rememberRules(
  { configFolder, project }: Pick<Settings, "configFolder" | "project">,
  rules: readonly string[],
): string[] {
  for (const rule of rules) {
    const fault = findRuleFault(rule);
    if (fault)
      throw new SkillgraphError(
        "settings-invalid",
        `"${rule}" is no permission rule. ${describeFault(fault)}`,
      );
  }
  // Behind a link is the file that is meant, and the link stays.
  const file = toRealPath(join(configFolder, "settings.json"));
  return attempt(file, () => withLock(`${file}.lock`, () => addRules(file, project, rules)));
}

function addRules(file: string, project: string, rules: readonly string[]): string[] {
  const { settings } = readSettingsFile(file);
  const known = readRules(settings, project);
  const added = [...new Set(rules)].filter((rule) => !known.includes(rule));
  if (added.length === 0) return [];
  // Keys that nobody knows stay, too: the file is read as it is, and checked beside.
  const content = readContent(file);
  const projects = toRecord(content.projects);
  const own = toRecord(projects[project]);
  const permissions = { ...toRecord(own.permissions), allow: [...known, ...added] };
  const entries = new Map(Object.entries(projects)).set(project, { ...own, permissions });
  replace(file, { ...content, projects: Object.fromEntries(entries) });
  return added;
}

function readRules(
  { projects = {} }: ReturnType<typeof readSettingsFile>["settings"],
  project: string,
): string[] {
  return Object.hasOwn(projects, project) ? (projects[project]?.permissions?.allow ?? []) : [];
}

function readContent(file: string): Record<string, unknown> {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return {};
  return toRecord(JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, "")));
}

function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function replace(file: string, content: Record<string, unknown>): void {
  makeFolder(dirname(file));
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  // To put another in its place would take no right to write it.
  if (mode !== undefined) accessSync(file, constants.W_OK);
  const place = `${file}.${randomUUID()}.tmp`;
  try {
    const descriptor = openSync(place, "wx", (mode ?? 0o600) & 0o777);
    try {
      // The mask of the process may have taken something from the mode.
      if (mode !== undefined) fchmodSync(descriptor, mode & 0o777);
      writeFileSync(descriptor, `${JSON.stringify(content, null, 2)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(place, file);
  } catch (error) {
    rmSync(place, { force: true });
    throw error;
  }
}

/** One process at a time: between reading and writing no other may add something that would be lost. */
function withLock<Result>(lock: string, work: () => Result): Result {
  makeFolder(dirname(lock));
  const end = Date.now() + LOCK_MS;
  while (!take(lock)) {
    if (isStale(lock)) breakLock(lock);
    else if (Date.now() > end) throw new Error(`another process holds ${lock}`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isStale(lock: string): boolean {
  const status = statSync(lock, { throwIfNoEntry: false });
  return status !== undefined && Date.now() - status.mtimeMs > STALE_MS;
}

/** Of several that find a lock stale, one moves it away; who moved a new one instead puts it back. */
function breakLock(lock: string): void {
  const place = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, place);
    if (!isStale(place)) linkSync(place, lock);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  rmSync(place, { force: true });
}

function attempt<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof SkillgraphError) throw error;
    throw new SkillgraphError("settings-invalid", `Cannot write ${file}: ${toMessage(error)}.`, {
      cause: error,
    });
  }
}
