import { lstat, readFile, realpath } from "node:fs/promises";
import { join, posix } from "node:path";
import { parsePatch, toAddedFile } from "./diff.mjs";
import { askGit, readGit, show, UsageError } from "./git.mjs";

const largest = 4 * 1024 * 1024;
const diffOptions = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--find-renames",
  "--unified=3",
  "--inter-hunk-context=0",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];
const forms =
  "Give a range (HEAD~3..HEAD, main...HEAD), a commit to begin at (main), one commit alone (abc123^!), --staged, or a diff file.";

/**
 * Finds what is to be looked at: a range of commits, what is staged, a diff file, or, when nothing is said,
 * what is not committed, and the last commit when all is.
 *
 * @returns the changed files, a title, and for the new side of the change, where it can be had, `readNew(path)`,
 * the content, and `findSize(path)`, in bytes; `search` says where `git grep` finds it.
 */
export async function openSource(words, paths, { staged = false } = {}) {
  if (words.length > 1)
    throw new UsageError(`"${show(words.join(" "))}" is more than one thing to review. ${forms}`);
  const repository = await findRepository();
  const word = words[0] === "" ? undefined : words[0];
  if (staged && word !== undefined) throw new UsageError("--staged takes no range.");
  if (word !== undefined && (await isFile(word)) && !(repository && (await askGit(...toVerify(word))))) {
    return openDiffFile(word, repository, paths);
  }
  if (!repository) {
    throw new UsageError(
      word === undefined
        ? "This folder is in no Git repository. Name a diff file to review instead."
        : `There is no diff file "${show(word)}", and this folder is in no Git repository.`,
    );
  }
  if (staged) return openStaged(repository, paths);
  if (word !== undefined) return openRange(word, repository, paths);
  const uncommitted = await openWork(repository, await findBase(), "what is not committed", paths);
  if (uncommitted.files.length > 0 || !(await askGit(...toVerify("HEAD")))) return uncommitted;
  const head = await findCommit("HEAD");
  const title = `the last commit, ${await describe(head)}; all is committed`;
  return openCommits(repository, await findParent(head), head, title, paths);
}

async function openRange(word, repository, paths) {
  const alone = /^(.+)\^[!-]$/.exec(word);
  if (alone) {
    const commit = await findCommit(alone[1]);
    return openCommits(
      repository,
      await findParent(commit),
      commit,
      `the commit ${await describe(commit)}`,
      paths,
    );
  }
  const range = /^(.*?)(\.{2,3})(.*)$/.exec(word);
  if (!range) {
    const commit = await findCommit(word);
    const fork = (await askGit("merge-base", commit, "HEAD")) ?? commit;
    const title = `all since ${show(word)} (${fork.slice(0, 9)}), with what is not committed`;
    return openWork(repository, fork, title, paths);
  }
  const [from, to] = [await findCommit(range[1] || "HEAD"), await findCommit(range[3] || "HEAD")];
  const base = range[2] === "..." ? await askGit("merge-base", from, to) : from;
  if (base === undefined)
    throw new UsageError(`The two sides of "${show(word)}" have no commit in common. Use two dots.`);
  const number = await askGit("rev-list", "--count", to, `^${base}`);
  const title = `${show(word)} (${number === "1" ? "1 commit" : `${number} commits`})`;
  return openCommits(repository, base, to, title, paths);
}

async function openCommits(repository, base, head, title, paths) {
  const files = await readDiff([base, head], paths, repository);
  return { repository, title, files, ...readFrom(`${head}:`), search: [head] };
}

async function openStaged(repository, paths) {
  const files = await readDiff(["--cached", await findBase()], paths, repository);
  return { repository, title: "what is staged", files, ...readFrom(":0:"), search: ["--cached"] };
}

