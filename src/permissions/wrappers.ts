import { readCommand } from "./command.ts";
import { SHELLS, type SimpleCommand, toProgramName } from "./scan.ts";

/** How to get from a wrapper's arguments to the command it runs. */
interface Wrapper {
  /** Short options that take the next word. */
  valued: string;
  /** Words of its own before the command. */
  operands: number;
}

const WRAPPERS = new Map<string, Wrapper>([
  ...["nohup", "setsid", "builtin", "command", "coproc", "unbuffer", "eval"].map(
    (name): [string, Wrapper] => [name, { valued: "", operands: 0 }],
  ),
  ["env", { valued: "uC", operands: 0 }],
  ["timeout", { valued: "sk", operands: 1 }],
  ["nice", { valued: "n", operands: 0 }],
  ["ionice", { valued: "cnpPu", operands: 0 }],
  ["stdbuf", { valued: "ioe", operands: 0 }],
  ["time", { valued: "fo", operands: 0 }],
  ["exec", { valued: "a", operands: 0 }],
  ["xargs", { valued: "IEdLnPsa", operands: 0 }],
  ["parallel", { valued: "jIn", operands: 0 }],
  ["sudo", { valued: "ugpCrtTDRhU", operands: 0 }],
  ["doas", { valued: "uC", operands: 0 }],
  ["taskset", { valued: "", operands: 1 }],
  ["chrt", { valued: "TPD", operands: 1 }],
  ["flock", { valued: "wE", operands: 1 }],
  ["chroot", { valued: "", operands: 1 }],
  ["strace", { valued: "eoOpsSuEaIbPX", operands: 0 }],
  ["watch", { valued: "n", operands: 0 }],
  ["caffeinate", { valued: "tw", operands: 0 }],
  ["busybox", { valued: "", operands: 0 }],
]);

const VALUED_LONG_OPTIONS = new Set(
  "signal kill-after adjustment unset chdir class classdata user group prompt input output error max-args".split(
    " ",
  ),
);

const GIT_VALUED = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--config-env",
  "--super-prefix",
]);

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** How many words may be looked at behind wrappers, and where to look in what goes beyond. */
const WORD_BUDGET = 100_000;
const LAST_WORDS = 50;

/** Variables that make a program load foreign code: no rule and no mode lets them pass. */
const LOADER_VARIABLE = /^(LD_\w+|DYLD_\w+|GCONV_PATH|BASH_ENV|BASH_FUNC_\w+(%%)?)\+?=/;

/** The first word or assignment that sets a loader variable such as `LD_PRELOAD`. */
export function findLoaderVariable(command: SimpleCommand): string | undefined {
  return [...command.assignments, ...command.words].find((word) => LOADER_VARIABLE.test(word));
}

/** One layer off: `timeout 5 git push` → `git push`, `git -C /x push` → `git push`; undefined without a layer. */
export function unwrapWords(words: string[]): string[] | undefined {
  const name = toProgramName(words[0] ?? "");
  if (name === "git") return unwrapGit(words);
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return undefined;
  let index = 1;
  for (let word = words[index]; word !== undefined; word = words[index]) {
    if (word === "--") {
      index += 1;
      break;
    }
    if (!word.startsWith("-") && !ASSIGNMENT.test(word)) break;
    index += takesNextWord(word, wrapper.valued) ? 2 : 1;
  }
  const inner = words.slice(index + wrapper.operands);
  return inner.length === 0 ? undefined : inner;
}

/**
 * The commands and everything that they are known to run: behind wrappers, in the text of `sh -c` and `eval`,
 * in `find -exec`, and in what `echo` sends to a shell. For deny rules, which must see too much rather than too
 * little; allow rules look at the commands as they stand.
 */
