import type { FlagSpec } from "./arguments.ts";

/** A subcommand of git that only reads with these flags. */
export interface ReadingGitCommand extends FlagSpec {
  /** What it may be given besides flags: revisions and paths, one of these words first, or nothing. */
  operands: "any" | "none" | { first: string; required?: boolean };
  /** With one of these flags it takes operands after all: they make a list of what would else be created. */
  listFlags?: string[];
  /** Without `-e` the first operand is a pattern. */
  hasPattern?: boolean;
  /** It looks at the files of the working tree, and at what is in nested repositories. */
  comparesFiles?: boolean;
  /** It shows what is in files: always, or with one of these flags. */
  shows?: "always" | string[];
}

// `-U` takes no word behind it, whatever its manual says.
const DIFF_SHORT = "puszwbRaWcmCMU?S:G:";
const DIFF_LONG = `patch no-patch stat? shortstat numstat name-only name-status raw summary dirstat? compact-summary
  unified= word-diff? word-diff-regex= color? no-color color-words? color-moved? ignore-all-space ignore-space-change
  ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol minimal patience histogram diff-algorithm= find-renames?
  find-copies? find-copies-harder no-renames diff-filter= pickaxe-all pickaxe-regex no-ext-diff no-textconv
  ignore-submodules? exit-code quiet check full-index binary abbrev? function-context inter-hunk-context=
  no-prefix cc merge-base`;
const LOG_SHORT = "iEFPqgn:";
const LOG_LONG = `oneline max-count: skip: since: until: after: before: author: committer: grep: graph all branches?
  tags? remotes? decorate? no-decorate regexp-ignore-case extended-regexp fixed-strings perl-regexp invert-grep
  all-match no-merges merges first-parent reverse date= format= pretty? abbrev-commit no-abbrev-commit follow
  topo-order date-order author-date-order left-right cherry-pick cherry-mark cherry boundary ancestry-path
  simplify-by-decoration full-history source no-notes parents children walk-reflogs no-walk no-mailmap relative-date
  expand-tabs? no-expand-tabs show-pulls count left-only right-only`;
const LOG: ReadingGitCommand = {
  short: `${DIFF_SHORT}${LOG_SHORT}L:`,
  long: `${DIFF_LONG} ${LOG_LONG}`,
  numbers: true,
  operands: "any",
  shows: [
    ...["p", "u", "U", "S", "G", "L", "c", "m", "W", "patch", "unified", "word-diff", "word-diff-regex"],
    ...[
      "color-words",
      "color-moved",
      "cc",
      "binary",
      "function-context",
      "inter-hunk-context",
      "check",
      "raw",
    ],
  ],
};
const REFERENCES =
  "sort= format= contains+ no-contains+ merged+ no-merged+ points-at: ignore-case color? column? no-column";