async function openWork(repository, base, title, paths) {
  const files = await readDiff([base], paths, repository);
  const known = new Set(files.map(({ path }) => path));
  const listed = await readGit(
    ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ...toPaths(paths, repository)],
    { folder: repository.root },
  );
  for (const path of listed.toString().split("\0")) {
    if (path === "" || path.endsWith("/") || known.has(path)) continue;
    files.push(await readNewFile(join(repository.root, path), path));
  }
  return {
    repository,
    title,
    files: files.sort(byPath),
    readNew: async (path) => (await readWhole(join(repository.root, path)))?.toString(),
    findSize: async (path) => (await lookUp(join(repository.root, path)))?.size,
    search: ["--untracked"],
  };
}

async function openDiffFile(name, repository, paths) {
  if ((await lstat(await realpath(name))).size > 64 * largest)
    throw new UsageError(`"${show(name)}" is too large to be read.`);
  const files = parsePatch(await readFile(name, "utf8"));
  if (files.length === 0) throw new UsageError(`"${show(name)}" holds no diff. ${forms}`);
  const chosen = files.filter(
    ({ path }) => paths.length === 0 || paths.some((under) => isUnder(path, under)),
  );
  return {
    repository,
    title: `the diff file ${show(name)}`,
    files: chosen,
    readNew: async () => undefined,
    findSize: async () => undefined,
    search: repository ? ["--untracked"] : undefined,
  };
}

async function readDiff(sides, paths, repository) {
  const patch = await readGit(["diff", ...diffOptions, ...sides, "--", ...toPaths(paths, repository)], {
    folder: repository.root,
  });
  return parsePatch(patch.toString());
}

async function readNewFile(place, path) {
  const facts = await lstat(place);
  if (facts.isSymbolicLink()) return { ...toAddedFile(path, ""), mode: "120000" };
  if (!facts.isFile()) return { ...toAddedFile(path, ""), binary: true };
  const bytes = await readWhole(place);
  const binary = bytes === undefined || bytes.subarray(0, 8_000).includes(0);
  return binary
    ? { ...toAddedFile(path, ""), binary, size: facts.size }
    : toAddedFile(path, bytes.toString());
}

/** The whole file; undefined when it is gone, no ordinary file, or too large to be text of a person. */
async function readWhole(place) {
  const facts = await lookUp(place);
  return facts?.isFile() && facts.size <= largest ? readFile(place) : undefined;
}

function readFrom(side) {
  const findSize = async (path) => {
    const size = await askGit("cat-file", "-s", side + path);
    return size === undefined ? undefined : Number(size);
  };
  const readNew = async (path) => {
    const size = await findSize(path);
    return size === undefined || size > largest ? undefined : askGit("cat-file", "blob", side + path);
  };
  return { readNew, findSize };
}

function lookUp(place) {
  return lstat(place).catch(() => undefined);
}

/** The root of the repository and the folder in it that we stand in; undefined outside of one. */
async function findRepository() {
  const found = await askGit("rev-parse", "--show-toplevel", "--show-prefix");
  if (found === undefined) return undefined;
  const [root, prefix = ""] = found.split("\n");
  return { root, prefix };
}

async function findCommit(name) {
  const commit = await askGit(...toVerify(name));
  if (commit === undefined)
    throw new UsageError(`"${show(name)}" is no commit, branch or diff file here. ${forms}`);
  return commit;
}

async function findBase() {
  return (await askGit(...toVerify("HEAD"))) ?? (await findEmptyTree());
}

async function findParent(commit) {
  return (await askGit(...toVerify(`${commit}^1`))) ?? (await findEmptyTree());
}

function findEmptyTree() {
  return askGit("hash-object", "-t", "tree", "/dev/null");
}

function toVerify(name) {
  return ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
}

function describe(commit) {
  return askGit("log", "-1", "--format=%h (%s)", commit).then(show);
}

/** Paths as they were written, from where we stand, as paths from the root. */
function toPaths(paths, { prefix }) {
  return paths.map((path) => posix.normalize(posix.join(prefix, path)));
}

function isUnder(path, folder) {
  const under = folder.replace(/^\.\/|\/+$/g, "");
  return under === "." || path === under || path.startsWith(`${under}/`);
}

function byPath({ path: one }, { path: other }) {
  return one < other ? -1 : 1;
}

async function isFile(name) {
  return (await realpath(name).then(lstat, () => undefined))?.isFile() === true;
}
