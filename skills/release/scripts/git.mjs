import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { listNames, Refusal, show } from "./common.mjs";

/** Reading runs no program that a repository's settings name, takes no lock and reaches no other machine. */
const readSettings = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "log.showSignature=false",
  "safe.bareRepository=explicit",
].flatMap((setting) => ["-c", setting]);
const readEnvironment = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
};
/** Set where a hook started us, and they would lead to another repository or index. */
const misleading = [
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"],
  ...["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"],
];
const underWay = [
  ["MERGE_HEAD", "A merge"],
  ["rebase-merge", "A rebase"],
  ["rebase-apply", "A rebase"],
  ["CHERRY_PICK_HEAD", "A cherry-pick"],
  ["REVERT_HEAD", "A revert"],
  ["BISECT_LOG", "A bisect"],
];
const largestOutput = 2 ** 30;

/** What git said when it failed. */
export class GitError extends Error {}

/** What a reading git command prints, without the last line break. */
export function readGit(root, words) {
  return runGit(root, [...readSettings, ...words], { env: readEnvironment }).replace(/\n$/, "");
}

/** What a reading git command prints, or undefined when it fails. */
export function tryGit(root, words) {
  try {
    return readGit(root, words);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** A file as a commit keeps it and as git would put it into the working folder; undefined when it has none. */
export function readFileAt(root, commit, path) {
  const name = `${commit}:${path}`;
  if (tryGit(root, ["cat-file", "-e", name]) === undefined) return undefined;
  return runGit(root, [...readSettings, "cat-file", "--filters", name], { env: readEnvironment });
}

/** Runs a git command that changes something, with the person's own settings, hooks and signing. */
export function writeGit(root, words, input = "") {
  return runGit(root, ["-c", "core.fsmonitor=false", "--literal-pathspecs", ...words], { input }).trim();
}

function runGit(cwd, words, { env = {}, input = "" }) {
  const environment = { ...process.env, ...env };
  for (const name of misleading) delete environment[name];
  try {
    const options = { cwd, env: environment, input, encoding: "utf8", maxBuffer: largestOutput };
    return execFileSync("git", words, { ...options, stdio: "pipe" });
  } catch (error) {
    if (error.code === "ENOENT") throw new Refusal("git is not installed.");
    throw new GitError([error.stderr, error.stdout].join("").trim() || error.message);
  }
}

/**
 * The repository around the working folder, as long as a release can be made in it.
 *
 * @throws Refusal without a branch and a commit to release, and in the middle of a merge and the like.
 */
export function openRepository() {
  const root = findRoot();
  const facts = readGit(root, ["rev-parse", "--is-shallow-repository", "--absolute-git-dir"]);
  const [, shallow, directory] = /^(\w+)\n([\s\S]*)$/.exec(facts);
  const [, operation] = underWay.find(([name]) => existsSync(join(directory, name))) ?? [];
  if (operation) throw new Refusal(`${operation} is in progress. Finish or abort it first.`);
  const head = tryGit(root, ["rev-parse", "-q", "--verify", "HEAD^{commit}"]);
  if (head === undefined) throw new Refusal("There are no commits yet.");
  const branch = tryGit(root, ["symbolic-ref", "-q", "--short", "HEAD"]);
  if (branch === undefined) throw new Refusal("HEAD is detached. Switch to the branch to release first.");
  return { root, directory, head, branch, isShallow: shallow === "true" };
}

function findRoot() {
  try {
    return readGit(process.cwd(), ["rev-parse", "--show-toplevel"]);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/not a git repository/.test(error.message)) throw new Refusal("There is no git repository here.");
    if (/in a work ?tree|bare repository/.test(error.message))
      throw new Refusal("This is a bare repository or a .git folder. Go to a folder with the files.");
    throw new Refusal(`git cannot use this repository: ${show(error.message.split("\n")[0])}`);
  }
}

/** Paths that differ from the last commit, new ones too; not what is ignored, and not where threads are kept. */
export function listChanges(root) {
  const options = ["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"];
  // Without this, git would run in each submodule, by the settings there.
  const output = readGit(root, ["status", ...options, "--ignore-submodules=dirty"]);
  const paths = output.split("\0").map((entry) => entry.slice(3));
  return paths.filter((path) => path !== "" && !path.split("/").includes(".skillgraph"));
}

/** @throws Refusal that names the paths, when there are some. */
export function refuseChanges(paths) {
  if (paths.length === 0) return;
  throw new Refusal(
    `There are changes that are not committed: ${listNames(paths)}. Commit or stash them first.`,
  );
}

/** @throws Refusal when commits were made, or taken away, since a person looked. */
export function refuseMoved(head, seen) {
  if (seen === undefined || seen === head) return;
  throw new Refusal(
    `The branch has moved since it was inspected: it was at ${seen.slice(0, 10)} and is at ${head.slice(0, 10)}. Inspect it again.`,
  );
}

/** Why git would not know who commits and tags; undefined when it does. */
export function findIdentityFault(root) {
  try {
    for (const name of ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"])
      runGit(root, ["-c", "user.useConfigOnly=true", "var", name], {});
    return undefined;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return "git does not know who you are. Set user.name and user.email with git config.";
  }
}
