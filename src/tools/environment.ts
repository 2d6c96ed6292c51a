import { delimiter, isAbsolute } from "node:path";

const PASSED = new Set(["PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL"]);
const PASSED_PREFIX = "LC_";
const SECRET_NAME = /key|token|secret|passw|credential|auth/i;
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/** Nothing waits for an editor, a pager or a prompt: there is no terminal to answer at. */
const NEUTRAL: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  EDITOR: "true",
  VISUAL: "true",
  PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_NOSYSTEM: "1",
};

/**
 * Settings that win over those of a repository: a hostile one would run a program of its own at `git status`,
 * and quoted paths could not be opened as they are printed.
 */
const GIT_SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["core.quotePath", "false"],
];

/**
 * The environment that commands see: an allow-list, so that no model key, loader variable or shell start file
 * passes, and neutral settings for editors, pagers and git.
 *
 * @param source - The environment of this process.
 * @returns A new object; `PATH` holds absolute folders only.
 */
export function reduceEnvironment(source: Record<string, string | undefined>): Record<string, string> {
  const passed = Object.entries(source).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassed(entry[0]),
  );
  return { ...Object.fromEntries(passed), PATH: toSafePath(source.PATH), ...NEUTRAL, ...toGitVariables() };
}

function isPassed(name: string): boolean {
  return (PASSED.has(name) || name.startsWith(PASSED_PREFIX)) && !SECRET_NAME.test(name);
}

/** A relative entry would find programs in the workspace before those of the system. */
function toSafePath(path: string | undefined): string {
  const folders = (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.length === 0 ? DEFAULT_PATH : folders.join(delimiter);
}

function toGitVariables(): Record<string, string> {
  const entries = GIT_SETTINGS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(GIT_SETTINGS.length), ...Object.fromEntries(entries) };
}
