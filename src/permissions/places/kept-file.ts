import { lstatSync, readFileSync, statSync } from "node:fs";

/** What was made of a file or a folder, and how it looked then. */
interface Kept<Made> {
  stamp: string;
  made: Made;
}

const MAX_KEPT = 5000;
/** A change in the same tick of the file system's clock leaves the times as they are. */
const SETTLED_MS = 2500n;

/**
 * Keeps what is made of files and folders until they change: by their inode, size and times, of which nobody can
 * set that of the last change back. What has just been changed is not kept.
 *
 * @param make gets the path, and what else the result depends on.
 */
export function createKeeper<Made>(
  make: (path: string, base: string) => Made,
): (path: string, base?: string) => Made | undefined {
  const kept = new Map<string, Kept<Made>>();
  return (path, base = "") => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const { ino, dev, size, mtimeNs, ctimeNs, ctimeMs } = found;
    const stamp = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    const key = `${path}\0${base}`;
    const known = kept.get(key);
    if (known?.stamp === stamp) return known.made;
    const isSettled = BigInt(Date.now()) - ctimeMs > SETTLED_MS;
    const made = make(path, base);
    if (kept.size >= MAX_KEPT) kept.clear();
    if (isSettled) kept.set(key, { stamp, made });
    else kept.delete(key);
    return made;
  };
}

/** What stands at a path itself, links not followed. */
export function lookAt(path: string): "folder" | "file" | "other" | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

/** The text of a small file, without blanks around it. */
export function readSmallFile(path: string): string {
  return readFileSync(path, "utf8").slice(0, 4096).trim();
}