export const READING_GIT_COMMANDS = new Map<string, ReadingGitCommand>([
  [
    "status",
    {
      short: "sbvzu?",
      long: `short branch porcelain? long verbose untracked-files? ignored? show-stash ahead-behind no-ahead-behind renames
        no-renames find-renames? ignore-submodules? column? no-column null`,
      operands: "any",
      comparesFiles: true,
      shows: ["v", "verbose"],
    },
  ],
  [
    "diff",
    {
      short: DIFF_SHORT,
      long: `${DIFF_LONG} cached staged`,
      operands: "any",
      comparesFiles: true,
      shows: "always",
    },
  ],
  ["log", LOG],
  ["show", { ...LOG, shows: "always" }],
  [
    "shortlog",
    {
      short: "nsecqn",
      long: "numbered summary email committer since: until: no-merges group= all",
      operands: "any",
    },
  ],
  ["stash", { ...LOG, operands: { first: "list", required: true } }],
  ["reflog", { ...LOG, operands: { first: "show" } }],
  [
    "blame",
    {
      short: "wMClstefncpL:",
      long: `line-porcelain porcelain show-email show-name show-number root incremental date= since: abbrev= color-lines
        color-by-age no-progress`,
      operands: "any",
    },
  ],
  [
    "grep",
    {
      short: "iIvnchHlLoqwEFPGWpzaA:B:C:m:e:",
      long: `ignore-case invert-match line-number column count files-with-matches name-only files-without-match
        only-matching quiet word-regexp extended-regexp fixed-strings perl-regexp basic-regexp cached function-context
        show-function heading break no-color color? all-match and or not max-depth= full-name null no-textconv`,
      numbers: true,
      operands: "any",
      hasPattern: true,
      shows: "always",
    },
  ],
  [
    "ls-files",
    {
      short: "cdmosukvtziq",
      long: `cached deleted modified others stage unmerged killed ignored exclude-standard directory no-empty-directory
        error-unmatch full-name abbrev? eol deduplicate`,
      operands: "any",
    },
  ],
  [
    "ls-tree",
    {
      short: "rdtlz",
      long: "name-only name-status long full-name full-tree abbrev? object-only format=",
      operands: "any",
    },
  ],
  [
    "rev-parse",
    {
      short: "q",
      long: `verify quiet short? abbrev-ref? symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir
        absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository
        is-shallow-repository show-superproject-working-tree all branches? tags? remotes? revs-only no-revs`,
      operands: "any",
    },
  ],
  ["rev-list", { short: LOG_SHORT, long: LOG_LONG, numbers: true, operands: "any" }],
  [
    "describe",
    {
      long: "tags all always long exact-match first-parent abbrev= match= exclude= candidates=",
      operands: "any",
    },
  ],
  ["cat-file", { short: "tsep", operands: "any", shows: "always" }],
  ["name-rev", { long: "name-only tags always refs= exclude= no-undefined", operands: "any" }],
  ["merge-base", { short: "a", long: "all octopus independent is-ancestor fork-point", operands: "any" }],
  [
    "diff-tree",
    {
      short: `${DIFF_SHORT}rtv`,
      long: `${DIFF_LONG} no-commit-id root always format= pretty?`,
      operands: "any",
      shows: "always",
    },
  ],
  ["for-each-ref", { long: `count= ${REFERENCES}`, operands: "any" }],
  [
    "show-ref",
    { short: "dsq", long: "head heads tags dereference hash? verify quiet abbrev?", operands: "any" },
  ],
  [
    "branch",
    {
      short: "arvi",
      long: `all remotes list show-current verbose no-abbrev abbrev= ${REFERENCES}`,
      operands: "none",
      listFlags: ["list"],
    },
  ],
  ["tag", { short: "lin?", long: `list ${REFERENCES}`, operands: "none", listFlags: ["l", "list"] }],
  ["remote", { short: "v", long: "verbose", operands: { first: "get-url" } }],
  ["worktree", { short: "vz", long: "porcelain verbose", operands: { first: "list", required: true } }],
  ["check-ignore", { short: "vnq", long: "verbose non-matching quiet no-index", operands: "any" }],
  ["count-objects", { short: "vH", long: "verbose human-readable", operands: "none" }],
  [
    "config",
    {
      short: "lz",
      long: "get get-all list local show-origin show-scope name-only null bool int type=",
      operands: "any",
    },
  ],
]);

/** Formats with these run gpg to verify a signature. */
const SIGNATURE_FORMAT = /%[-+ ]?G|signature/;
const FORMATS = ["format", "pretty", "sort"];
/** Settings that are no secret, wherever they stand. */
const PLAIN_SETTING =
  /^(user|author|committer|core|init|remote|branch|color|diff|merge|pull|push|fetch|rebase|commit|log|status)\./i;

/** Why values of flags, or operands, make more of a subcommand; the culprit. */
export function findGitCulprit(
  name: string,
  flags: Map<string, string>,
  operands: string[],
): string | undefined {
  const format = FORMATS.find((flag) => SIGNATURE_FORMAT.test(flags.get(flag) ?? ""));
  if (format !== undefined) return `--${format}=${flags.get(format)}`;
  if (name !== "config") return undefined;
  // Without a scope the list shows what the person keeps in the home folder.
  if (flags.has("list") || flags.has("l")) {
    if (!flags.has("local")) return "--list without --local";
    return operands[0];
  }
  if (!flags.has("get") && !flags.has("get-all")) return "config without --get";
  const [setting = "", ...others] = operands;
  return others.length > 0 || !PLAIN_SETTING.test(setting) ? (others[0] ?? setting) : undefined;
}
