import { isAbsolute } from "node:path";
import { type SimpleCommand, toProgramName } from "../command/scan.ts";
import { toProgramKind } from "../hazards/program-kinds.ts";
import type { Policy } from "../policy.ts";
import { isInside } from "./real-path.ts";
import { hasPlainOptions } from "./replaced.ts";
import { resolveWord } from "./spelled-places.ts";

/** A word of a command that may be a place, and what the command may do there. */
export interface Use {
  word: string;
  access: "read" | "write" | "unknown";
  computed: boolean;
}

/** Programs whose first operand is a pattern or a program text. */
const PATTERN_FIRST = new Set(["grep", "egrep", "fgrep", "rg", "ag", "jq", "awk", "sed", "tr"]);
const SCRIPT_RUNNER = /^(python|node|nodejs|bash|sh|zsh|dash|ruby|perl|deno|bun|tsx|php|uv)[\d.]*$/;
/** Programs that read all they are given but the last. */
const COPIERS = new Set(["cp", "rsync", "scp"]);
const TEXT_OPTION = /^(-[a-z]*m|--message)$/;

/**
 * The words of a command that may be places, with its redirections.
 *
 * @param fed true when another command hands on what this one prints, so that printed words count.
 */
export function listUses(command: SimpleCommand, folders: string[], policy: Policy, fed = false): Use[] {
  const isGit = toProgramName(command.words[0] ?? "") === "git";
  const toUse = (word: string, access: Use["access"]): Use => ({
    word,
    access,
    // git expands globs by itself, also quoted ones.
    computed: command.computed.some((item) => word.includes(item)) || (isGit && /[*?[]/.test(word)),
  });
  const redirections = [
    ...command.writes.map((word) => toUse(word, "write")),
    ...command.reads.map((word) => toUse(word, "read")),
  ];
  const kind = toProgramKind(command.words);
  if (kind === "speaker") {
    return fed
      ? [
          ...redirections,
          ...command.words
            .slice(1)
            .flatMap((word) => word.split(/\s+|\\n/))
            .map((word) => toUse(word, "write")),
        ]
      : redirections;
  }
  const operands = listOperands(command.words, folders, policy);
  const access = kind === "reader" ? "read" : kind === "writer" ? "write" : "unknown";
  const name = toProgramName(command.words[0] ?? "");
  const copies = COPIERS.has(name) && hasPlainOptions(name, command.words.slice(1));
  const last = command.words.findLast((word) => !word.startsWith("-"));
  return [
    ...redirections,
    ...operands.map((word) =>
      toUse(word, copies && word !== last && !word.startsWith("-") ? "read" : access),
    ),
  ];
}

/** True for a folder of a skill, or a place in one. */
export function isSkillPlace(path: string, policy: Policy): boolean {
  return [...policy.skillFolders, ...policy.readableFolders].some((folder) => isInside(folder, path));
}

function listOperands(words: string[], folders: string[], policy: Policy): string[] {
  const isGit = toProgramName(words[0] ?? "") === "git";
  const name = isGit ? (words[1] ?? "") : toProgramName(words[0] ?? "");
  const args = words.slice(isGit ? 2 : 1);
  const skipped = new Set<number>();
  if (PATTERN_FIRST.has(name) && !args.some((word) => /^-[a-zA-Z]*[ef]|^--[ref]/.test(word)))
    skipped.add(args.findIndex((word) => !word.startsWith("-")));
  if (SCRIPT_RUNNER.test(name)) {
    const script = args.findIndex((word) => !word.startsWith("-") && word !== "run");
    const path = args[script] ?? "";
    const isOfSkill = (isAbsolute(path) ? [""] : folders).some((folder) =>
      isSkillPlace(resolveWord(path, folder, policy.home), policy),
    );
    if (isOfSkill) skipped.add(script);
  }
  if (isGit) for (const [index, word] of args.entries()) if (TEXT_OPTION.test(word)) skipped.add(index + 1);
  return [...new Set(args.filter((_, index) => !skipped.has(index)))];
}
