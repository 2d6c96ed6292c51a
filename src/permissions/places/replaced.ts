import { basename } from "node:path";
import { toProgramName } from "../command/scan.ts";
import type { Policy } from "../policy.ts";
import { isInside } from "./real-path.ts";

const RECURSIVE = /^-[a-zA-Z]*[rRa]|^--(r|a)/;
const AS_ONE = /^-[a-zA-Z]*T|^--no-t/;
const TARGET = /^(?:-[a-zA-Z]*?t|--target-directory=?)(.*)$/s;

/** Options that take no value and change nothing about which operand is the target. */
const PLAIN_OPTIONS = new Map([
  [
    "cp",
    /^-[abdfinprRuvxHLPZ]*$|^--(recursive|archive|force|verbose|preserve|no-clobber|update|parents)$|^--$/,
  ],
  ["mv", /^-[fivnub]*$|^--(force|verbose|no-clobber)$|^--$/],
  ["rsync", /^-[arvzunhPxHqc]*$|^--(archive|verbose|delete|dry-run|progress|recursive)$|^--$/],
  ["scp", /^-[rvqCp]*$/],
  ["ln", /^-[sfnvrbi]*$|^--(symbolic|force|no-dereference)$|^--$/],
]);

/** True when the last operand is certainly the target, and what stands before it is only read. */
export function hasPlainOptions(name: string, args: string[]): boolean {
  const plain = PLAIN_OPTIONS.get(name);
  return plain !== undefined && args.every((word) => !word.startsWith("-") || plain.test(word));
}

/** The places that `rm`, `mv`, `cp`, `rsync`, `ln` and `install` remove, or put something in the place of, whole. */
export function listReplaced(words: string[]): string[] {
  const name = toProgramName(words[0] ?? "");
  const args = words.slice(1);
  const operands = args.filter((word) => !word.startsWith("-"));
  const recursive = args.some((word) => RECURSIVE.test(word));
  if (name === "rm") return recursive ? operands : [];
  if (!/^(mv|cp|rsync|ln|install)$/.test(name)) return [];
  const option = name === "rsync" ? -1 : args.findIndex((word) => TARGET.test(word));
  const named = option === -1 ? undefined : TARGET.exec(args[option] ?? "")?.[1] || args[option + 1];
  // Behind an option that is not known the target can stand anywhere.
  const targets = named !== undefined ? [named] : hasPlainOptions(name, args) ? operands.slice(-1) : operands;
  const whole = args.some((word) => AS_ONE.test(word));
  const onto = targets.flatMap((target) =>
    operands
      .filter((source, index) => source !== target || index < operands.length - 1)
      // `cp -r new/. x` and `rsync -a new/ x` put what is in the folder into x, not the folder itself.
      .map((source) =>
        whole || (recursive && /(^|\/)\.{0,2}$/.test(source)) ? target : `${target}/${basename(source)}`,
      ),
  );
  return name === "mv" ? [...operands.filter((word) => !targets.includes(word)), ...onto] : onto;
}

/** True for a folder with the workspace, the home, a skill or our own folders in it: what replaces it replaces those. */
export function holdsProtected(path: string, policy: Policy): boolean {
  const { workspace, home, skillFolders, ownFolders = [] } = policy;
  return [workspace, home, ...skillFolders, ...ownFolders].some((folder) => isInside(path, folder));
}
