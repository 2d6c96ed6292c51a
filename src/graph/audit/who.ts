import { hostname, userInfo } from "node:os";
import { SkillgraphError } from "../../errors.ts";
import { toLine } from "./line.ts";

/** Longest name of a person, in characters. */
const LIMIT = 100;

/**
 * Who answers or writes, as people are to read it: the name that a caller gives, else `user@host` of this process.
 *
 * @throws SkillgraphError `usage` for what is no name
 */
export function toWho(given: unknown): string {
  if (given === undefined) return ofProcess;
  const name =
    typeof given === "string" && given.length <= LIMIT ? toLine(given.replace(/\p{C}/gu, " ")) : "";
  if (name !== "") return name;
  const shown = (JSON.stringify(given) ?? String(given)).slice(0, 60);
  throw new SkillgraphError("usage", `"by" takes a name of 1 to ${LIMIT} characters, not ${shown}.`);
}

const ofProcess = toLine(`${readUser()}@${hostname()}`, LIMIT);

function readUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `user-${process.getuid?.() ?? "unknown"}`;
  }
}
