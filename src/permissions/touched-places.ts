import { isAbsolute, resolve } from "node:path";
import { findHazard } from "./hazards.ts";
import type { Policy } from "./policy.ts";
import { findProtection, type Protection } from "./protected.ts";
import { isInside, toRealPath } from "./real-path.ts";
import { type SimpleCommand, toProgramName } from "./scan.ts";

/** A special place that a command names, and the word that names it. */
export interface TouchedPlace {
  protection: Protection;
  word: string;
}

/** Programs that only read the files they are given, unless they show a hazard. */
const READERS = new Set(
  `cat tac head tail nl wc grep egrep fgrep rg ag ls dir tree stat file du diff cmp comm cut sort uniq tr fold md5sum
  sha1sum sha256sum cksum od hexdump strings find fd jq awk sed test [ cd pushd realpath readlink column`.split(
    /\s+/,
  ),
);
/** Programs that use their words as text. */
const SPEAKERS = new Set([
  "echo",
  "printf",
  "basename",
  "dirname",
  "true",
  "false",
  "pwd",
  "which",
  "type",
  ":",
]);
/** Programs whose first operand is a pattern or a program text. */
const PATTERN_FIRST = new Set(["grep", "egrep", "fgrep", "rg", "ag", "jq", "awk", "sed", "tr"]);
const SCRIPT_RUNNER = /^(python|node|nodejs|bash|sh|zsh|dash|ruby|perl|deno|bun|tsx|php|uv)[\d.]*$/;
const MAX_FOLDERS = 16;

/**
 * Finds the first protected place that commands may write or secret that they may read: any word, value of an
 * option or redirection that leads there, seen from every folder that a `cd` may have gone to, links resolved.
 *
 * @param cwd real absolute path.
 */
export function findTouchedPlace(
  commands: SimpleCommand[],
  cwd: string,
  policy: Policy,
): TouchedPlace | undefined {
  const folders = listFolders(commands, cwd, policy.home);
  if (folders === undefined) return findTouchedInText(toText(commands), cwd, policy);
  let found: TouchedPlace | undefined;
  for (const command of commands) {
    for (const { word, access } of listUses(command, folders, policy)) {
      const protection = findWordProtection(word, access, folders, policy);
      if (protection === "protected") return { protection, word };
      if (protection !== undefined) found ??= { protection, word };
    }
  }
  return found;
}

/** The same for a text that cannot be read as commands: every run of path characters counts as a word. */
export function findTouchedInText(text: string, cwd: string, policy: Policy): TouchedPlace | undefined {
  const unquoted = text.replace(/\\\n|["'\\]/g, "");
  const named = { ...policy, skillFolders: [] };
  for (const word of new Set(unquoted.match(/[\p{L}\p{N}._~/@%+,:=-]+/gu))) {
    const protection = findWordProtection(word, "write", [cwd], named);
    if (protection !== undefined) return { protection, word };
  }
  return undefined;
}

/** Absolute path of a word as the shell's program would open it. */
export function resolveWord(word: string, folder: string, home: string): string {
  if (word === "~" || word.startsWith("~/")) return resolve(home, `.${word.slice(1)}`);
  return isAbsolute(word) ? resolve(word) : resolve(folder, word);
}

interface Use {
  word: string;
  access: "read" | "write";
}

function listUses(command: SimpleCommand, folders: string[], policy: Policy): Use[] {
  const uses: Use[] = [
    ...command.writes.map((word): Use => ({ word, access: "write" })),
    ...command.reads.map((word): Use => ({ word, access: "read" })),
  ];
  const name = toProgramName(command.words[0] ?? "");
  if (SPEAKERS.has(name)) return uses;
  const access = READERS.has(name) && findHazard(command.words) === undefined ? "read" : "write";
  const operands = listOperands(command.words, folders, policy);
  uses.push(...operands.map((word): Use => ({ word, access })));
  // A program without a path among its words still writes where it runs.
  if (access === "write") {
    const outside = folders.filter((folder) => !isSkillFolder(folder, policy));
    uses.push(...outside.map((word): Use => ({ word, access })));
  }
  return uses;
}

function listOperands(words: string[], folders: string[], policy: Policy): string[] {
  const name = toProgramName(words[0] ?? "");
  const args = words.slice(1);
  let skipped = -1;
  if (
    PATTERN_FIRST.has(name) &&
    !args.some((word) => /^-[a-zA-Z]*[ef]|^--(regexp|file|from-file)/.test(word))
  ) {
    skipped = args.findIndex((word) => !word.startsWith("-"));
  }
  if (SCRIPT_RUNNER.test(name)) {
    const script = args.findIndex((word) => !word.startsWith("-") && word !== "run");
    const runsSkill = folders.some((folder) =>
      isSkillFolder(resolveWord(args[script] ?? "", folder, policy.home), policy),
    );
    if (script !== -1 && runsSkill) skipped = script;
  }
  return [...new Set(args.filter((_, index) => index !== skipped))];
}

function isSkillFolder(path: string, policy: Policy): boolean {
  return [...policy.skillFolders, ...policy.readableFolders].some((folder) => isInside(folder, path));
}

/**
 * Every folder that the commands may run in, behind each `cd`; the first of them is where they start.
 *
 * @returns undefined when there are too many to follow.
 */
export function listFolders(commands: SimpleCommand[], cwd: string, home: string): string[] | undefined {
  const folders = new Set([cwd]);
  for (const { words } of commands) {
    if (words[0] !== "cd" && words[0] !== "pushd") continue;
    const place = words.slice(1).find((word) => !word.startsWith("-")) ?? "~";
    for (const folder of [...folders]) folders.add(resolveWord(place, folder, home));
    if (folders.size > MAX_FOLDERS) return undefined;
  }
  return [...folders];
}

function toText(commands: SimpleCommand[]): string {
  return commands.flatMap(({ words, writes, reads }) => [...words, ...writes, ...reads]).join(" ");
}

function findWordProtection(
  word: string,
  access: Use["access"],
  folders: string[],
  policy: Policy,
): Protection | undefined {
  let found: Protection | undefined;
  for (const spelling of listSpellings(word)) {
    for (const folder of folders) {
      const path = resolveWord(spelling, folder, policy.home);
      for (const place of [path, toRealPath(path)]) found ??= findProtection(place, policy, access);
    }
  }
  return found;
}

/** `--file=x`, `if=x`, `HEAD:x`, `@x`, `-fx`: the places where a path can hide in a word. */
function listSpellings(word: string): string[] {
  if (word === "" || word.length > 4096) return [];
  const spellings = word.startsWith("-") ? [word.slice(2)] : [word, word.replace(/^@/, "")];
  for (const match of word.matchAll(/[=:,]/g)) spellings.push(word.slice(match.index + 1).replace(/^@/, ""));
  return [...new Set(spellings)].filter((item) => item !== "");
}
