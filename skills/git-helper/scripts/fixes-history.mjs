import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  askGit,
  findCommit,
  list,
  listGit,
  Refusal,
  runGit,
  show,
  toGitCommand,
  UsageError,
} from "./git.mjs";
import { findDefaultBranch, findHolders, findMergedBranches, findOperation } from "./look.mjs";

/** Fixes of commits and branches; see the fixes of files for how they are made. */
export const historyFixes = {
  "undo-commit": { takes: [], prepare: prepareUndo },
  "amend-message": { takes: ["<message>"], prepare: prepareAmend },
  "delete-merged": { takes: ["<branch>"], prepare: prepareDelete },
  abort: { takes: [], prepare: prepareAbort },
};

async function prepareUndo(repository) {
  const { head, title } = await openOwnCommit(repository, "taken back");
  const parents = ((await askGit("log", "-1", "--format=%P", head)) ?? "")
    .split(" ")
    .filter((id) => id !== "");
  if (parents.length === 0) throw new Refusal("The first commit has none before it to go back to.");
  if (parents.length > 1)
    throw new Refusal(`"${title}" is a merge. Taking it back this way would lose that it was one.`);
  return {
    does: `take back the commit ${head.slice(0, 9)} "${title}" and keep its changes staged`,
    run: async () => {
      await runGit(["reset", "--soft", "--quiet", parents[0]]);
      return toGitCommand("reset", "--soft", head);
    },
  };
}

async function prepareAmend(repository, message) {
  const { head, title } = await openOwnCommit(repository, "changed");
  if ((await askGit("log", "-1", "--format=%B", head))?.trim() === message.trim())
    return { nothing: "the last commit has this message already." };
  return {
    does: `give the commit ${head.slice(0, 9)} "${title}" the message "${show(message.split("\n")[0])}"`,
    notes: ["What is staged stays staged and is not in the commit."],
    run: async () => {
      await runGit(["commit", "--quiet", "--amend", "--only", "--allow-empty", `--message=${message}`]);
      return toGitCommand("reset", "--soft", head);
    },
  };
}

/** The last commit, when nobody else can have it yet. */
async function openOwnCommit(repository, verb) {
  const head = await findCommit("HEAD");
  if (head === undefined) throw new Refusal("There is no commit yet.");
  const operation = await findOperation(repository);
  if (operation) throw new Refusal(`A ${operation.name} is in progress. Finish it first, or use abort.`);
  const title = show((await askGit("log", "-1", "--format=%s", head)) ?? "");
  const holders = await findHolders(head);
  if (holders.length > 0) {
    throw new Refusal(
      `The commit "${title}" is in ${list(holders, 3)}: others may have it, so it is not ${verb}.`,
    );
  }
  return { head, title };
}

async function prepareDelete(_repository, branch) {
  const commit = await findCommit(`refs/heads/${branch}`);
  const merged = await findMergedBranches();
  if (commit === undefined) {
    const known = merged.length > 0 ? ` Merged ones: ${list(merged)}.` : "";
    throw new UsageError(`There is no branch "${show(branch)}" here.${known}`);
  }
  const main = await findDefaultBranch();
  if (branch === main) throw new Refusal(`"${show(branch)}" is the default branch and stays.`);
  if (branch === (await askGit("symbolic-ref", "--quiet", "--short", "HEAD")))
    throw new Refusal(`"${show(branch)}" is the branch you are on. Switch to another one first.`);
  if (main === undefined) throw new Refusal("No default branch can be told, so nothing counts as merged.");
  if ((await askGit("merge-base", "--is-ancestor", commit, `refs/heads/${main}`)) === undefined)
    throw new Refusal(
      `"${show(branch)}" has commits that are not in ${show(main)}. Deleting it could lose them.`,
    );
  if (!merged.includes(branch)) throw new Refusal(`"${show(branch)}" is checked out in another work tree.`);
  const upstream = await askGit("for-each-ref", "--format=%(upstream:short)", `refs/heads/${branch}`);
  return {
    does: `delete the branch ${show(branch)} (${commit.slice(0, 9)}), which is wholly in ${show(main)}`,
    run: async () => {
      // Asked above against the default branch; git's own -d asks against the one we happen to be on.
      await runGit(["branch", "--quiet", "-D", "--", branch]);
      const back = toGitCommand("branch", branch, commit);
      return upstream
        ? `${back} && ${toGitCommand("branch", `--set-upstream-to=${upstream}`, branch)}`
        : back;
    },
  };
}

async function prepareAbort(repository) {
  const operation = await findOperation(repository);
  if (operation === undefined)
    return { nothing: "no merge, rebase, cherry-pick, revert or bisect is in progress." };
  return {
    does: `give up the ${operation.name} and go back to where it began`,
    run: async () => {
      if (operation.name === "bisect") return abortBisect(repository, operation);
      const kept = await keepFiles(repository);
      await runGit(["-C", repository.root, ...operation.abort]);
      return (
        `start the ${operation.name} again; the files as they were are in commit ${kept.slice(0, 9)}: ` +
        toGitCommand("-C", repository.root, "restore", `--source=${kept}`, "--worktree", "--", ".")
      );
    },
  };
}

async function abortBisect(repository, operation) {
  const path = join(repository.folder, "git-helper-bisect.log");
  await writeFile(path, `${await runGit(["bisect", "log"])}\n`);
  await runGit(["-C", repository.root, ...operation.abort]);
  return toGitCommand("bisect", "replay", path);
}

/**
 * Conflicts that were solved already would be gone with an abort: all files that git knows are put into a
 * commit of its own first, through an index beside the real one.
 */
async function keepFiles({ root }) {
  const place = await mkdtemp(join(tmpdir(), "git-helper-"));
  try {
    const env = {
      GIT_INDEX_FILE: join(place, "index"),
      GIT_AUTHOR_NAME: "git-helper",
      GIT_AUTHOR_EMAIL: "git-helper@localhost",
      GIT_COMMITTER_NAME: "git-helper",
      GIT_COMMITTER_EMAIL: "git-helper@localhost",
    };
    const known = new Set(await listGit("-C", root, "ls-files", "-z"));
    const input = [...known].map((path) => `${path}\0`).join("");
    await runGit(["-C", root, "read-tree", "HEAD"], { env });
    await runGit(["-C", root, "update-index", "--add", "--remove", "-z", "--stdin"], { env, input });
    const tree = await runGit(["write-tree"], { env });
    const commit = await runGit(["commit-tree", tree, "-p", "HEAD", "-m", "The files before an abort"], {
      env,
    });
    // A name of its own keeps git from clearing it away.
    await runGit(["update-ref", `refs/git-helper/${commit}`, commit]);
    return commit;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
