import type { Policy } from "../policy.ts";
import { readArguments } from "./arguments.ts";
import { findGitCulprit, READING_GIT_COMMANDS, type ReadingGitCommand } from "./git-commands.ts";
import { findCompareFault, findRepository, findSettingsFault, findShownFault } from "./git-repository.ts";

/** What a git command would read; a `culprit` or a `fault` says why it may do more. */
export type GitReading =
  | { kind: "reads"; label: string; operands: string[] }
  | { kind: "culprit"; label: string; culprit: string }
  | { kind: "fault"; label: string; fault: string }
  | { kind: "unlisted" };

const OWN_FLAGS = new Set(["--no-pager", "-P", "--no-optional-locks"]);
/** Without a repository these compare or search whatever they are given. */
const WITHOUT_REPOSITORY = new Set(["diff", "grep"]);

/**
 * Reads the words of a git command.
 *
 * @param isRestricted true for a file that a rule keeps from being read; absent when there is no such rule.
 */
export function readGit(
  args: string[],
  folders: string[],
  policy: Policy,
  isRestricted?: (path: string) => boolean,
): GitReading {
  let start = 0;
  while (OWN_FLAGS.has(args[start] ?? "")) start += 1;
  const name = args[start] ?? "";
  const label = `git ${name}`.trim();
  const command = READING_GIT_COMMANDS.get(name);
  if (command === undefined)
    return name.startsWith("-") ? { kind: "culprit", label: "git", culprit: name } : { kind: "unlisted" };
  const found = readGitArguments(name, args.slice(start + 1), command);
  if ("culprit" in found) return { kind: "culprit", label, culprit: found.culprit };
  for (const folder of folders) {
    const fault = findFault(name, command, found.flags, folder, policy, isRestricted);
    if (fault !== undefined) return { kind: "fault", label, fault };
  }
  return { kind: "reads", label, operands: found.operands };
}

function readGitArguments(
  name: string,
  args: string[],
  command: ReadingGitCommand,
): { flags: Map<string, string>; operands: string[] } | { culprit: string } {
  const form = command.operands;
  const isNamed = typeof form === "object" && args[0] === form.first;
  const found = readArguments(isNamed ? args.slice(1) : args, command);
  if (typeof found === "string") return { culprit: found };
  const { flags, operands } = found;
  const isOpen = form === "any" || isNamed || command.listFlags?.some((flag) => flags.has(flag)) === true;
  if (!isOpen && operands.length > 0) return { culprit: operands[0] ?? "" };
  if (typeof form === "object" && form.required === true && !isNamed) return { culprit: args[0] ?? name };
  const culprit = findGitCulprit(name, flags, operands);
  if (culprit !== undefined) return { culprit };
  const pattern = command.hasPattern === true && !flags.has("e") ? 1 : 0;
  return { flags, operands: operands.slice(pattern) };
}

function findFault(
  name: string,
  command: ReadingGitCommand,
  flags: Map<string, string>,
  folder: string,
  policy: Policy,
  isRestricted?: (path: string) => boolean,
): string | undefined {
  const repository = findRepository(folder, policy.workspace);
  if (repository === "none") return WITHOUT_REPOSITORY.has(name) ? "there is no repository" : undefined;
  if ("fault" in repository) return repository.fault;
  const settings = findSettingsFault(repository);
  if (settings !== undefined) return settings;
  const skipsNested = /^(all)?$/.test(flags.get("ignore-submodules") ?? "none");
  const compare =
    command.comparesFiles === true ? findCompareFault(repository, policy.workspace, skipsNested) : undefined;
  if (compare !== undefined) return compare;
  const shows = command.shows === "always" || command.shows?.some((flag) => flags.has(flag)) === true;
  return shows ? findShownFault(repository, policy.workspace, isRestricted) : undefined;
}
