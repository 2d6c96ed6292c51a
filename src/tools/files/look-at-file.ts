import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { findProtection } from "../../permissions/places/protected.ts";
import { isInside } from "../../permissions/places/real-path.ts";
import { READ_FLAGS } from "./files.ts";

/** A longer text is known by its digest alone, in bytes. */
const MAX_TEXT = 256 * 1024;
/** A file beyond this is known by its size and time alone, in bytes. */
const MAX_DIGESTED = 16 * 1024 * 1024;

/**
 * What is at a place. `mark` tells one content from another where the text is not had: of a binary or large file
 * (`other`), and of one that may hold secrets, which is not read. Outside of the workspace nothing is looked at.
 */
export type FileLook =
  | { kind: "none" | "folder" | "outside" }
  | { kind: "text"; text: string }
  | { kind: "other" | "masked"; mark: string; size: number };

/**
 * Looks at what a file holds, without following a link.
 *
 * @param path real and absolute
 */
export function lookAtFile(path: string, workspace: string): FileLook {
  if (!isInside(workspace, path)) return { kind: "outside" };
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return { kind: "none" };
    if (stat.isDirectory()) return { kind: "folder" };
    if (mayHoldSecrets(path, workspace)) return { kind: "masked", ...toFacts(stat) };
    return stat.isFile() ? readLook(path) : { kind: "other", ...toFacts(stat) };
  } catch {
    return { kind: "other", mark: "unreadable", size: 0 }; // It is named, and nothing is said of it.
  }
}

/** Whether what a file holds is not read without asking, so that it is not shown either. */
export function mayHoldSecrets(path: string, workspace: string): boolean {
  return findProtection(path, { workspace, skillFolders: [] }, "read") !== undefined;
}

function readLook(path: string): FileLook {
  const file = openSync(path, READ_FLAGS);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > MAX_DIGESTED) return { kind: "other", ...toFacts(stat) };
    const bytes = readFileSync(file);
    if (bytes.length <= MAX_TEXT && !bytes.includes(0) && isUtf8(bytes)) {
      return { kind: "text", text: bytes.toString("utf8") };
    }
    return { kind: "other", mark: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
  } finally {
    closeSync(file);
  }
}

function toFacts({ size, mtimeMs, ctimeMs }: Stats): { mark: string; size: number } {
  return { mark: `${size}:${mtimeMs}:${ctimeMs}`, size };
}
