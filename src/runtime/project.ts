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

/** Where this package lies and what its package.json says. */
export interface OwnPackage {
  /** Undefined where another program has bundled this code without its folder, and with it the bundled skills. */
  folder: string | undefined;
  version: string;
  /** The versions of Node it is made for, as in package.json. */
  node?: string;
}

/** This package, from the source tree and from the bundle alike. */
export function findPackage(): OwnPackage {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const { name, version = "unknown", engines } = readPackage(join(folder, "package.json"));
    if (name === "skillgraph") return { folder, version, ...(engines?.node ? { node: engines.node } : {}) };
    if (dirname(folder) === folder) return { folder: undefined, version: "unknown" };
  }
}

interface PackageFile {
  name?: string;
  version?: string;
  engines?: { node?: string };
}

function readPackage(file: string): PackageFile {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) ?? {}) as PackageFile;
  } catch {
    return {}; // It is not there, or it is another program's and no concern of ours.
  }
}
