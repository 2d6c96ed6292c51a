import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const MAX_LINKS = 40;
const PROCESS_LINK = /^\/proc\/\d+\//;

/** What is on the disk, seen without following links, and real paths. */
export interface Disk {
  look: (path: string) => "link" | "other" | "nothing";
  realPath: (path: string) => string | undefined;
}

const DISK: Disk = { look, realPath: realPathOf };

/**
 * A view of the disk that remembers what it saw: for as long as one decision takes, and no longer.
 *
 * @param real a folder whose path is known to be real.
 */
export function createDisk(real?: string): Disk {
  const kinds = new Map<string, ReturnType<Disk["look"]>>();
  const reals = new Map<string, string | undefined>();
  if (real !== undefined) {
    reals.set(real, real);
    for (let folder = real; !kinds.has(folder); folder = dirname(folder)) kinds.set(folder, "other");
  }
  return {
    look: (path) => {
      const known = kinds.get(path) ?? look(path);
      kinds.set(path, known);
      return known;
    },
    realPath: (path) => {
      const known = reals.has(path) ? reals.get(path) : realPathOf(path);
      reals.set(path, known);
      return known;
    },
  };
}

/**
 * The path with every link on the way resolved, as far as it exists: a command can write through a link that
 * is already there, also through one that leads to nothing yet. A path that cannot be looked at is returned as
 * it is.
 */
export function toRealPath(path: string, disk = DISK, links = MAX_LINKS): string {
  const missing: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    const kind = disk.look(current);
    if (kind === "other") return join(disk.realPath(current) ?? current, ...missing);
    if (kind === "link") {
      const real = disk.realPath(current);
      if (real !== undefined) return join(real, ...missing);
      if (links === 0) return path;
      const target = resolve(dirname(current), readlinkSync(current));
      return join(toRealPath(target, disk, links - 1), ...missing);
    }
    if (dirname(current) === current) return path;
    missing.unshift(current.slice(dirname(current).length).replace(/^\//, ""));
  }
}

/** True for the folder itself and everything below it. Both are absolute. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/**
 * True for a folder, also by a link to one.
 *
 * @throws the system's error where it does not tell, as for a circle of links
 */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** What stands at a path, without following it. Looking first is many times cheaper than a failing realpath. */
function look(path: string): "link" | "other" | "nothing" {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "nothing";
    return found.isSymbolicLink() ? "link" : "other";
  } catch {
    return "nothing";
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * The path as the kernel walks it, component by component, as far as it exists: `..` behind a link leaves the
 * target of the link, not the folder that the link stands in. What a process's folder in `/proc` links to is
 * left alone: it would be another process that opens it.
 */
export function walkPath(path: string, disk = DISK): string {
  const waiting = path.split("/").reverse();
  let current = "/";
  let missing: string | undefined;
  for (let links = 0; waiting.length > 0; ) {
    const part = waiting.pop() ?? "";
    if (part === "" || part === ".") continue;
    if (part === "..") {
      current = dirname(current);
      continue;
    }
    const next = current === "/" ? `/${part}` : `${current}/${part}`;
    const isBelowMissing = missing !== undefined && isInside(missing, next);
    const kind = isBelowMissing ? "nothing" : disk.look(next);
    if (kind === "nothing" && !isBelowMissing) missing = next;
    if (kind !== "link" || links >= MAX_LINKS || PROCESS_LINK.test(next)) {
      current = next;
      continue;
    }
    links += 1;
    const target = readlinkSync(next);
    if (target.startsWith("/")) current = "/";
    waiting.push(...target.split("/").reverse());
  }
  return current;
}
