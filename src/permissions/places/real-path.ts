import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const MAX_LINKS = 40;
const PROCESS_LINK = /^\/proc\/\d+\//;

/**
 * The path with every link on the way resolved, as far as it exists: a command can write through a link that
 * is already there, also through one that leads to nothing yet. A path that cannot be looked at is returned as
 * it is.
 */
export function toRealPath(path: string, links = MAX_LINKS): string {
  const missing: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    const kind = look(current);
    if (kind === "other") return join(realPathOf(current) ?? current, ...missing);
    if (kind === "link") {
      const real = realPathOf(current);
      if (real !== undefined) return join(real, ...missing);
      if (links === 0) return path;
      return join(toRealPath(resolve(dirname(current), readlinkSync(current)), links - 1), ...missing);
    }
    if (dirname(current) === current) return path;
    missing.unshift(current.slice(dirname(current).length).replace(/^\//, ""));
  }
}

/** True for the folder itself and everything below it. Both are absolute. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
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
export function walkPath(path: string): string {
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
    const next = join(current, part);
    const isBelowMissing = missing !== undefined && isInside(missing, next);
    const kind = isBelowMissing ? "nothing" : look(next);
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
