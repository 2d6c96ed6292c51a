#!/usr/bin/env node
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeState } from "./describe.mjs";
import { askGit, findCommit, listGit, openRepository, runScript, toShown, UsageError } from "./git.mjs";
import {
  findDefaultBranch,
  findHolders,
  findMergedBranches,
  findOperation,
  listUntracked,
  lookUp,
  readStatus,
} from "./look.mjs";
import { findUnwanted, isTrackedByMistake } from "./unwanted.mjs";

const largeFile = 5 * 1024 * 1024;
const mostUntracked = 20_000;
const lastCommits = 5;

await runScript(async (words) => {
  const json = readOptions(words);
  const repository = await openRepository();
  const state = await readState(repository);
  return json ? JSON.stringify(state, undefined, 2) : describeState(state);
});

function readOptions(words) {
  try {
    return parseArgs({ args: words, options: { json: { type: "boolean" } } }).values.json === true;
  } catch (error) {
    throw new UsageError(`Usage: state.mjs [--json]: ${error.message.split(". ")[0]}`);
  }
}

async function readState(repository) {
  const { head, staged, unstaged, deleted, untracked, conflicts } = await readStatus();
  const shown = (path) => toShown(path, repository);
  const files = await listUntracked(repository.root, mostUntracked);
  const tracked = await listGit("-C", repository.root, "ls-files", "-z");
  const operation = await findOperation(repository);
  const commit = head.oid === "(initial)" ? undefined : head.oid;
  return {
    root: repository.root,
    branch: head.head === "(detached)" ? undefined : head.head,
    commit,
    reachable: commit === undefined || head.head !== "(detached)" || (await isOnBranch(commit)),
    default: await findDefaultBranch(),
    upstream: await readUpstream(head),
    operation: operation?.name,
    locked: (await lookUp(join(repository.folder, "index.lock"))) !== undefined,
    staged: staged.map(({ path, change }) => ({ path: shown(path), change })),
    unstaged: unstaged.map(shown),
    deleted: deleted.map(shown),
    untracked: untracked.map(shown),
    conflicts: conflicts.map(shown),
    stashes: Number((await askGit("rev-list", "--walk-reflogs", "--count", "refs/stash", "--")) ?? 0),
    large: (await findLarge(repository, files)).map(({ path, size }) => ({ path: shown(path), size })),
    ignorable: findIgnorable(files),
    trackedByMistake: tracked.filter(isTrackedByMistake).map(shown),
    last: commit === undefined ? [] : await readLast(),
    merged: await findMergedBranches(),
  };
}

async function readUpstream({ upstream, ab }) {
  if (upstream === undefined) return undefined;
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(ab ?? "") ?? [];
  // A branch of the server that is gone has a name here, but nothing to compare with.
  return ahead === undefined
    ? { name: upstream, gone: true }
    : { name: upstream, ahead: Number(ahead), behind: Number(behind) };
}

async function isOnBranch(commit) {
  return (
    (await askGit(
      "for-each-ref",
      "--count=1",
      `--contains=${commit}`,
      "refs/heads",
      "refs/remotes",
      "refs/tags",
    )) !== ""
  );
}

async function findLarge({ root }, files) {
  const large = [];
  for (const path of files) {
    const size = (await lookUp(join(root, path)))?.size ?? 0;
    if (size > largeFile) large.push({ path, size });
  }
  return large.sort((one, other) => other.size - one.size);
}

/** The patterns that would ignore what does not belong in, each with how many files it takes. */
function findIgnorable(files) {
  const found = new Map();
  for (const path of files) {
    const unwanted = findUnwanted(path);
    if (unwanted === undefined) continue;
    const { files = 0 } = found.get(unwanted.pattern) ?? {};
    found.set(unwanted.pattern, { ...unwanted, files: files + 1 });
  }
  return [...found.values()];
}

async function readLast() {
  const format = "%h%x00%cs%x00%an%x00%s";
  const lines = (await askGit("log", `--max-count=${lastCommits}`, `--format=${format}`)) ?? "";
  const head = await findCommit("HEAD");
  const holders = head === undefined ? [] : await findHolders(head);
  return lines.split("\n").map((line, index) => {
    const [id, date, author, title] = line.split("\0");
    return { id, date, author, title, ...(index === 0 ? { pushed: holders.length > 0 } : {}) };
  });
}
