import { type SimpleCommand, toProgramName } from "./scan.ts";

/** How to get from a wrapper's arguments to the command it runs. */
interface Wrapper {
  /** Short options that take the next word. */
  valued: string;
  /** Words of its own before the command. */
  operands: number;
  /** Its options are not known here, so that the command may begin at any word. */
  loose?: boolean;
}

const LOOSE_WRAPPERS =
  `toybox setarch linux32 linux64 x86_64 i386 uname26 prlimit setpriv unshare nsenter runuser
  fakeroot ltrace perf valgrind systemd-run dbus-run-session pkexec start-stop-daemon rlwrap proxychains proxychains4
  torsocks torify catchsegv numactl firejail bwrap eatmydata chpst softlimit setlock cgexec cpulimit choom uclampset
  trickle schedtool daemonize tini dumb-init gosu su-exec ssh-agent xvfb-run winpty script noglob nocorrect
  ld.so`.split(/\s+/);
/** `/lib64/ld-linux-x86-64.so.2 /bin/rm x` runs what it is given. */
const LOADER = /^ld(-[\w.-]+)?\.so(\.\d+)*$/;

const WRAPPERS = new Map<string, Wrapper>([
  ...["nohup", "setsid", "builtin", "command", "coproc", "unbuffer", "eval"].map(
    (name): [string, Wrapper] => [name, { valued: "", operands: 0 }],
  ),
  ["env", { valued: "uCa", operands: 0 }],
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
  ...LOOSE_WRAPPERS.map((name): [string, Wrapper] => [name, { valued: "", operands: 0, loose: true }]),
]);

const VALUED_LONG_OPTIONS = new Set(
  `signal kill-after adjustment unset chdir class classdata user group prompt input output error max-args max-procs
  max-lines max-chars arg-file delimiter argv0 host role type close-from`.split(/\s+/),
);

const GIT_VALUED = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--config-env",
  "--super-prefix",
  "--attr-source",
]);

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** Variables that make a program load foreign code: no rule and no mode lets them pass. */
const LOADER_VARIABLE = /^(LD_\w+|DYLD_\w+|GCONV_PATH|BASH_ENV|BASH_FUNC_\w+(%%)?)\+?=/;

/** The first word or assignment that sets a loader variable such as `LD_PRELOAD`. */
export function findLoaderVariable(command: SimpleCommand): string | undefined {
  return [...command.assignments, ...command.words].find((word) => LOADER_VARIABLE.test(word));
}

/** More ways than these to take a layer off are not looked at; one more is returned to tell. */
export const MAX_UNWRAPPED = 50;

/** True for a program that runs the command in its words. */
export function isWrapper(name: string): boolean {
  return WRAPPERS.has(name) || LOADER.test(name);
}

/** One layer off: `timeout 5 git push` → `git push`, `git -C /x push` → `git push`; undefined without a layer. */
export function unwrapWords(words: string[]): string[] | undefined {
  return listUnwrapped(words)[0];
}

/**
 * One layer off in every way that is possible: whether an unknown long option takes the next word is not known,
 * so each word that could begin the command does. The likeliest comes first.
 */
export function listUnwrapped(words: string[]): string[][] {
  const name = toProgramName(words[0] ?? "");
  if (name === "git") return unwrapGit(words);
  if (name.startsWith("git-")) return [["git", name.slice("git-".length), ...words.slice(1)]];
  const wrapper = LOADER.test(name) ? WRAPPERS.get("ld.so") : WRAPPERS.get(name);
  if (wrapper === undefined) return [];
  const first = skipOptions(words, wrapper, false);
  const last = wrapper.loose ? words.length - 1 : skipOptions(words, wrapper, true);
  const found: string[][] = [];
  for (let index = first; index <= last && found.length <= MAX_UNWRAPPED; index += 1) {
    const inner = words.slice(index + wrapper.operands);
    if (inner.length > 0 && (index === first || !inner[0]?.startsWith("-"))) found.push(inner);
  }
  return found;
}

/** The index behind a wrapper's options; `greedy` lets unknown long ones take the next word. */
function skipOptions(words: string[], wrapper: Wrapper, greedy: boolean): number {
  let index = 1;
  for (let word = words[index]; word !== undefined; word = words[index]) {
    if (word === "--") return skipAssignments(words, index + 1);
    if (!word.startsWith("-") && !ASSIGNMENT.test(word)) return index;
    const unknown =
      greedy && word.startsWith("--") && !word.includes("=") && !words[index + 1]?.startsWith("-");
    index += unknown || takesNextWord(word, wrapper.valued) ? 2 : 1;
  }
  return index;
}

function skipAssignments(words: string[], start: number): number {
  let index = start;
  while (ASSIGNMENT.test(words[index] ?? "")) index += 1;
  return index;
}

function takesNextWord(word: string, valued: string): boolean {
  if (word.startsWith("--")) return VALUED_LONG_OPTIONS.has(word.slice(2));
  return word.startsWith("-") && word.length >= 2 && valued.includes(word.at(-1) ?? "-");
}

function unwrapGit(words: string[]): string[][] {
  let index = 1;
  for (let word = words[index]; word?.startsWith("-"); word = words[index]) {
    index += GIT_VALUED.has(word) ? 2 : 1;
  }
  return index === 1 || index >= words.length ? [] : [["git", ...words.slice(index)]];
}

/** The commands in `find -exec` and `fd -x`. */
export function listExecuted(words: string[]): string[][] {
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
