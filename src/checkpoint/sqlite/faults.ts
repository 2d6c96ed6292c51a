import { toMessage } from "../../errors.ts";
import { createUnavailable } from "../unavailable.ts";

/** What a SQLite result code means for the person whose file it is. */
const MEANINGS = new Map([
  ["SQLITE_FULL", "the disk is full"],
  ["SQLITE_READONLY", "the file or its folder is read-only"],
  ["SQLITE_CANTOPEN", "it cannot be opened"],
  ["SQLITE_NOTADB", "it is not a SQLite database"],
  ["SQLITE_CORRUPT", "the database is damaged"],
  ["SQLITE_PERM", "access is denied"],
  ["SQLITE_IOERR", "the disk failed"],
]);

/** The SQLite result code of an error, such as `SQLITE_BUSY`; undefined when SQLite did not throw it. */
export function readSqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" && error.code.startsWith("SQLITE_") ? error.code : undefined;
}

/** True when another connection holds the file, so that trying again may help. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(readSqliteCode(error) ?? "");
}

/** Failures of the file become a `checkpoint-unavailable` that names it; anything else is handed back as it is. */
export function toUnavailable(file: string, error: unknown): unknown {
  const code = readSqliteCode(error);
  if (code === undefined) return error;
  const meaning = [...MEANINGS].find(([known]) => code.startsWith(known))?.[1];
  return createUnavailable(
    file,
    meaning === undefined ? toMessage(error) : `${meaning} (${toMessage(error)})`,
    error,
  );
}
