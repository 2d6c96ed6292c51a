import { randomUUID } from "node:crypto";
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { toMessage } from "../../errors.ts";
import { toCount } from "../output.ts";
import { isCode } from "../workspace.ts";

const SPILL_LIMIT = 256 * 1024 * 1024;
const KEPT_FILES = 50;
/** A paused thread may still name a younger file. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
const OUTPUT_FILE = /^output-[0-9a-f-]{36}\.txt$/;

/** A file for output that is too long to be shown. */
export interface Spill {
  isOpen(): boolean;
  write(chunk: Uint8Array): void;
  /** Ends the file: a sentence that says what it holds, or why there is none. */
  close(bytes: number): { advice: string; file?: string };
}

/** Makes the file when something is written, readable by its owner alone; beyond 256 MiB nothing is kept. */
export function createSpill(folder: string): Spill {
  const file = join(folder, `output-${randomUUID()}.txt`);
  let descriptor: number | undefined;
  let written = 0;
  let fault: string | undefined;
  return {
    isOpen: () => descriptor !== undefined || fault !== undefined,
    // Written at once: a queue would grow as fast as the command prints.
    write: (chunk) => {
      const end = Math.min(chunk.length, SPILL_LIMIT - written);
      if (fault !== undefined || end <= 0) return;
      try {
        descriptor ??= openInside(folder, file);
        for (let start = 0; start < end; ) start += writeSync(descriptor, chunk, start, end - start);
        written += end;
      } catch (error) {
        fault = toMessage(error);
      }
    },
    close: (bytes) => {
      if (descriptor !== undefined) closeSync(descriptor);
      if (fault !== undefined) return { advice: `${toCount(bytes)} bytes. They were not kept: ${fault}.` };
      const share =
        written < bytes
          ? `The first ${toCount(written)} of ${toCount(bytes)} bytes`
          : `All ${toCount(bytes)} bytes`;
      return { advice: `${share} are in ${file}.`, file };
    },
  };
}

/** The folder and the one above are ours; a link in their place came with the workspace and leads anywhere. */
function openInside(folder: string, file: string): number {
  refuseLink(dirname(folder));
  refuseLink(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  hideFromGit(folder);
  removeOld(folder);
  return openSync(file, "wx", 0o600);
}

/** What commands print is nothing to commit. */
function hideFromGit(folder: string): void {
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  }
}

function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${path} is a link`);
}

function removeOld(folder: string): void {
  const names = readdirSync(folder).filter((name) => OUTPUT_FILE.test(name));
  if (names.length < KEPT_FILES) return;
  const aged = names
    .map((name) => ({ path: join(folder, name), time: readTime(join(folder, name)) }))
    .sort((left, right) => right.time - left.time);
  for (const { path, time } of aged.slice(KEPT_FILES - 1)) {
    if (time < Date.now() - KEPT_MS) rmSync(path, { force: true });
  }
}

function readTime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
