import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside, toRealPath } from "../../permissions/places/real-path.ts";
import type { Mount } from "./profile.ts";

const GIT_FILES = [".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"];
const INCLUDED = /^\s*(?:path|excludesfile|attributesfile|template)\s*=\s*"?([^"\n#;]+?)"?\s*$/gim;

/** What is seen of the home folder: git's settings, without which a commit has no author. Nothing else is there. */
export function listHome(home: string): Mount[] {
  const real = toRealPath(home);
  const files = GIT_FILES.map((name) => join(home, name)).filter(isFile);
  const all = [...files, ...files.flatMap((file) => listIncluded(file, home))];
  return [
    { kind: "empty", path: real },
    ...(real === home ? [] : [{ kind: "link", path: home, target: real } as const]),
    ...all.map(
      (path): Mount => ({ kind: "read", path: join(real, path.slice(home.length)), from: toRealPath(path) }),
    ),
  ];
}

/** Files that git's settings name; those elsewhere than in the home folder are left out. */
function listIncluded(file: string, home: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(INCLUDED)]
    .map(([, path = ""]) => resolve(dirname(file), path.replace(/^~(?=\/)/, home)))
    .filter((path) => isInside(home, path) && isFile(path));
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
