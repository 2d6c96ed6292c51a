import { count, list, show, toFixCommand, toGitCommand } from "./git.mjs";
import { findUnwanted } from "./unwanted.mjs";

const shownPaths = 15;
const unclear =
  /^\s*$|^(wip|fix|fixes|tmp|temp|test|asdf|update|stuff|changes?|\.+)[.!]*$|^(fixup|squash|amend)! /i;

/** The state of a repository for a person: where it stands, what is open, and what can be done next. */
export function describeState(state) {
  const lines = [describeHead(state), describeUpstream(state)];
  if (state.operation) lines.push(`In progress: ${state.operation}.`);
  if (state.locked)
    lines.push("Locked: another git is at work, or one broke off and left .git/index.lock behind.");
  const dirty = ["conflicts", "staged", "unstaged", "deleted", "untracked"].some(
    (name) => state[name].length > 0,
  );
  if (!dirty) lines.push("Nothing to commit.");
  lines.push(
    ...describePaths("Conflicts", state.conflicts),
    ...describePaths(
      "Staged",
      state.staged.map(({ path, change }) => `${path}${changes.get(change) ?? ""}`),
    ),
    ...describePaths("Changed, not staged", state.unstaged),
    ...describePaths("Deleted, not staged", state.deleted),
    ...describePaths("Not known to git", state.untracked),
    ...describePaths("Known to git, though hardly meant to be", state.trackedByMistake),
    ...describePaths(
      "Large and not known to git",
      state.large.map(({ path, size }) => `${path} (${toSize(size)})`),
    ),
  );
  if (state.stashes > 0) lines.push("", `Stashed: ${count(state.stashes, "stash")} (git stash list)`);
  if (state.last.length > 0) lines.push("", "Last commits:", ...state.last.map(describeCommit));
  if (state.merged.length > 0)
    lines.push("", `Branches that are in ${show(state.default)} already: ${list(state.merged)}`);
  return [...lines, "", ...describeNext(state)].join("\n");
}

const changes = new Map([
  ["A", " (new)"],
  ["D", " (deleted)"],
  ["R", " (renamed)"],
  ["C", " (copied)"],
  ["T", " (other type)"],
]);

function describeHead({ branch, commit, reachable }) {
  if (commit === undefined) return `On branch ${show(branch)}, without a commit yet.`;
  if (branch !== undefined) return `On branch ${show(branch)} at ${commit.slice(0, 9)}.`;
  const lost = reachable ? "" : " Its commits are on no branch: make one before you leave.";
  return `On no branch (detached HEAD) at ${commit.slice(0, 9)}.${lost}`;
}

function describeUpstream({ upstream, branch }) {
  if (branch === undefined) return "No upstream: there is no branch.";
  if (upstream === undefined) return "No upstream is set.";
  const name = show(upstream.name);
  if (upstream.gone) return `The upstream ${name} is gone.`;
  const { ahead, behind } = upstream;
  if (ahead === 0 && behind === 0) return `In step with ${name}, as of the last fetch.`;
  const parts = [ahead > 0 ? `${ahead} ahead of` : "", behind > 0 ? `${behind} behind` : ""];
  return `${parts.filter((part) => part !== "").join(" and ")} ${name}, as of the last fetch.`;
}

function describePaths(title, paths) {
  if (paths.length === 0) return [];
  const shown = paths.slice(0, shownPaths).map((path) => `  ${show(path)}`);
  const rest =
    paths.length > shownPaths ? [`  … and ${paths.length - shownPaths} more (--json has all)`] : [];
  return ["", `${title} (${paths.length}):`, ...shown, ...rest];
}

function describeCommit({ id, date, author, title, pushed }) {
  const note = pushed === undefined ? "" : pushed ? "  (pushed or tagged)" : "  (only here)";
  return `  ${id}  ${date}  ${show(author)}: ${show(title)}${note}`;
}

function describeNext(state) {
  const steps = suggest(state);
  if (steps.length === 0) return ["Nothing to mend."];
  return [
    "What you can do next; nothing of it happens by itself:",
    ...steps.flatMap(({ what, command }) => [`- ${what}`, `    ${command}`]),
  ];
}

/** What would help, the most pressing first; each is one command. */
export function suggest(state) {
  const steps = [];
  const fix = (what, ...words) => steps.push({ what, fix: words[0], command: toFixCommand(...words) });
  const byHand = (what, ...words) => steps.push({ what, command: toGitCommand(...words) });
  if (state.operation)
    fix(`Give up the ${state.operation}; the files as they are now are kept aside`, "abort");
  if (!state.reachable)
    byHand("Put the commits of no branch on one (choose its name)", "switch", "-c", "kept");
  const odd = state.staged.filter(({ path, change }) => change === "A" && findUnwanted(path));
  for (const { path } of odd.slice(0, 3)) fix(`Take ${show(path)} out of the next commit`, "unstage", path);
  for (const { pattern, why, files } of state.ignorable.slice(0, 5))
    fix(`Ignore ${show(pattern)} (${count(files, "file")}, ${why})`, "ignore", pattern);
  for (const path of state.deleted.slice(0, 3)) fix(`Bring ${show(path)} back`, "restore-deleted", path);
  const last = state.last[0];
  const isFree = last?.pushed === false && !state.operation;
  if (isFree && unclear.test(last.title))
    fix(`Give the last commit a message that says what it does`, "amend-message", "MESSAGE");
  if (isFree && state.last.length > 1)
    fix("Take the last commit back and keep its changes staged", "undo-commit");
  const open = state.unstaged.length + state.staged.length;
  if (open > 0 && !state.operation && state.commit !== undefined)
    fix("Put all open changes aside", "stash-all", "MESSAGE");
  if (state.upstream?.behind > 0 && state.upstream.ahead === 0)
    byHand("Take in what is new", "pull", "--ff-only");
  for (const branch of state.merged.slice(0, 3))
    fix(`Delete ${show(branch)}, which is merged`, "delete-merged", branch);
  return steps;
}

function toSize(bytes) {
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
