import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SkillgraphError } from "../errors.ts";

const FORMS =
  '"sqlite:<path>", "file:<path>", a path that ends in ".db", "postgres://<user>@<host>/<database>", or "memory:"';

/** What stands in a printed address for its password. */
const HIDDEN = "***";

/** Where checkpoints are kept. */
export type CheckpointPlace = { kind: "file"; path: string } | PostgresPlace | { kind: "memory" };

/** A PostgreSQL database. */
export interface PostgresPlace {
  kind: "postgres";
  /** What the driver connects to; it may hold a password. */
  url: string;
  /** The same with `***` in place of a password. */
  shown: string;
  /** Host and database, for people. */
  name: string;
  /** The schema that holds the tables. */
  schema: string;
}

/**
 * Reads where checkpoints are to be kept: `sqlite:relative/or/absolute/path`, `sqlite:///absolute/path`, a `file:`
 * URL, a path that ends in `.db`, `postgres://user@host/database`, or `memory:`.
 *
 * @param folder - What relative paths start from. Default: the working directory.
 * @throws SkillgraphError `checkpoint-url-invalid` quoting the value, without any password in it.
 */
export function parseCheckpointUrl(text: string, folder = process.cwd()): CheckpointPlace {
  // One letter before a colon is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === "postgres" || scheme === "postgresql") return toPostgres(text);
  const rest = scheme === undefined ? text : text.slice(scheme.length + 1);
  const path = toPath(scheme, rest);
  if (scheme === "memory" && rest === "") return { kind: "memory" };
  if (path !== undefined && !path.includes("\0")) return { kind: "file", path: resolve(folder, path) };
  throw refuse(text, "is not a place for checkpoints");
}

function toPostgres(text: string): PostgresPlace {
  const url = text.includes("://") && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    throw refuse(text, 'cannot be read; write special characters of a password as "%" and two digits');
  }
  if ([url.password, url.searchParams.get("password")].includes(HIDDEN)) {
    throw refuse(
      text,
      `has ${HIDDEN} in place of the password; leave ":${HIDDEN}" out and set PGPASSWORD, or put the whole address into SKILLGRAPH_CHECKPOINT`,
    );
  }
  const database = decode(url.pathname.slice(1));
  if (database === undefined || database === "" || database.includes("/") || database.includes("\0")) {
    throw refuse(text, "names no database");
  }
  const schema = url.searchParams.get("schema") ?? "skillgraph";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_")) {
    throw refuse(text, `names the schema "${schema}", which is no plain name in small letters`);
  }
  const shown = toShown(url);
  url.searchParams.delete("schema");
  const host = url.host || (url.searchParams.get("host") ?? "localhost");
  return { kind: "postgres", url: url.href, shown, name: `postgres://${host}/${database}`, schema };
}

function toShown(url: URL): string {
  const shown = new URL(url);
  if (shown.password !== "") shown.password = HIDDEN;
  if (shown.searchParams.has("password")) shown.searchParams.set("password", HIDDEN);
  return shown.href;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // A wrong escape: the caller names the whole value.
    return undefined;
  }
}

function refuse(text: string, fault: string): SkillgraphError {
  return new SkillgraphError(
    "checkpoint-url-invalid",
    `"${hidePassword(text)}" ${fault}. Known forms: ${FORMS}.`,
  );
}

function hidePassword(text: string): string {
  return text
    .replace(/:\/\/.*@/s, "://***@")
    .replace(/\?.*$/s, "?***")
    .replace(/[\r\n]+/g, " ");
}

function toPath(scheme: string | undefined, rest: string): string | undefined {
  if (scheme === undefined) return /[^/\\]\.db$/i.test(rest) ? rest : undefined;
  if ((scheme !== "sqlite" && scheme !== "file") || /[?#]/.test(rest)) return undefined;
  // "//name/path" would name another machine.
  if (/^\/\/[^/]/.test(rest) || /[/\\]$|^$|^:memory:$/.test(rest)) return undefined;
  if (scheme === "sqlite") return rest.replace(/^\/\/\//, "/");
  return rest.startsWith("/") ? toFilePath(`file:${rest}`) : rest;
}

function toFilePath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // A wrong escape: the caller names the whole value.
    return undefined;
  }
}
