import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What a program leaves in a repository by merely looking at it, or by the commit that it was told to make. */
const GIT_WORK =
  /^ws\/\.git\/(index|objects|logs|refs|COMMIT_EDITMSG|ORIG_HEAD|gc\.log|packed-refs|info)(\/|$)/;

/** Every file below a folder with a mark that changes when it is written. */
export function takeSnapshot(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (GIT_WORK.test(path)) continue;
      const { ino, size, mtimeMs, mode } = lstatSync(join(root, path));
      found.set(path, entry.isDirectory() ? "folder" : `${ino} ${size} ${mtimeMs} ${mode}`);
      if (entry.isDirectory()) walk(path);
    }
  };
  walk("");
  return found;
}

/** The paths that came, went or were written between two snapshots. */
export function listChanges(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
