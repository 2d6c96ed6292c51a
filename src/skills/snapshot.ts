import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { SkillgraphError, toMessage } from "../errors.ts";
import { normalizeText, splitFences } from "./header/fences.ts";
import { decodeUtf8, SKILL_FILE_LIMIT } from "./header/read-head.ts";
import type { Skill } from "./schema.ts";

/**
 * Reads the instructions of a skill: its body without the header, with `\n` as line end.
 *
 * @returns The text and its digest, the first 16 hexadecimal digits of its SHA-256.
 * @throws SkillgraphError `skill-unreadable` when the file is gone, no file, too large or not UTF-8.
 */
export function readSkillText(skill: Pick<Skill, "name" | "path">): { text: string; digest: string } {
  const text = readInstructions(skill);
  return { text, digest: createHash("sha256").update(text).digest("hex").slice(0, 16) };
}

/** Whether the instructions are no longer those that were loaded, be it that they changed or are gone. */
export function hasDrifted(skill: Pick<Skill, "name" | "path">, digest: string): boolean {
  try {
    return readSkillText(skill).digest !== digest;
  } catch (error) {
    if (error instanceof SkillgraphError) return true;
    throw error;
  }
}

function readInstructions({ name, path }: Pick<Skill, "name" | "path">): string {
  try {
    return readBody(path).body;
  } catch (error) {
    const message = `The skill "${name}" cannot be read from ${path}: ${toMessage(error)}`;
    throw new SkillgraphError("skill-unreadable", message, { cause: error });
  }
}

/** What follows the header of a file, or the whole text where there is none, and its one-based line. */
export function readBody(path: string): { body: string; bodyLine: number } {
  const fences = splitFences(normalizeText(decodeUtf8(readRegularFile(path))));
  return fences.kind === "found" ? fences : { body: fences.text, bodyLine: 1 };
}

/** The bytes of a file; throws when it is none, or too large. */
export function readRegularFile(path: string): Uint8Array {
  // The file may have been replaced since it was listed, for example by a named pipe.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error("It is not a regular file.");
    if (status.size > SKILL_FILE_LIMIT) throw new Error(`It is larger than ${SKILL_FILE_LIMIT} bytes.`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
