import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { isInside } from "../../permissions/places/real-path.ts";
import { makeFolder } from "../files/make-folder.ts";
import { listAbove, type Mount } from "./profile.ts";

/** What programs write into the home folder and fail without. */
const HOME_FOLDERS = [".cache", ".npm", ".config/libreoffice"];

/**
 * The folders that commands may write beside the workspace. They last, and lie in the state folder, where a person
 * finds them: temporary files, shared memory and caches.
 *
 * @param kept where they lie
 * @param home the home folder as it is shown, if it is
 * @param seen what else is mounted; what is beside it below `/tmp` fails instead of going elsewhere
 * @throws SkillgraphError `tool-failed` when a link stands in the place of one, or it cannot be made
 */
export function listPrivate(kept: string, home: string | undefined, seen: readonly Mount[]): Mount[] {
  const place = (name: string) => makePlain(join(kept, "sandbox", name));
  const temporary = place("tmp");
  const shown = seen.map(({ path }) => path);
  const inside = shown.includes("/tmp") ? [] : shown.filter((path) => isInside("/tmp", path));
  const outer = [...new Set(inside.map((path) => listAbove(path)[1] ?? path))];
  // The mount points are made in the folder that lasts, where an earlier command could have put a link.
  for (const path of outer) makePlain(join(temporary, basename(path)));
  return [
    { kind: "write", path: "/tmp", from: temporary },
    ...(shown.some((path) => isInside("/var/tmp", path))
      ? []
      : [{ kind: "link", path: "/var/tmp", target: "/tmp" } as const]),
    { kind: "write", path: "/dev/shm", from: place("shm") },
    ...outer.map((path): Mount => ({ kind: "empty", path })),
    ...(home === undefined ? [] : listCaches(home, place)),
  ];
}

/**
 * Makes the folder that holds them, so that it is there when what is closed is looked for. Git does not see it.
 *
 * @throws SkillgraphError `tool-failed` as {@link listPrivate} does
 */
export function makePrivate(kept: string): void {
  makePlain(kept);
  const ignore = join(kept, ".gitignore");
  if (basename(kept) === ".skillgraph" && !existsSync(ignore)) writeFileSync(ignore, "*\n");
  makePlain(join(kept, "sandbox"));
}

function listCaches(home: string, place: (name: string) => string): Mount[] {
  return HOME_FOLDERS.map((name) => ({
    kind: "write",
    path: join(home, name),
    from: place(name.replaceAll("/", "-").replace(/^\./, "")),
  }));
}

/** A link would lead the command, and what it writes, anywhere. */
function makePlain(folder: string): string {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return folder;
  if (found !== undefined) {
    throw new SkillgraphError("tool-failed", `${folder} is no folder, and the sandbox needs it. Remove it.`);
  }
  try {
    makeFolder(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return folder;
}
