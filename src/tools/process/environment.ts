import { delimiter, isAbsolute, normalize } from "node:path";
import { isInside, toRealPath } from "../../permissions/places/real-path.ts";
import { findHomeFolder } from "../home.ts";

/** By whole names: a prefix such as `LC_` would also pass what a person keeps under `LC_API_KEY`. */
const PASSED = new Set([
  ...["PATH", "HOME", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL"],
  ...["LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_COLLATE", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"],
  ...["LC_PAPER", "LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"],
]);
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/** Marks what an agent started: `skillgraph trust` takes no word from there. */
export const RUN_MARK = "SKILLGRAPH_RUN";

/** Nothing waits for an editor, a pager or a prompt: there is no terminal to answer at. */
const NEUTRAL: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  EDITOR: "true",
  VISUAL: "true",
  PAGER: "cat",
  SSH_ASKPASS: "true",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_PAGER: "cat",
  GIT_ASKPASS: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  // Running a skill's script must not change the skill's folder.
  PYTHONDONTWRITEBYTECODE: "1",
  [RUN_MARK]: "1",
};

/**
 * Settings that win over those of a repository: a hostile one would run a program of its own at `git status`,
 * any folder of the workspace could pass for a bare one, and quoted paths could not be opened as they are printed.
 * What has no neutral value stays with the repository: hooks, filters, `textconv`, `diff.external`, helpers for
 * credentials and signatures.
 */
const GIT_SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["core.quotePath", "false"],
  ["core.alternateRefsCommand", "true"],
  // `git diff` would write the index, and so run a hook.
  ["diff.autoRefreshIndex", "false"],
  ["log.showSignature", "false"],
  // `%G?` in it runs the program that checks signatures.
  ["format.pretty", "medium"],
  ["protocol.ext.allow", "never"],
  ["safe.bareRepository", "explicit"],
];

/**
 * The environment that commands see: an allow-list, so that no model key, loader variable or shell start file
 * passes, neutral settings for editors, pagers and git, and the mark of what an agent started.
 *
 * @param source - The environment of this process.
 * @param workspace - Real absolute path; programs below it are not found by their names.
 * @returns A new object; `PATH` holds absolute folders only, none of them in the workspace.
 */
export function reduceEnvironment(
  source: Record<string, string | undefined>,
  workspace?: string,
): Record<string, string> {
  const passed = Object.entries(source).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && PASSED.has(entry[0]),
  );
  const PATH = toSafePath(source.PATH, workspace);
  // A relative one would make git and shells read the settings of the folder they work in.
  const HOME = source.HOME === undefined ? {} : { HOME: findHomeFolder(source.HOME) };
  return { ...Object.fromEntries(passed), ...HOME, PATH, ...NEUTRAL, ...toGitVariables() };
}

/** What the model can write must not be found before the programs of the system. */
function toSafePath(path: string | undefined, workspace: string | undefined): string {
  const isSafe = (folder: string) =>
    isAbsolute(folder) &&
    (workspace === undefined ||
      ![normalize(folder), toRealPath(folder)].some((each) => isInside(workspace, each)));
  const folders = (path ?? "").split(delimiter).filter(isSafe);
  return folders.length === 0 ? DEFAULT_PATH : folders.join(delimiter);
}

function toGitVariables(): Record<string, string> {
  const entries = GIT_SETTINGS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(GIT_SETTINGS.length), ...Object.fromEntries(entries) };
}
