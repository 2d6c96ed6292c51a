import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SkillgraphError } from "../errors.ts";

const FORMS = '"sqlite:<path>", "file:<path>", a path that ends in ".db", or "memory:"';

/** Where checkpoints are kept. */
export type CheckpointPlace = { kind: "file"; path: string } | { kind: "memory" };

/**
 * Reads where checkpoints are to be kept: `sqlite:relative/or/absolute/path`, `sqlite:///absolute/path`, a `file:`
 * URL, a path that ends in `.db`, or `memory:`.
 *
 * @param folder - What relative paths start from. Default: the working directory.
 * @throws SkillgraphError `checkpoint-url-invalid` quoting the value, without any password in it.
 */
export function parseCheckpointUrl(text: string, folder = process.cwd()): CheckpointPlace {
  // One letter before a colon is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  const rest = scheme === undefined ? text : text.slice(scheme.length + 1);
  const path = toPath(scheme, rest);
  if (scheme === "memory" && rest === "") return { kind: "memory" };
  if (path !== undefined && !path.includes("\0")) return { kind: "file", path: resolve(folder, path) };
  const fault = /^postgres(ql)?$/.test(scheme ?? "")
    ? "is not supported yet"
    : "is not a place for checkpoints";
  throw new SkillgraphError(
    "checkpoint-url-invalid",
    `"${hidePassword(text)}" ${fault}. Known forms: ${FORMS}.`,
  );
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

function hidePassword(text: string): string {
  return text
    .replace(/:\/\/.*@/s, "://***@")
    .replace(/\?.*$/s, "?***")
    .replace(/[\r\n]+/g, " ");
}
