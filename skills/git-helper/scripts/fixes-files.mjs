import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  askGit,
  count,
  findCommit,
  list,
  listGit,
  quote,
  Refusal,
  runGit,
  show,
  toGitCommand,
  toRooted,
  toShown,
  UsageError,
} from "./git.mjs";
import { findOperation, lookUp, readStatus } from "./look.mjs";

/** Fixes of files: each settles first what would happen, and changes something only in `run`, which tells the way back. */
export const fileFixes = {
  ignore: { takes: ["<pattern>"], prepare: prepareIgnore },
  unstage: { takes: ["<path>"], prepare: prepareUnstage },
  "restore-deleted": { takes: ["<path>"], prepare: prepareRestore },
  "stash-all": { takes: ["<message>"], prepare: prepareStash },
};

async function prepareIgnore(repository, pattern) {
  if (/[\p{Cc}\u2028\u2029]/u.test(pattern)) throw new UsageError("A pattern is one line.");
  if (/^[#!]|\s$/.test(pattern))
    throw new UsageError(
      `"${show(pattern)}" is no pattern that ignores: it begins with # or !, or ends with a blank.`,
    );
  if (/^[/*.]+$/.test(pattern))
    throw new Refusal(`"${pattern}" would ignore everything. Name what is to be ignored.`);
  const path = join(repository.root, ".gitignore");
  const facts = await lookUp(path);
  if (facts && !facts.isFile()) throw new Refusal(".gitignore is not an ordinary file. Change it by hand.");
  const text = facts ? await readFile(path, "utf8") : "";
  if (text.split(/\r?\n/).includes(pattern)) return { nothing: `.gitignore has "${pattern}" already.` };
  const tracked = await listGit(
    "-C",
    repository.root,
    "ls-files",
    "--cached",
    "--ignored",
    "-z",
    `--exclude=${pattern}`,
  );
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const notes =
    tracked.length > 0
      ? [`${count(tracked.length, "file")} that git knows already match and stay in it: ${list(tracked, 3)}`]
      : [];
  return {
    does: `add the line "${pattern}" to ${toShown(".gitignore", repository)}`,
    notes,
    run: async () => {
      const file = await open(path, "a");
      try {
        await file.write(`${text === "" || text.endsWith("\n") ? "" : newline}${pattern}${newline}`);
      } finally {
        await file.close();
      }
      return `take the line "${pattern}" out of ${toShown(".gitignore", repository)}${facts ? "" : ", which is new"}`;
    },
  };
}

async function prepareUnstage(repository, path) {
  const wanted = toRooted(path, repository);
  const { staged, conflicts } = await readStatus();
  if (conflicts.length > 0)
    throw new Refusal(`There are conflicts in ${list(conflicts, 3)}. Solve them first, or use abort.`);
  const found = staged.filter(({ path: one }) => isUnder(one, wanted));
  if (found.length === 0) {
    const known =
      staged.length > 0 ? ` Staged: ${list(staged.map(({ path: one }) => toShown(one, repository)))}.` : "";
    throw new UsageError(`Nothing of "${show(path)}" is staged.${known}`);
  }
  const hasCommit = (await findCommit("HEAD")) !== undefined;
  return {
    does: `take ${count(found.length, "file")} out of the next commit: ${list(found.map(({ path: one }) => toShown(one, repository)))}`,
    notes: ["The files themselves are as they were."],
    run: async () => {
      // The whole of what was staged, also where it differs from the file, so that the way back is exact.
      const tree = await runGit(["write-tree"]);
      const paths = found.flatMap(({ path: one, change, from }) => (change === "R" ? [one, from] : [one]));
      const input = paths.map((one) => `${one}\0`).join("");
      const named = ["--quiet", "--pathspec-from-file=-", "--pathspec-file-nul"];
      const words = hasCommit ? ["reset", ...named] : ["rm", "--cached", "--force", ...named];
      await runGit(["-C", repository.root, ...words], { input });
      return toGitCommand("read-tree", tree);
    },
  };
}

async function prepareRestore(repository, path) {
  const wanted = toRooted(path, repository);
  const place = ["-C", repository.root];
  const missing = await listGit(...place, "ls-files", "--deleted", "-z", "--", wanted);
  const { staged, conflicts } = await readStatus();
  if (conflicts.some((one) => isUnder(one, wanted)))
    throw new Refusal(`"${show(path)}" is in conflict. Solve that first, or use abort.`);
  if (missing.length > 0) {
    return toRestore(repository, missing, "from what is staged", (paths) => [
      "restore",
      "--worktree",
      ...paths,
    ]);
  }
  const removed = staged
    .filter(({ path: one, change }) => change === "D" && isUnder(one, wanted))
    .map(({ path: one }) => one);
  if (removed.length > 0) {
    await refuseTaken(repository, removed);
    const words = (paths) => ["restore", "--source=HEAD", "--staged", "--worktree", ...paths];
    return toRestore(repository, removed, "from the last commit", words);
  }
  if (await lookUp(join(repository.root, wanted)))
    throw new Refusal(`"${show(path)}" is there; it is not overwritten.`);
  const commit = await askGit(
    ...place,
    "log",
    "-1",
    "--format=%H",
    "--diff-filter=D",
    "--no-renames",
    "HEAD",
    "--",
    wanted,
  );
  if (!commit) throw new UsageError(`Git knows no deleted file "${show(path)}".`);
  const gone = await listGit(
    ...place,
    "diff-tree",
    "-r",
    "-z",
    "--name-only",
    "--no-renames",
    "--diff-filter=D",
    `${commit}^1`,
    commit,
    "--",
    wanted,
  );
  await refuseTaken(repository, gone);
  const words = (paths) => ["restore", `--source=${commit}^1`, "--worktree", ...paths];
  return toRestore(repository, gone, `as they were before commit ${commit.slice(0, 9)}`, words);
}

function toRestore(repository, paths, from, toWords) {
  const shown = paths.map((path) => toShown(path, repository));
  return {
    does: `bring back ${count(paths.length, "file")} ${from}: ${list(shown)}`,
    run: async () => {
      const input = paths.map((path) => `${path}\0`).join("");
      const words = toWords(["--pathspec-from-file=-", "--pathspec-file-nul"]);
      await runGit(["-C", repository.root, ...words], { input });
      const most = 20;
      const isStaged = words.includes("--staged");
      if (paths.length > most) return `delete these ${paths.length} files again`;
      return isStaged ? toGitCommand("rm", "--quiet", "--", ...shown) : `rm -- ${shown.map(quote).join(" ")}`;
    },
  };
}

async function refuseTaken(repository, paths) {
  for (const path of paths)
    if (await lookUp(join(repository.root, path)))
      throw new Refusal(`"${show(toShown(path, repository))}" is there again; it is not overwritten.`);
}

async function prepareStash(repository, message) {
  if ((await findCommit("HEAD")) === undefined)
    throw new Refusal("There is no commit yet, so nothing can be put aside.");
  const operation = await findOperation(repository);
  if (operation) throw new Refusal(`A ${operation.name} is in progress. Finish it first, or use abort.`);
  const { staged, unstaged, deleted, untracked, conflicts } = await readStatus();
  if (conflicts.length > 0)
    throw new Refusal(`There are conflicts in ${list(conflicts, 3)}. Solve them first.`);
  const changed = new Set([...staged.map(({ path }) => path), ...unstaged, ...deleted]);
  if (changed.size + untracked.length === 0) return { nothing: "no change is open." };
  const one = /[\p{Cc}]/u.test(message);
  if (one) throw new UsageError("The message of a stash is one line.");
  return {
    does: `put ${count(changed.size, "changed path")} and ${count(untracked.length, "new one")} aside as "${show(message)}"`,
    notes: ["Ignored files stay where they are."],
    run: async () => {
      await runGit([
        "-C",
        repository.root,
        "stash",
        "push",
        "--quiet",
        "--include-untracked",
        `--message=${message}`,
      ]);
      return `${toGitCommand("stash", "pop", "--index", "stash@{0}")} (while it is the newest stash)`;
    },
  };
}

function isUnder(path, folder) {
  return folder === "." || path === folder || path.startsWith(`${folder}/`);
}
