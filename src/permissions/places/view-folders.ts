import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type SimpleCommand, toProgramName } from "../command/scan.ts";
import type { Policy } from "../policy.ts";
import { expandWord } from "./computed-words.ts";
import { isInside } from "./real-path.ts";
import { resolveWord } from "./spelled-places.ts";

const MAX_FOLDERS = 32;
/** `HEAD:x`, `:x` and `:/x` begin at the top of the repository, wherever the command runs. */
const OF_REPOSITORY = /:/;

/**
 * The folders that the words of a command are seen from: those where it may run, those that `git -C` leads
 * to from there, and the tops of repositories for what is named by a revision.
 *
 * @returns undefined when there are too many to look from.
 */
export function listViewFolders(
  { words, computed }: SimpleCommand,
  folders: string[],
  { home, workspace }: Pick<Policy, "home" | "workspace">,
): string[] | undefined {
  if (toProgramName(words[0] ?? "") !== "git") return folders;
  const args = words.slice(1);
  const seen = new Set(folders);
  for (const move of listMoves(args)) {
    for (const folder of [...seen]) {
      const names = computed.some((part) => move.includes(part))
        ? expandWord(move, (path) => resolveWord(path, folder, home)).words
        : [];
      for (const each of [move, ...names]) seen.add(resolveWord(each, folder, home));
    }
    if (seen.size > MAX_FOLDERS) return undefined;
  }
  if (args.some((word) => OF_REPOSITORY.test(word)))
    for (const folder of [...seen]) seen.add(findTop(folder, workspace));
  return [...seen];
}

function listMoves(args: string[]): string[] {
  return args.filter((_, index) => args[index - 1] === "-C");
}

/** The nearest folder with a repository in it; the workspace where there is none. */
function findTop(start: string, workspace: string): string {
  for (let folder = start; isInside(workspace, folder); folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === workspace) break;
  }
  return workspace;
}
