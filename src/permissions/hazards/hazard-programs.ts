import { isStream } from "../command/stream.ts";
import { findOption, type OptionNames, toOptions } from "./hazard-options.ts";

type Check = (args: string[]) => string | undefined;

// A program text that Python, Node and others take from the command line, or a module to load before it.
const NODE_OPTIONS =
  "--eval --print --require --import --loader --experimental-loader --interactive --env-file --env-file-if-exists";
const INTERPRETERS = new Map<string, OptionNames>([
  ["python", toOptions("", "ci")],
  ["pypy", toOptions("", "ci")],
  ["node", toOptions(NODE_OPTIONS, "epri")],
  ["nodejs", toOptions(NODE_OPTIONS, "epri")],
  ["tsx", toOptions("--eval --print --require --import", "epri")],
  ["bun", toOptions("--eval --print --preload", "epr")],
  ["deno", toOptions("--preload --import", "")],
  ["ruby", toOptions("", "erI")],
  ["perl", toOptions("", "deEiMmI")],
  ["php", toOptions("--run --process-code --process-begin --process-end --interactive", "arRBEd")],
  ["lua", toOptions("", "eil")],
  ["osascript", toOptions("", "e")],
  ["Rscript", toOptions("--eval", "e")],
  ["julia", toOptions("--eval --print --load", "eEiL")],
  ["guile", toOptions("", "cel")],
  ["groovy", toOptions("", "e")],
  ["elixir", toOptions("--eval --rpc-eval", "er")],
  ["octave", toOptions("--eval --persist", "")],
  ["racket", toOptions("--eval --load --require", "efiIrt")],
  ["sbcl", toOptions("--eval --load", "")],
  ["tclsh", toOptions("", "")],
]);
/** Python's modules that run a text from their words or from what they are sent. */
const CODE_MODULE = /^(timeit|code|pdb|bdb|asyncio|idlelib|_?pyrepl|IPython)(\.|$)/;
const NEEDS_NO_SCRIPT = /^(-V|-v|-h|--version|--help|--test|-m.+)$/;

const CHECKS = new Map<string, Check>([
  ["git", findGitHazard],
  ["sed", findSedHazard],
  ["gsed", findSedHazard],
  ...["awk", "gawk", "mawk", "nawk", "original-awk"].map((name): [string, Check] => [name, findAwkHazard]),
]);

/** Hazards that need a look at the program text or the subcommand; undefined when there is none. */
export function findProgramHazard(name: string, args: string[]): string | undefined {
  const versionless = name.replace(/[\d.]+$/, "");
  const names = INTERPRETERS.get(versionless);
  const culprit = names ? findInterpreterHazard(args, names) : CHECKS.get(name)?.(args);
  return culprit === undefined ? undefined : `${name} ${culprit}`;
}

function findInterpreterHazard(args: string[], names: OptionNames): string | undefined {
  const first = args[0];
  if (first === "eval" || first === "repl") return first;
  // Behind a script that comes first stand the script's own arguments.
  if (first !== undefined && !first.startsWith("-")) return isStream(first) ? first : undefined;
  const option = findOption(args, names);
  if (option !== undefined) return option;
  const code = args.find(
    (word, index) => isStream(word) || CODE_MODULE.test(toModule(word, args[index - 1])),
  );
  if (code !== undefined) return code;
  const operands = args.filter((word) => !word.startsWith("-"));
  if (args.some((word) => NEEDS_NO_SCRIPT.test(word))) return undefined;
  return operands.length === 0 || args.includes("-") ? "without a script" : undefined;
}

/** `x` of `-m x` and `-mx`. */
function toModule(word: string, before = ""): string {
  return /^-[a-zA-Z]*m$/.test(before) ? word : (/^-[a-zA-Z]*?m(.+)$/.exec(word)?.[1] ?? "");
}

