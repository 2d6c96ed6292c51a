import { SkillgraphError, toMessage } from "../../errors.ts";
import { createUnavailable } from "../unavailable.ts";

/** What a code of PostgreSQL or of the network means for the person whose database it is. */
const MEANINGS = new Map([
  ["28P01", "the user or the password is refused"],
  ["28000", "the user is refused"],
  ["3D000", "there is no such database"],
  ["42501", "the user may not do that there"],
  ["53100", "the disk is full"],
  ["53300", "the server has too many connections"],
  ["55P03", "it is locked by another process"],
  ["25006", "it is read-only"],
  ["XX001", "the database is damaged"],
  ["XX002", "the database is damaged"],
  ["ENOTFOUND", "the host is not known"],
  ["ECONNREFUSED", "the server cannot be reached"],
  ["ETIMEDOUT", "the server cannot be reached"],
  ["EHOSTUNREACH", "the server cannot be reached"],
  ["57P03", "the server is not ready"],
]);

/** What the driver says, without a code, of a connection that is gone or was not made in time. */
const LOST =
  /connection terminated|connection ended|connection timeout|read timeout|timeout exceeded|timeout expired|not queryable/i;

/** True when the connection went away, or never came, in a way that may pass. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = readCode(error);
  if (code === undefined) return LOST.test(error.message);
  return /^08|^57P0[123]$|^25P03$|^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN)$/.test(code);
}

/** True when the server took nothing of a transaction and trying it again may help. */
export function isPassing(error: unknown): boolean {
  return isLost(error) || /^(40001|40P01|53300)$/.test(readCode(error) ?? "");
}

/** Failures of the database become a `checkpoint-unavailable` that names it; anything else is handed back as it is. */
export function toUnavailable(name: string, error: unknown, waitedMs?: number): unknown {
  if (error instanceof SkillgraphError) return error;
  const code = readCode(error);
  if (code === undefined && !isLost(error)) return error;
  const meaning = MEANINGS.get(code ?? "") ?? (isLost(error) ? "the connection was lost" : undefined);
  const detail = toMessage(error) || (code ?? "no reason given");
  const waited = waitedMs === undefined ? "" : `; waited ${waitedMs / 1000} s`;
  const reason = meaning === undefined ? `${detail}${waited}` : `${meaning} (${detail}${waited})`;
  return createUnavailable(name, reason.replace(/\s+/g, " "), error);
}

/** The SQLSTATE or the system's code of an error; undefined when neither the server nor the network made it. */
function readCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return /^[0-9A-Z]{5}$|^E[A-Z_]+$/.test(error.code) ? error.code : undefined;
}
