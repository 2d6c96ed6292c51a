import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The nearest folder, from `folder` upwards, that holds one of the names. */
function findUpwards(folder: string, names: string[]): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (names.some((name) => existsSync(join(current, name)))) return current;
    if (dirname(current) === current) return undefined;
  }
}

/** The folder that settings and threads belong to: the nearest `skillgraph.json` or `.git`, else the folder itself. */
export function findProject(folder: string): string {
  return findUpwards(folder, ["skillgraph.json", ".git"]) ?? folder;
}

/** The folder of this package, from the source tree and from the bundle alike. */
export function findPackage(): { folder: string; version: string } {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isOurs(join(folder, "package.json"))) folder = dirname(folder);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { folder, version };
}

function isOurs(file: string): boolean {
  return (
    existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { name?: string }).name === "skillgraph"
  );
}
