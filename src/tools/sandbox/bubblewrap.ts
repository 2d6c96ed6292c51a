import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInside, toRealPath } from "../../permissions/places/real-path.ts";
import { findMissingSteering, findOuterGitFolder, removeMade } from "./git-folders.ts";
import { listHome } from "./home.ts";
import { listPrivate, makePrivate } from "./private-folders.ts";
import { listAbove, type Mount, toProfile } from "./profile.ts";
import { listPrograms } from "./programs.ts";
import type { Sandbox, SandboxPlace } from "./sandbox.ts";
import { closeGitFolder, closeSpecialPlaces } from "./special-places.ts";
import { listSystem } from "./system.ts";

/** What bubblewrap is to do for a person. */
export interface BubblewrapOptions {
  /** Absolute path of `bwrap`. */
  program: string;
  version: string;
  /** Whether commands reach the network. */
  network: boolean;
  /** Real folders that may be written beside the workspace. */
  writable: readonly string[];
  /** Where the folders lie that commands write beside it and that last, such as `/tmp`. */
  stateFolder: string;
  /** The account's home folder, for when the environment names another. */
  accountHome: string;
}

/** Nobody in particular, for those whose own user would be the superuser. */
const NOBODY = 65_534;
const CLOSES_NAMESPACES = [0, 8];

/** Confines commands with bubblewrap. What the system and the PATH hold is looked up once. */
export function createBubblewrap(options: BubblewrapOptions): Sandbox {
  const { program, network } = options;
  const system = listSystem(network);
  const programs = new Map<string, Mount[]>();
  const missing = new WeakMap<SandboxPlace, string[]>();
  return {
    program,
    network,
    wrap: (words, place) => {
      const { PATH = "", HOME } = place.environment;
      makePrivate(options.stateFolder);
      const key = JSON.stringify([PATH, HOME, place.workspace]);
      const known = programs.get(key) ?? listPrograms(PATH, [...listHomes(options, HOME), place.workspace]);
      programs.set(key, known);
      const home = toShownHome(HOME, [place.workspace, ...options.writable]);
      const seen = [...known, ...(home === undefined ? [] : listHome(home)), ...listPlaces(options, place)];
      const own = listPrivate(options.stateFolder, home, seen);
      if (!place.approved) missing.set(place, listGitFolders(seen).flatMap(findMissingSteering));
      const mounts = [...system, ...own, ...seen];
      const profile = toProfile(mounts, {
        network,
        closesNamespaces: isSince(options.version, CLOSES_NAMESPACES),
        cwd: place.cwd,
        ...(process.getuid?.() === 0 ? { user: NOBODY } : {}),
      });
      return [program, ...profile, "--", ...words];
    },
    settle: (place) => removeMade(missing.get(place) ?? []),
  };
}

/** What depends on where the command runs. Later mounts of one path win. */
function listPlaces({ stateFolder, writable }: BubblewrapOptions, place: SandboxPlace): Mount[] {
  const { workspace, approved } = place;
  const roots = [workspace, ...writable];
  const isClosed = (path: string) => !approved || !isInside(workspace, path);
  const readable = place.readable
    .map((path) => toRealPath(path))
    .filter(existsSync)
    .filter(isClosed);
  const gitFolder = findOuterGitFolder(workspace);
  const state = [stateFolder]
    .filter(existsSync)
    .filter((path) => isInside(workspace, path) && isClosed(path));
  const closed: Mount[] = [
    ...(gitFolder === undefined ? [] : closeGitFolder(gitFolder)),
    ...readable.map((path): Mount => ({ kind: "read", path })),
    ...roots.filter(isClosed).flatMap((path) => closeSpecialPlaces(path, [stateFolder])),
    ...state.map((path): Mount => ({ kind: "read", path })),
  ];
  return [
    ...pinAbove(closed, roots),
    ...roots.map((path): Mount => ({ kind: "write", path })),
    ...closed,
    ...readable.flatMap(closeSecrets),
  ];
}

/** A folder that is mounted cannot be renamed: else another could be made in its place, with other things in it. */
function pinAbove(closed: readonly Mount[], roots: readonly string[]): Mount[] {
  const pinned = closed.filter(({ kind }) => kind === "read" || kind === "write");
  const readOnly = closed.filter(({ kind }) => kind === "read");
  return pinned
    .flatMap(({ path }) => listAbove(path))
    .filter((path) => roots.some((root) => isInside(root, path)))
    .filter((path) => !readOnly.some((outer) => isInside(outer.path, path)))
    .map((path) => ({ kind: "write", path }));
}

function listGitFolders(mounts: readonly Mount[]): string[] {
  const written = mounts.filter(({ kind }) => kind === "write").map(({ path }) => path);
  return [...new Set(written)].filter((path) => existsSync(join(path, "HEAD")));
}

function closeSecrets(folder: string): Mount[] {
  return closeSpecialPlaces(folder).filter(({ kind }) => kind === "masked-file" || kind === "masked-folder");
}

/** A home folder that is not a part of what is shown anyway, or of what is written. */
function toShownHome(home: string | undefined, roots: readonly string[]): string | undefined {
  if (home === undefined || home === "/" || home === "/tmp") return undefined;
  return roots.some((root) => isInside(root, toRealPath(home))) ? undefined : home;
}

function listHomes({ accountHome }: BubblewrapOptions, home: string | undefined): string[] {
  return [...new Set([accountHome, home ?? accountHome].flatMap((path) => [path, toRealPath(path)]))];
}

function isSince(version: string, [major = 0, minor = 0]: readonly number[]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
