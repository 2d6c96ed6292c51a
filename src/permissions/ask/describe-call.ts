import { existsSync } from "node:fs";
import { basename, relative } from "node:path";
import { readCommand } from "../command/read-command.ts";
import type { SimpleCommand } from "../command/scan.ts";
import { unfoldCommands } from "../command/unfold.ts";
import { isFolder, isInside } from "../places/real-path.ts";
import { resolveWord } from "../places/spelled-places.ts";
import type { CallToDecide, Policy } from "../policy.ts";
import { markUnseen, showMarks, toVisibleText } from "./visible-text.ts";
import { listWritten } from "./written-words.ts";

/** What a person should see of a call before they allow it. */
export interface CallDescription {
  /** The command as it would run, with what the eye does not see spelled out. Of a call that runs one. */
  command?: string;
  /** Files that it is known to write or remove: below the workspace relative, others absolute. */
  writes: string[];
}

/** Describes what a call runs and writes, as far as it can be told without running it. */
export function describeCall(policy: Policy, { target }: CallToDecide): CallDescription {
  if (target.kind === "path") {
    return { writes: target.access === "write" ? [toShownPath(target.path, policy)] : [] };
  }
  if (target.kind !== "command") return { writes: [] };
  const { commands } = unfoldCommands(readCommand(markUnseen(target.command)));
  return {
    command: toVisibleText(target.command),
    writes: [...new Set(listPlaces(commands, target.cwd, policy).map(showMarks))],
  };
}

function listPlaces(commands: SimpleCommand[], cwd: string, policy: Policy): string[] {
  let folder = cwd;
  return commands.flatMap((command) => {
    const { words, writes, computed } = command;
    if (words[0] === "cd") {
      const place = words.slice(1).find((word) => !word.startsWith("-")) ?? "~";
      folder = resolveWord(place, folder, policy.home);
    }
    const toPlace = (word: string): string =>
      // What the shell computes is known as it is spelled only.
      computed.some((part) => word.includes(part))
        ? toVisibleText(word)
        : toShownPath(resolveWord(word, folder, policy.home), policy);
    const { files, into } = listWritten(words);
    return [
      ...[...writes, ...files].map(toPlace),
      ...into.map(({ target, source }) =>
        isShownFolder(resolveWord(target, folder, policy.home))
          ? toPlace(`${target.replace(/\/+$/, "")}/${basename(source)}`)
          : toPlace(target),
      ),
    ];
  });
}

function toShownPath(path: string, { workspace }: Policy): string {
  const below = isInside(workspace, path) ? relative(workspace, path) || "." : path;
  return toVisibleText(below.replaceAll("\n", "<U+000A>"));
}

function isShownFolder(path: string): boolean {
  return existsSync(path) && isFolder(path);
}
