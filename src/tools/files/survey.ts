import {
  closeSync,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { toRealPath } from "../../permissions/places/real-path.ts";
import { READ_FLAGS } from "./files.ts";
import {
  addRules,
  type IgnoreRules,
  isIgnored,
  MAX_RULE_BYTES,
  NEVER_WALKED,
  startRules,
} from "./ignore-rules.ts";

/** Files of one survey. */
export const MAX_SURVEYED = 5_000;
/** How long one may take, in milliseconds. */
const MAX_MS = 1_000;
const MODE_BITS = 0o7777;
/** What stands beside a SQLite database while a program has it open. */
const LOG_ENDING = /-(?:wal|shm|journal)$/;
/** What such a database begins with. */
const DATABASE_HEAD = Buffer.from("SQLite format 3\0");
const OWN_FOLDER = ".skillgraph";

/** A file or link as a survey finds it: what tells that it changed, without a look into it. */
export interface SurveyedFile {
  size: number;
  /** Permission bits. */
  mode: number;
  /** Another one after each writing, unless the time was set back. */
  mark: string;
  /** Another one after whatever was done to it, which nobody can set back; a new mode, owner or name counts, too. */
  touched: string;
  isLink: boolean;
}

/** The files of a folder by their relative paths; or why there are none: more of them than a survey takes, or slow. */
export type Survey =
  | { kind: "files"; files: Map<string, SurveyedFile> }
  | { kind: "too-many" }
  | { kind: "too-slow" };

/**
 * Lists the files of a folder, those that lie higher first. As for a walk, what `.gitignore` names is left out, and so
 * are `.git` and `node_modules`; besides, open databases, as that of the threads may be one, and the program's own
 * folder. Links are named, never followed.
 *
 * @param folder real and absolute
 */
export function surveyFolder(folder: string, { maxFiles = MAX_SURVEYED, maxMs = MAX_MS } = {}): Survey {
  const end = performance.now() + maxMs;
  const files = new Map<string, SurveyedFile>();
  let level: Place[] = [{ path: "", rules: startRules(folder) }];
  while (level.length > 0) {
    const next: Place[] = [];
    for (const place of level) {
      if (performance.now() > end) return { kind: "too-slow" };
      next.push(...surveyOne(folder, place, files, maxFiles));
      if (files.size > maxFiles) return { kind: "too-many" };
    }
    level = next;
  }
  return { kind: "files", files };
}

/** A folder, relative to where the survey began; with `/` behind it, or empty. */
interface Place {
  path: string;
  rules: IgnoreRules;
}

/** Adds the files that lie in one folder, at most one too many. Gives the folders in it. */
function surveyOne(root: string, place: Place, files: Map<string, SurveyedFile>, maxFiles: number): Place[] {
  const entries = list(join(root, place.path));
  const names = new Set(entries.map(({ name }) => name));
  const rules = names.has(".gitignore") ? readRules(root, place) : place.rules;
  const folders: Place[] = [];
  for (const entry of entries) {
    if (files.size > maxFiles) break;
    const { name } = entry;
    const path = `${place.path}${name}`;
    if (isIgnored(join(root, path), entry.isDirectory(), rules)) continue;
    if (entry.isDirectory()) {
      if (!NEVER_WALKED.has(name) && name !== OWN_FOLDER) folders.push({ path: `${path}/`, rules });
      continue;
    }
    const file = isOpenDatabase(join(root, place.path), name, names) ? undefined : look(join(root, path));
    if (file) files.set(path, file);
  }
  return folders;
}

function list(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return []; // Removed meanwhile, or closed to us.
  }
}

/** A database that a program has open, or what stands beside it. */
function isOpenDatabase(folder: string, name: string, names: Set<string>): boolean {
  const base = name.replace(LOG_ENDING, "");
  if (base === name ? !names.has(`${name}-wal`) : !names.has(base)) return false;
  try {
    const file = openSync(join(folder, base), READ_FLAGS);
    try {
      const head = Buffer.alloc(DATABASE_HEAD.length);
      // One that was just made is empty.
      return fstatSync(file).isFile() && (readSync(file, head) === 0 || head.equals(DATABASE_HEAD));
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // Removed meanwhile, or closed to us: whatever it is, it is listed.
  }
}

/**
 * Looks at one file that was surveyed before, also where a survey leaves it out now.
 *
 * @param folder real and absolute
 * @returns undefined where it is gone, or is something else by now
 */
export function lookAgain(folder: string, path: string): SurveyedFile | undefined {
  const place = join(folder, path);
  return toRealPath(dirname(place)) === dirname(place) ? look(place) : undefined;
}

function look(path: string): SurveyedFile | undefined {
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() && !stat.isSymbolicLink()) return undefined;
    const { size, mode, mtimeMs, ctimeMs, ino } = stat;
    const mark = [size, toMicroseconds(mtimeMs), ino].map((part) => part.toString(36)).join("-");
    const touched = toMicroseconds(ctimeMs).toString(36);
    return { size, mode: mode & MODE_BITS, mark, touched, isLink: stat.isSymbolicLink() };
  } catch {
    return undefined; // As above, or a name that is no UTF-8.
  }
}

function toMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000);
}

function readRules(root: string, { path, rules }: Place): IgnoreRules {
  try {
    const file = openSync(join(root, path, ".gitignore"), READ_FLAGS);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile() || stat.size > MAX_RULE_BYTES) return rules;
      return addRules(readFileSync(file, "utf8"), join(root, path), rules);
    } finally {
      closeSync(file);
    }
  } catch {
    return rules; // A link, which git does not follow either, or closed to us.
  }
}