export function listInnerCommands(commands: SimpleCommand[]): SimpleCommand[] {
  const found = [...commands];
  if (commands.some(({ words }) => readsProgram(words))) {
    found.push(...listPrinted(commands).flatMap((text) => readCommand(text).commands));
  }
  let budget = WORD_BUDGET;
  for (let index = 0; index < found.length; index += 1) {
    const words = found[index]?.words ?? [];
    if (budget < 0) continue;
    const inner = listNextLayer(words);
    budget -= inner.reduce((sum, command) => sum + command.words.length, 0);
    found.push(...(budget < 0 ? listEndings(words) : inner));
  }
  return found;
}

/** What a command runs directly. Every layer is shorter than the one around it. */
function listNextLayer(words: string[]): SimpleCommand[] {
  const texts = listInnerTexts(words);
  if (texts.length > 0) return texts.flatMap((text) => readCommand(text).commands);
  const unwrapped = unwrapWords(words);
  return [...(unwrapped === undefined ? [] : [unwrapped]), ...findExecuted(words)].map(toCommand);
}

function listEndings(words: string[]): SimpleCommand[] {
  const last = words.slice(-LAST_WORDS);
  return last.map((_, index) => toCommand(last.slice(index)));
}

function toCommand(words: string[]): SimpleCommand {
  return { words, writes: [], reads: [], assignments: [] };
}

function takesNextWord(word: string, valued: string): boolean {
  if (word.startsWith("--")) return VALUED_LONG_OPTIONS.has(word.slice(2));
  return word.startsWith("-") && word.length >= 2 && valued.includes(word.at(-1) ?? "-");
}

function unwrapGit(words: string[]): string[] | undefined {
  let index = 1;
  for (let word = words[index]; word?.startsWith("-"); word = words[index]) {
    index += GIT_VALUED.has(word) ? 2 : 1;
  }
  return index === 1 || index >= words.length ? undefined : ["git", ...words.slice(index)];
}

function findExecuted(words: string[]): string[][] {
  const found: string[][] = [];
  for (let index = 1; index < words.length; index += 1) {
    if (!/^-(exec|execdir|ok|okdir|x|X)$|^--exec(-batch)?$/.test(words[index] ?? "")) continue;
    const start = index + 1;
    const length = words.slice(start).findIndex((item) => item === ";" || item === "+");
    const end = length === -1 ? words.length : start + length;
    if (end > start) found.push(words.slice(start, end));
    index = end;
  }
  return found;
}

function listInnerTexts(words: string[]): string[] {
  const name = toProgramName(words[0] ?? "");
  const rest = words.slice(1);
  if (name === "eval") {
    const text = words.slice(words.findIndex((word) => word !== "eval")).join(" ");
    return /[^\w\s./=-]/.test(text) || rest.some((word) => /\s/.test(word)) ? [text] : [];
  }
  if (name === "watch") return [(unwrapWords(words) ?? []).join(" ")];
  if (name === "trap") return [rest.join(" ")];
  if (name === "env") return listSplitStrings(rest);
  if (!SHELLS.has(name) && name !== "su" && name !== "script" && name !== "flock") return [];
  const option = rest.findIndex((word) => /^-[A-Za-z]*c$|^--command$/.test(word));
  return option === -1 ? [] : rest.slice(option + 1).filter((word) => !word.startsWith("-"));
}

/** A shell without a script runs what it is sent. */
function readsProgram(words: string[]): boolean {
  return SHELLS.has(toProgramName(words[0] ?? "")) && words.slice(1).every((word) => word.startsWith("-"));
}

/** `env -S text more` splits the text and goes on with the rest. */
function listSplitStrings(rest: string[]): string[] {
  const index = rest.findIndex((word) => /^-[a-z]*S|^--split-string/.test(word));
  if (index === -1) return [];
  const attached = (rest[index] ?? "").replace(/^(-[a-z]*S|--split-string=?)/, "");
  return [[attached, ...rest.slice(index + 1)].join(" ")];
}

function listPrinted(commands: SimpleCommand[]): string[] {
  const printers = commands.filter((command) => /^(echo|printf)$/.test(command.words[0] ?? ""));
  return printers.flatMap(({ words }) => [
    words.slice(1).join(" "),
    ...(words.length > 2 ? words.slice(1) : []),
  ]);
}
