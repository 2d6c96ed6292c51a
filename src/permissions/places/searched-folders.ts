import { existsSync } from "node:fs";
import { relative } from "node:path";
import { type SimpleCommand, toProgramName } from "../command/scan.ts";
import { findOption, type OptionNames, toOptions } from "../hazards/hazard-options.ts";
import type { Policy } from "../policy.ts";
import { toShown } from "./ignored-names.ts";
import { isFolder, isInside } from "./real-path.ts";
import type { PlaceFinder } from "./spelled-places.ts";
import { listUses } from "./uses.ts";
import { listViewFolders } from "./view-folders.ts";
import { createLookBudget, type Guarded, type LookBudget, type Looked, lookThrough } from "./whole-folder.ts";

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
const TYPED = toOptions("--type", "t");
/** With these a program reads what links in a folder lead to; `always` without any option. */
const FOLLOWS = new Map<string, OptionNames | "always">([
  ...["grep", "egrep", "fgrep", "zgrep"].map((name): [string, OptionNames] => [
    name,
    toOptions("--dereference-recursive", "R"),
  ]),
  ["rg", toOptions("--follow", "L")],
  ["ag", toOptions("--follow", "f")],
  ["ack", toOptions("--follow", "")],
  ["tar", toOptions("--dereference", "h")],
  ["rsync", toOptions("--copy-links --copy-unsafe-links --copy-dirlinks", "Lk")],
  ["7z", "always"],
  ["diff", "always"],
  ["zip", "always"],
  ["cp", toOptions("--dereference", "L")],
  ["scp", "always"],
]);

/** What no rule but one that names the whole command opens. */
export const SECRETS = { what: "which may hold secrets", secrets: true };

/**
 * Why commands that read whole folders come to what is guarded, or may come to it.
 *
 * @param what of a file that is: `which may hold secrets`
 */
export function explainSearched(
  commands: SimpleCommand[],
  folders: string[],
  policy: Policy,
  places: PlaceFinder,
  { what, ...guarded }: Pick<Guarded, "secrets" | "isRestricted"> & { what: string },
): string | undefined {
  const budget = createLookBudget();
  const toShown = (path: string): string =>
    isInside(policy.workspace, path) ? relative(policy.workspace, path) || "." : path;
  for (const command of commands) {
    const looked = lookThroughSearched(command, folders, policy, places, guarded, budget);
    if (looked.kind === "found") return `it reads the folder with "${toShown(looked.path)}" in it, ${what}`;
    if (looked.kind === "closed")
      return `it reads the folder "${toShown(looked.folder)}", which cannot be looked through`;
    if (looked.kind === "too-much")
      return `it reads the folder "${toShown(looked.folder)}", which holds too much to look through`;
  }
  return undefined;
}

function lookThroughSearched(
  command: SimpleCommand,
  folders: string[],
  policy: Policy,
  places: PlaceFinder,
  guarded: Pick<Guarded, "secrets" | "isRestricted">,
  budget: LookBudget,
): Looked {
  const [first = "", ...args] = command.words;
  const name = toProgramName(first);
  const searches = name === "git" ? isUntrackedSearch(args) : takes(RECURSIVE.get(name), args);
  if (!searches) return { kind: "clear" };
  const seen = listViewFolders(command, folders, policy) ?? folders;
  const named = listUses({ ...command, writes: [], reads: [] }, folders, policy)
    .filter(({ access }) => !COPIER.test(name) || access === "read")
    .flatMap(({ word, computed }) => places.find(word, seen, computed))
    .filter((path) => existsSync(path));
  // Searchers that are given no place start where they are.
  const starts = named.length > 0 || !SEARCHER.test(name) ? named.filter(isFolder) : seen;
  const hidden =
    !/^(rg|ag|ack)$/.test(name) || findOption(args, SHOWS_HIDDEN) !== undefined || args.includes("-.");
  const typed = findOption(args, TYPED) === undefined ? [] : [".*.*"];
  const shown = [...listGlobs(args), ...typed].flatMap(toShown);
  const follows = takes(FOLLOWS.get(name), args);
  for (const start of new Set(starts)) {
    const { workspace } = policy;
    const looked = lookThrough(start, { ...guarded, workspace, hidden, shown, follows }, budget);
    if (looked.kind !== "clear") return looked;
  }
  return { kind: "clear" };
}

function takes(options: OptionNames | "always" | undefined, args: string[]): boolean {
  return options === "always" || (options !== undefined && findOption(args, options) !== undefined);
}

/** `git diff` compares folders as they are where one of them is not of the repository. */
function isUntrackedSearch(args: string[]): boolean {
  if (args[0] === "diff") return args.some((word) => /^(--no-i|\/|\.\.)/.test(word));
  return args[0] === "grep" && args.some((word) => /^--(no-i|unt)/.test(word));
}

/** Globs of `rg`: what one takes is searched, also with a dot in front of its name. */
function listGlobs(args: string[]): string[] {
  const values = args.flatMap((word, index) => {
    const value = /^(?:-[A-Za-z0-9.]*?g|--i?glob=?)(.*)$/s.exec(word)?.[1];
    return value === "" ? (args[index + 1] ?? []) : (value ?? []);
  });
  return values.filter((value) => !value.startsWith("!"));
}
