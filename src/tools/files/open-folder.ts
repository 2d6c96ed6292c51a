import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open } from "node:fs/promises";
import { join, sep } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { isCode } from "../workspace.ts";

/** A folder that stays the same one, whatever is put in the place of its path. */
export interface OpenFolder {
  /** The path of a name in it, for system calls. */
  at: (name: string) => string;
  /** Opens a folder in it, and no link that stands in its place. */
  enter: (name: string) => Promise<OpenFolder>;
  close: () => Promise<void>;
}

const HELD = "/proc/self/fd";
/** Opens without leave to list, as on the way to a file. Not among Node's constants. */
const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const CAN_HOLD = process.platform === "linux" && existsSync(HELD);

/**
 * Opens a folder. A folder on the way may become a link after the path was resolved: on Linux each is held open
 * while the next one is opened in it, so that none is followed. Elsewhere the path is used as it is.
 *
 * @param path - Real absolute path.
 * @param options - `make`: missing folders are made. Default false.
 * @throws SkillgraphError `path-outside` for a link on the way; else the system's error.
 */
export async function openFolder(path: string, options: { make?: boolean } = {}): Promise<OpenFolder> {
  if (!CAN_HOLD) {
    if (options.make) await mkdir(path, { recursive: true });
    return toNamedFolder(path);
  }
  let folder = toHeldFolder(await open("/", FLAGS), "/");
  for (const part of path.split(sep)) {
    if (part === "") continue;
    const outer = folder;
    try {
      folder = await enterOrMake(outer, part, options.make === true);
    } finally {
      await outer.close();
    }
  }
  return folder;
}

/** What is told when a path leads elsewhere than a moment ago. */
export function toMoved(path: string): SkillgraphError {
  return new SkillgraphError("path-outside", `Path "${path}" changed while it was used; nothing was done.`);
}

async function enterOrMake(folder: OpenFolder, name: string, make: boolean): Promise<OpenFolder> {
  try {
    return await folder.enter(name);
  } catch (error) {
    if (!make || !isCode(error, "ENOENT")) throw error;
  }
  await mkdir(folder.at(name)).catch((error: unknown) => {
    // Another process was faster.
    if (!isCode(error, "EEXIST")) throw error;
  });
  return folder.enter(name);
}

function toHeldFolder(handle: FileHandle, path: string): OpenFolder {
  const at = (name: string) => `${HELD}/${handle.fd}/${name}`;
  return {
    at,
    enter: async (name) => {
      const inner = join(path, name);
      try {
        return toHeldFolder(await open(at(name), FLAGS), inner);
      } catch (error) {
        const found = await lstat(at(name)).catch(() => undefined);
        throw found?.isSymbolicLink() ? toMoved(inner) : error;
      }
    },
    close: () => handle.close(),
  };
}

function toNamedFolder(path: string): OpenFolder {
  return {
    at: (name) => join(path, name),
    enter: async (name) => toNamedFolder(join(path, name)),
    close: () => Promise.resolve(),
  };
}
