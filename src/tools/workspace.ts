import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { SkillgraphError } from "../errors.ts";
import type { Target } from "../permissions/decide.ts";
import { isInside } from "../permissions/places/real-path.ts";
import { explainSystemError } from "./files/system-error.ts";
import { findHomeFolder } from "./home.ts";
import { cutHead } from "./output.ts";
import type { ToolContext } from "./tool.ts";

const MAX_LINKS = 40;
const NEEDS_QUOTES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]|^\s|\s$|^$/u;
/** What JSON leaves as it is and a reader cannot see, or sees in another order. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const SHOWN_CHARACTERS = 500;

/** Where file tools may go. */
export type Place = Pick<ToolContext, "workspace" | "readableFolders" | "relativeFolders">;

/**
 * The real absolute path of what a call names, whether or not it exists yet. Every link on the way is followed,
 * the last component too, so that what is compared is what would be opened.
 *
 * @param path - Relative to the workspace, absolute, or below `~`; also as {@link toShownPath} wrote it. To read,
 * a relative one that the workspace does not have is looked for in the folders of the active skills.
 * @param place - The workspace, and the folders that may be read besides.
 * @param access - `read` is allowed in the workspace and the readable folders, `write` in the workspace alone.
 * @throws SkillgraphError `path-outside` for a path that leads elsewhere, or that no system call takes.
 */
export function resolvePath(path: string, place: Place, access: "read" | "write"): string {
  const real = findSkillFile(path, place, access)?.real ?? findRealPath(path, place.workspace);
  const roots = access === "read" ? [place.workspace, ...place.readableFolders] : [place.workspace];
  if (roots.some((root) => isInside(toRealPath(root, root), real))) return real;
  const leads = real === path ? "" : ` It leads to ${real}.`;
  const readable = access === "write" && place.readableFolders.some((root) => isInside(root, real));
  const why = readable ? " That folder can be read but not written." : "";
  throw new SkillgraphError(
    "path-outside",
    `Path "${path}" is outside the workspace ${place.workspace}.${leads}${why}`,
  );
}

/**
 * What rules are matched against: the real path, and the absolute path as the call spells it, since a rule may
 * name a place by a link that leads to it.
 *
 * @param path - As for {@link resolvePath}.
 * @throws SkillgraphError `path-outside`, as {@link resolvePath} does.
 */
export function toPathTarget(path: string, place: Place, access: "read" | "write"): Target {
  const real = resolvePath(path, place, access);
  const absolute = findSkillFile(path, place, access)?.absolute ?? toAbsolute(path, place.workspace);
  return { kind: "path", access, path: real, spelled: resolve(absolute) };
}

/**
 * The real path of what a call names, wherever that is.
 *
 * @throws SkillgraphError `path-outside` for a path that no system call takes
 */
export function findRealPath(path: string, workspace: string): string {
  if (path.includes("\0")) {
    throw new SkillgraphError("path-outside", `Path ${JSON.stringify(path)} holds a NUL character.`);
  }
  return toRealPath(toAbsolute(path, workspace), path);
}

/**
 * Where a relative path leads that the workspace does not have and an active skill's folder has: the texts of
 * skills name their files so. Neither `..` nor a link leads out of that folder.
 */
export function findSkillFile(
  path: string,
  { workspace, relativeFolders = [] }: Place,
  access: "read" | "write" = "read",
): { absolute: string; real: string } | undefined {
  if (access === "write" || relativeFolders.length === 0 || path.includes("\0")) return undefined;
  const absolute = toAbsolute(path, workspace);
  const relatives = [path, unquote(path)].filter((each) => each !== undefined && !isPlaced(each));
  if (relatives.length === 0 || exists(absolute)) return undefined;
  for (const folder of relativeFolders) {
    for (const each of relatives) {
      const candidate = `${folder}${sep}${each}`;
      const real = toRealPath(candidate, path);
      if (isInside(toRealPath(folder, folder), real) && exists(real)) return { absolute: candidate, real };
    }
  }
  return undefined;
}

function isPlaced(path: string): boolean {
  return isAbsolute(path) || path === "~" || path.startsWith(`~${sep}`);
}

/**
 * A path as results show it: relative to the workspace where it is inside, on one line, and such that the file
 * tools take it unchanged. A name with a line break, a quote, outer blanks or what cannot be seen is written as a
 * JSON string.
 */
export function toShownPath(path: string, workspace: string): string {
  const inside = isInside(workspace, path);
  const shown = inside ? relative(workspace, path) || "." : path;
  // The home folder, and what programs take for an option.
  const safe = /^[~-]/.test(shown) ? `./${shown}` : shown;
  return NEEDS_QUOTES.test(safe) ? JSON.stringify(safe).replace(UNSEEN, toEscapes) : safe;
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function toAbsolute(path: string, workspace: string): string {
  const unquoted = unquote(path);
  const isQuoted = unquoted !== undefined && !exists(toLiteral(path, workspace));
  const meant = isQuoted ? unquoted : path;
  const isOfHome = meant === "~" || meant.startsWith(`~${sep}`);
  return isOfHome ? findHomeFolder() + meant.slice(1) : toLiteral(meant, workspace);
}

function toLiteral(path: string, workspace: string): string {
  return isAbsolute(path) ? path : `${workspace}${sep}${path}`;
}

function unquote(path: string): string | undefined {
  if (path.length < 2 || !path.startsWith('"') || !path.endsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(path);
    return typeof value === "string" && !value.includes("\0") ? value : undefined;
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below a file, or too long for a name.
    return false;
  }
}

/**
 * Walks the components as the kernel does: `..` after a link leaves the link's target, and a dangling link
 * leads to where writing would create the file. `realpath` fails for both.
 */
function toRealPath(absolute: string, named: string): string {
  const root = parse(absolute).root;
  const waiting = absolute.slice(root.length).split(sep).reverse();
  let current = root;
  let links = 0;
  while (waiting.length > 0) {
    const part = waiting.pop() ?? "";
    if (part === "" || part === ".") continue;
    if (part === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, part);
    if (!isLink(next, named)) {
      current = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new SkillgraphError("path-outside", `Path "${named}" is a circle of links.`);
    const target = readLink(next, named);
    if (isAbsolute(target)) current = parse(target).root;
    waiting.push(...target.split(sep).reverse());
  }
  return current;
}

function isLink(path: string, named: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch (error) {
    // A file stands where a folder is expected: nothing lies below it.
    if (isCode(error, "ENOTDIR")) return false;
    throw toUnresolved(error, named);
  }
}

function readLink(path: string, named: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    throw toUnresolved(error, named);
  }
}

function toUnresolved(error: unknown, named: string): SkillgraphError {
  const shown = named.length > SHOWN_CHARACTERS ? `${cutHead(named, SHOWN_CHARACTERS)}…` : named;
  const message = `Path ${JSON.stringify(shown)} cannot be resolved: ${explainSystemError(error)}.`;
  return new SkillgraphError("path-outside", message, { cause: error });
}

/** True for a system error with this code. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