const GIT_OPTIONS_BEFORE = /^(--version|--help|--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/;
const GIT_OPTIONS = toOptions(
  `--output --ext-diff --textconv --upload-pack --receive-pack --exec --extcmd --open-files-in-pager --template --config
  --help --trailer --strategy --filters --output-directory --export-marks --edit-description --httpd --interactive --exec-path --index-output`,
  "",
);
const GIT_SHORT_OPTIONS = new Map<string, RegExp>([
  ["grep", /^-[a-zA-Z]*O/],
  ["archive", /^-[a-zA-Z]*o/],
  ["format-patch", /^-[a-zA-Z]*o/],
  ["rebase", /^-[a-z]*[xis]/],
  ["pull", /^-[a-z]*s/],
  ["difftool", /^-/],
  ["clone", /^-[a-z]*[cu]/],
  ["ls-remote", /^-u/],
]);
const GIT_RUNNERS = new Set(
  `filter-branch submodule difftool mergetool bisect hook gui daemon instaweb send-email credential for-each-repo
  shell merge-index merge-one-file remote-ext remote-fd credential-store credential-cache quiltimport citool
  help interpret-trailers maintenance p4 cvsimport svn archimport web--browse fast-export bundle`.split(
    /\s+/,
  ),
);
const GIT_CONFIG_SCOPE = /^--(global|local|system|worktree)$/;
const GIT_CONFIG_READS =
  /^(--get|--get-all|--get-regexp|--get-urlmatch|--get-color(bool)?|--list|-l|get|list)$/;
const GIT_CONFIG_WRITES =
  /^(--a|--uns|--rep|--ren|--rem|--e|-e$|set$|unset$|edit$|rename-section$|remove-section$)/;

function findGitHazard(args: string[]): string | undefined {
  const index = args.findIndex((word) => !GIT_OPTIONS_BEFORE.test(word));
  const subcommand = args[index];
  if (index === -1 || subcommand === undefined) return undefined;
  if (subcommand.startsWith("-")) return subcommand;
  // `git --help status` is `git help status`, which runs the viewer that settings name.
  if (args.slice(0, index).includes("--help")) return "--help";
  const rest = args.slice(index + 1);
  if (GIT_RUNNERS.has(subcommand)) return subcommand;
  if (subcommand === "config") return changesGitSettings(rest) ? "config" : undefined;
  if (subcommand === "archive" && !isPlainArchive(rest)) return "archive --format";
  const short = GIT_SHORT_OPTIONS.get(subcommand);
  return findOption(rest, GIT_OPTIONS) ?? rest.find((word) => short?.test(word) || /^(ext|fd)::/.test(word));
}

/** Whatever else is not built in is made by a program that settings name. */
function isPlainArchive(args: string[]): boolean {
  return args.every((word, index) => {
    if (/^--fo?r?m?a?t?$/.test(word)) return /^(tar|zip)$/.test(args[index + 1] ?? "");
    return !/^--fo?r?m?a?t?=/.test(word) || /=(tar|zip)$/.test(word);
  });
}

/** True for `git config` arguments that are not certainly a look: settings name programs that git runs. */
export function changesGitSettings(args: string[]): boolean {
  const rest = args.filter((word) => !GIT_CONFIG_SCOPE.test(word));
  if (rest.some((word) => GIT_CONFIG_WRITES.test(word))) return true;
  if (GIT_CONFIG_READS.test(rest[0] ?? "")) return false;
  return !(rest.length === 1 && !rest[0]?.startsWith("-"));
}

// `e` runs, `w` and `s///w` write, `r` reads: only line selection and plain replacement are known to be harmless.
const MAX_SED_LENGTH = 1000;
const SED_ADDRESS = String.raw`(?:\d+|\$|/${toSedText("/")}/I?)`;
const SED_REPLACE = ["/", "\\|", "#"]
  .map((mark) => `s${mark}${toSedText(mark)}${mark}${toSedText(mark)}${mark}[gpiI0-9]*`)
  .join("|");
const SED_COMMAND = `(?:${SED_ADDRESS}(?:,${SED_ADDRESS})?)? ?!? ?(?:[pdq=]|${SED_REPLACE})`;
const HARMLESS_SED = new RegExp(`^ ?${SED_COMMAND}(?: ?; ?${SED_COMMAND})* ?;? ?$`);

function findSedHazard(args: string[]): string | undefined {
  const option = findOption(args, toOptions("--in-place --file --line-length", "iIfl"));
  if (option !== undefined) return option;
  // Behind "--" stand files, also where they look like options, and before them the script if there is none yet.
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  const scripts = own.flatMap((word, index) => {
    if (/^(-[a-zA-Z]*e|--e[a-z]*)$/.test(own[index - 1] ?? "")) return [word];
    const attached = /^(?:-[a-zA-Z]*?e|--e[a-z]*=)(.+)$/s.exec(word)?.[1];
    return attached === undefined ? [] : [attached];
  });
  const first = own.find((word) => !word.startsWith("-")) ?? args[own.length + 1];
  if (scripts.length === 0 && first !== undefined) scripts.push(first);
  return scripts.find((script) => !isHarmlessSed(script));
}

function isHarmlessSed(script: string): boolean {
  const short = script.replace(/[ \t]+/g, " ");
  return short.length <= MAX_SED_LENGTH && HARMLESS_SED.test(short);
}

/** Text up to a mark; a mark inside brackets ends it in one sed and not in another, so it is not accepted. */
function toSedText(mark: string): string {
  return String.raw`(?:[^${mark}\\\n[]|\\.|\[\^?\]?[^\]${mark}\n]*\])*`;
}

function findAwkHazard(args: string[]): string | undefined {
  const option = args.find(
    (word) => /^-/.test(word) && !/^(-F|-v|--$|--version$|--field-separator|--assign)/.test(word),
  );
  if (option !== undefined) return option;
  const text = args.join("\n");
  // Output goes to a file or a command only behind a print; strings and regular expressions are not told apart.
  const printed = text.indexOf("print");
  if (printed !== -1 && Math.max(text.lastIndexOf("|"), text.lastIndexOf(">")) > printed) return "print";
  return /system|getline|@/.exec(text)?.[0];
}
