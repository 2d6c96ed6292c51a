import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type SimpleCommand, toProgramName } from "../command/scan.ts";
import { findOption, type OptionNames, toOptions } from "../hazards/hazard-options.ts";
import type { Policy } from "../policy.ts";
import { createKeeper } from "./kept-file.ts";
import { findProtection } from "./protected.ts";
import type { PlaceFinder } from "./spelled-places.ts";
import { listUses } from "./uses.ts";

/** How many entries of the folders that a text's commands read whole are looked at. */
export interface LookBudget {
  left: number;
}

export const MAX_ENTRIES = 2000;
const MAX_DEPTH = 3;
// The keys in packages are for their own tests.
const SKIPPED = new Set([".git", "node_modules"]);

/** What makes a program read all that is below a folder; `always` without any option. */
const RECURSIVE = new Map<string, OptionNames | "always">([
  ...["grep", "egrep", "fgrep", "zgrep"].map((name): [string, OptionNames] => [
    name,
    toOptions("--recursive --dereference-recursive --directories", "rRd"),
  ]),
  ["rg", "always"],
  ["ag", "always"],
  ["ack", "always"],
  ["tar", "always"],
  ["rsync", "always"],
  ["7z", "always"],
  ["diff", toOptions("--recursive", "r")],
  ["zip", toOptions("--recurse-paths --recurse-patterns", "rR")],
  ["cp", toOptions("--recursive --archive", "rRa")],
  ["scp", toOptions("", "r")],
]);
const SEARCHER = /^([efz]?grep|rg|ag|ack|git)$/;
const COPIER = /^(cp|rsync|scp)$/;
const SHOWS_HIDDEN = toOptions("--hidden --unrestricted --no-ignore", "u.a");

/** A file that a command reads because it reads the whole folder. */
export function findSearchedFile(
  command: SimpleCommand,
  folders: string[],
  policy: Policy,
  places: PlaceFinder,
  isSpecial: (path: string) => boolean,
  budget: LookBudget,
): string | undefined {
  const [first = "", ...args] = command.words;
  const name = toProgramName(first);
  const searches = name === "git" ? isUntrackedSearch(args) : isRecursive(name, args);
  if (!searches) return undefined;
  const named = listUses({ ...command, writes: [], reads: [] }, folders, policy)
    .filter(({ access }) => !COPIER.test(name) || access === "read")
    .flatMap(({ word, computed }) => places.find(word, folders, computed))
    .filter((path) => existsSync(path));
  // Searchers that are given no place start where they are.
  const starts = named.length > 0 || !SEARCHER.test(name) ? named.filter(isFolder) : folders;
  const hidden =
    !/^(rg|ag|ack)$/.test(name) || findOption(args, SHOWS_HIDDEN) !== undefined || args.includes("-.");
  for (const start of new Set(starts)) {
    const found = lookInside(start, hidden, isSpecial, budget);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True for a file that a search of the workspace must not show without a question. */
export function isSecretFile(path: string, policy: Policy): boolean {
  return findProtection(path, policy, "read") === "secret";
}

function isRecursive(name: string, args: string[]): boolean {
  const options = RECURSIVE.get(name);
  return options === "always" || (options !== undefined && findOption(args, options) !== undefined);
}

function isUntrackedSearch(args: string[]): boolean {
  return args[0] === "grep" && args.some((word) => /^--(no-i|unt)/.test(word));
}

function lookInside(
  start: string,
  hidden: boolean,
  isSpecial: (path: string) => boolean,
  budget: LookBudget,
): string | undefined {
  let level = [start];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      for (const entry of list(folder)) {
        budget.left -= 1;
        if (budget.left < 0) return undefined;
        if (SKIPPED.has(entry.name) || (!hidden && entry.name.startsWith("."))) continue;
        const path = join(folder, entry.name);
        if (isSpecial(path)) return path;
        if (entry.isDirectory()) next.push(path);
      }
    }
    level = next;
  }
  return undefined;
}

const readEntries = createKeeper((folder) => readdirSync(folder, { withFileTypes: true }));

function list(folder: string): Dirent[] {
  try {
    return readEntries(folder) ?? [];
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
