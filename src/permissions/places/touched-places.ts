import { type SimpleCommand, toProgramName } from "../command/scan.ts";
import { toProgramKind } from "../hazards/program-kinds.ts";
import type { Policy } from "../policy.ts";
import { expandWord } from "./computed-words.ts";
import { findProtection, type Protection } from "./protected.ts";
import { holdsProtected, listReplaced } from "./replaced.ts";
import { locateWord, type PlaceFinder, resolveWord } from "./spelled-places.ts";
import { isSkillPlace, listUses, type Use } from "./uses.ts";
import { listViewFolders } from "./view-folders.ts";

/** A special place that a command names, and the word that names it. */
export interface TouchedPlace {
  protection: Protection;
  word: string;
}

const MAX_FOLDERS = 16;

/**
 * Finds the first protected place that commands may write or secret that they may read: each word, value of an
 * option or redirection that leads there, seen from every folder that a `cd` may have gone to, links resolved.
 *
 * @param cwd real absolute path.
 */
export function findTouchedPlace(
  commands: SimpleCommand[],
  cwd: string,
  policy: Policy,
  places: PlaceFinder,
): TouchedPlace | undefined {
  const folders = listFolders(commands, cwd, policy.home);
  if (folders === undefined) return findTouchedInText(toText(commands), cwd, policy, places);
  const fed = isFed(commands);
  let found: TouchedPlace | undefined;
  for (const command of commands) {
    const seen = listViewFolders(command, folders, policy);
    if (seen === undefined) return findTouchedInText(toText(commands), cwd, policy, places);
    for (const use of [...listUses(command, folders, policy, fed), ...listStarts(command, folders, policy)]) {
      const protection = findUseProtection(use, seen, policy, places);
      if (protection === "protected") return { protection, word: use.word };
      if (protection !== undefined) found ??= { protection, word: use.word };
    }
    const replaced = findReplaced(command, folders, policy, places);
    if (replaced !== undefined) return replaced;
  }
  return found;
}

/** The same for a text that cannot be read as commands: every run of path characters counts as a word. */
export function findTouchedInText(
  text: string,
  cwd: string,
  policy: Policy,
  places: PlaceFinder,
): TouchedPlace | undefined {
  const unquoted = text.replace(/\\\n|["'\\]/g, "");
  const named = { ...policy, skillFolders: [] };
  const plain = unquoted.match(/[\p{L}\p{N}._~/@%+,:=-]+/gu) ?? [];
  const computed =
    unquoted.match(/[\p{L}\p{N}._~/@%+,:=*?[\]{}$-]*[*?[{$][\p{L}\p{N}._~/@%+,:=*?[\]{}$-]*/gu) ?? [];
  for (const word of new Set([...plain, ...computed])) {
    const protections = places.findInText(word, cwd).map((path) => findProtection(path, named));
    const protection = protections.find((item) => item !== undefined);
    if (protection !== undefined) return { protection, word };
  }
  return undefined;
}

/** True when `xargs` makes words of what other commands print. */
export function isFed(commands: SimpleCommand[]): boolean {
  return commands.some(({ words }) => toProgramName(words[0] ?? "") === "xargs");
}

/**
 * Every folder that the commands may run in, behind each `cd`; the first of them is where they start.
 *
 * @returns undefined when there are too many to follow.
 */
export function listFolders(commands: SimpleCommand[], cwd: string, home: string): string[] | undefined {
  const folders = new Set([cwd]);
  for (const { words, computed } of commands) {
    if (words[0] !== "cd" && words[0] !== "pushd") continue;
    const place = words.slice(1).find((word) => !word.startsWith("-")) ?? "~";
    for (const folder of [...folders]) {
      const isComputed = computed.includes(place);
      const names = isComputed ? expandWord(place, (path) => resolveWord(path, folder, home)).words : [];
      const quoted = place.startsWith("~") ? [`./${place}`] : [];
      for (const name of [place, ...quoted, ...names]) folders.add(resolveWord(name, folder, home));
      // `cd -P x/..` leaves the target of a link, as programs do.
      if (words.some((word) => /^-[a-zA-Z]*P/.test(word)))
        for (const path of locateWord(place, folder, home)) folders.add(path);
    }
    if (folders.size > MAX_FOLDERS) return undefined;
  }
  return [...folders];
}

/** A program without a path among its words still writes where it runs. */
function listStarts(command: SimpleCommand, folders: string[], policy: Policy): Use[] {
  const kind = toProgramKind(command.words);
  if (kind === "reader" || kind === "speaker") return [];
  return folders
    .filter((folder) => !isSkillPlace(folder, policy))
    .map((word): Use => ({ word, access: "write", computed: false }));
}

function findUseProtection(
  { word, access, computed }: Use,
  folders: string[],
  policy: Policy,
  places: PlaceFinder,
): Protection | undefined {
  // An unknown program that is given a skill's folder is rather asked to work with it than to change it.
  const judged = access === "unknown" ? { ...policy, skillFolders: [] } : policy;
  const kind = access === "read" ? "read" : "write";
  let found: Protection | undefined;
  for (const place of places.find(word, folders, computed)) found ??= findProtection(place, judged, kind);
  return found;
}

function findReplaced(
  { words, computed }: SimpleCommand,
  folders: string[],
  policy: Policy,
  places: PlaceFinder,
): TouchedPlace | undefined {
  const word = listReplaced(words).find((item) => {
    const isComputed = computed.some((part) => item.includes(part));
    const paths = places.find(item, folders, isComputed);
    return paths.some((path) => holdsProtected(path, policy) || findProtection(path, policy) !== undefined);
  });
  return word === undefined ? undefined : { protection: "protected", word };
}

function toText(commands: SimpleCommand[]): string {
  return commands.flatMap(({ words, writes, reads }) => [...words, ...writes, ...reads]).join(" ");
}
