import { toProgramName } from "../command/scan.ts";

/** What a command writes or removes, as spelled; `into`: a target that, where it is a folder, receives the source. */
export interface WrittenWords {
  files: string[];
  into: { target: string; source: string }[];
}

/** Programs that write or remove each file they are given, and their options that take the next word. */
const EACH = new Map([
  ["tee", ""],
  ["touch", "drt"],
  ["mkdir", "m"],
  ["rmdir", ""],
  ["rm", ""],
  ["unlink", ""],
  ["shred", "nsr"],
  ["truncate", "sr"],
  ["mkfifo", "m"],
]);
/** The same behind a first word that is no file. */
const EACH_BUT_FIRST = new Set(["chmod", "chown", "chgrp"]);
/** The last one is written; `mv` removes the others. */
const COPIERS = new Set(["cp", "mv", "ln", "install"]);
/** Programs that write the file behind an option. */
const OUTPUT_OPTIONS = new Map([
  ["curl", /^(?:-[a-zA-Z]*o|--output)$/],
  ["wget", /^(?:-[a-zA-Z]*O|--output-document)$/],
  ["sort", /^(?:-[a-zA-Z]*o|--output)$/],
]);

/** The words of a command that name what it writes or removes, for programs that are known. */
export function listWritten(words: string[]): WrittenWords {
  const name = toProgramName(words[0] ?? "");
  const args = words.slice(1);
  const valued = EACH.get(name);
  if (valued !== undefined) return only(listOperands(args, valued));
  if (EACH_BUT_FIRST.has(name)) return only(listOperands(args, "").slice(1));
  if (COPIERS.has(name)) return listCopied(name, args);
  if (name === "sed") return only(listEdited(args));
  if (name === "dd") return only(args.filter((word) => word.startsWith("of=")).map((word) => word.slice(3)));
  const option = OUTPUT_OPTIONS.get(name);
  return only(option === undefined ? [] : args.filter((_, index) => option.test(args[index - 1] ?? "")));
}

function listCopied(name: string, args: string[]): WrittenWords {
  const index = args.findIndex((word) => /^(-[a-zA-Z]*t|--target-directory)$/.test(word));
  const attached = args.find((word) => word.startsWith("--target-directory="))?.slice(19);
  const named = attached ?? (index === -1 ? undefined : args[index + 1]);
  const operands = listOperands(
    index === -1 ? args : args.filter((_, at) => at !== index && at !== index + 1),
    "mgoS",
  );
  const sources = named === undefined ? operands.slice(0, -1) : operands;
  const target = named ?? operands.at(-1);
  if (target === undefined || sources.length === 0) return only([]);
  return { files: name === "mv" ? sources : [], into: sources.map((source) => ({ target, source })) };
}

/** The files of `sed -i`. */
function listEdited(args: string[]): string[] {
  if (!args.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word))) return [];
  const hasScript = args.some((word) => /^(-[a-zA-Z]*[ef]|--(expression|file))/.test(word));
  return listOperands(args, "efl").slice(hasScript ? 0 : 1);
}

function listOperands(args: string[], valued: string): string[] {
  const end = args.indexOf("--");
  return args.filter((word, index) => {
    if (end !== -1 && index >= end) return index > end;
    const before = args[index - 1] ?? "";
    const isValue = /^-[a-zA-Z]+$/.test(before) && valued.includes(before.at(-1) ?? "-");
    return !isValue && (word === "-" || !word.startsWith("-"));
  });
}

function only(files: string[]): WrittenWords {
  return { files, into: [] };
}
