import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { askGit, findCommit, listGit } from "./git.mjs";

/** What may be under way, the one that holds others first, with the words that end it. */
const operations = [
  ["rebase", "rebase-merge", ["rebase", "--abort"]],
  ["am", "rebase-apply/applying", ["am", "--abort"]],
  ["rebase", "rebase-apply", ["rebase", "--abort"]],
  ["merge", "MERGE_HEAD", ["merge", "--abort"]],
  ["cherry-pick", "CHERRY_PICK_HEAD", ["cherry-pick", "--abort"]],
  ["revert", "REVERT_HEAD", ["revert", "--abort"]],
  // Between two commits of a row only this is left.
  ["cherry-pick", "sequencer/todo", ["cherry-pick", "--abort"]],
  ["bisect", "BISECT_LOG", ["bisect", "reset"]],
];

/** The operation in progress: its name and the words that end it; undefined when there is none. */
export async function findOperation({ folder }) {
  for (const [name, mark, abort] of operations) if (await lookUp(join(folder, mark))) return { name, abort };
  return undefined;
}

/** The branch that work is merged into; undefined when none can be told. */
export async function findDefaultBranch() {
  const remote = await askGit("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD");
  const configured = await askGit("config", "--get", "init.defaultBranch");
  const names = [remote?.replace(/^origin\//, ""), "main", "master", "trunk", configured];
  for (const name of names)
    if (name !== undefined && (await findCommit(`refs/heads/${name}`)) !== undefined) return name;
  return undefined;
}

/** Branches that are wholly in the default branch, and neither it, nor current, nor checked out elsewhere. */
export async function findMergedBranches() {
  const main = await findDefaultBranch();
  if (main === undefined) return [];
  const format = "%(refname:lstrip=2)%00%(HEAD)%00%(worktreepath)";
  const lines = await askGit(
    "for-each-ref",
    `--merged=refs/heads/${main}`,
    `--format=${format}`,
    "refs/heads",
  );
  return (lines ?? "")
    .split("\n")
    .map((line) => line.split("\0"))
    .filter(([name, head, place]) => name !== "" && name !== main && head !== "*" && place === "")
    .map(([name]) => name);
}

/** Where a commit is known beyond this clone: remote branches and tags that hold it. */
export async function findHolders(commit) {
  const format = "--format=%(refname:lstrip=2)";
  const holders = await askGit("for-each-ref", `--contains=${commit}`, format, "refs/remotes", "refs/tags");
  return (holders ?? "").split("\n").filter((name) => name !== "" && !name.endsWith("/HEAD"));
}

/** What differs from the last commit, each with paths from the root. */
export async function readStatus() {
  const parts = (
    (await askGit("status", "--porcelain=v2", "--branch", "--untracked-files=normal", "--renames", "-z")) ??
    ""
  ).split("\0");
  const status = { head: {}, staged: [], unstaged: [], deleted: [], untracked: [], conflicts: [] };
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at];
    const [, key, value] = /^# branch\.(\S+) (.*)$/.exec(part) ?? [];
    if (key !== undefined) status.head[key] = value;
    if (part.startsWith("? ")) status.untracked.push(part.slice(2));
    if (part.startsWith("u ")) status.conflicts.push(part.split(" ").slice(10).join(" "));
    if (!/^[12] /.test(part)) continue;
    const [staged, unstaged] = part.slice(2, 4);
    const path = part
      .split(" ")
      .slice(part[0] === "1" ? 8 : 9)
      .join(" ");
    // The old name of what was renamed or copied is a part of its own.
    const from = part[0] === "2" ? parts[++at] : undefined;
    if (staged !== ".") status.staged.push({ path, change: staged, ...(from === undefined ? {} : { from }) });
    if (unstaged === "D") status.deleted.push(path);
    else if (unstaged !== ".") status.unstaged.push(path);
  }
  return status;
}

/** Every file that git neither knows nor ignores, as far as a limit. */
export async function listUntracked(root, most) {
  const paths = await listGit("-C", root, "ls-files", "--others", "--exclude-standard", "-z");
  return paths.filter((path) => !path.endsWith("/")).slice(0, most);
}

/** Facts of what is there, a link included; undefined when nothing is. */
export async function lookUp(path) {
  return lstat(path).catch((error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
}
