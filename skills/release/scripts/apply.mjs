#!/usr/bin/env node
import { rmSync } from "node:fs";
import { join } from "node:path";
import { listNames, quote, Refusal, readHead, readOptions, runScript, show, UsageError } from "./common.mjs";
import { planFiles, writeText } from "./files.mjs";
import {
  findIdentityFault,
  GitError,
  listChanges,
  openRepository,
  readGit,
  refuseChanges,
  refuseMoved,
  tryGit,
  writeGit,
} from "./git.mjs";
import { findLastTag, listVersionTags } from "./history.mjs";
import { findPrefix } from "./state.mjs";
import { compareVersions, parseVersion } from "./version.mjs";

runScript((words) => {
  const wanted = readWanted(words);
  const repository = openRepository();
  const { root, head } = repository;
  const tags = listVersionTags(root);
  const last = findLastTag(root, tags);
  const release = { ...wanted, tag: findPrefix(last, tags) + wanted.version };
  const tagged = tags.find(({ version }) => version.text === wanted.version);
  if (tagged) return reportDone(repository, release, tagged.name);
  refuseOlder(wanted.version, last);
  refuseNamelessPerson(root);
  if (isReleaseCommit(root, head, release)) return finish(repository, release, head);
  refuseMoved(head, wanted.head);
  return finish(repository, release, commitFiles(repository, release));
});

function readWanted(words) {
  const options = readOptions("apply.mjs", words, ["version", "changelog", "head"]);
  for (const name of ["version", "changelog", "head"])
    if (!options.get(name)?.trim()) throw new UsageError(`--${name} is missing.`);
  const version = options.get("version");
  if (!parseVersion(version))
    throw new UsageError(`--version takes a version such as 1.2.0, not "${show(version)}".`);
  return { version, changelog: options.get("changelog"), head: readHead(options) };
}

/** The tag is there: this release, made by an earlier run, or somebody else's. */
function reportDone(repository, release, name) {
  const commit = readGit(repository.root, ["rev-parse", `refs/tags/${name}^{commit}`]);
  const isAsPlanned = () => planFiles(repository, [], release).every(({ old, text }) => old === text);
  const isOurs =
    isReleaseCommit(repository.root, commit, release) ||
    (commit === release.head && commit === repository.head && isAsPlanned());
  if (!isOurs) throw new Refusal(`The tag ${name} is there already, at the commit ${commit.slice(0, 10)}.`);
  return report(repository, { ...release, tag: name }, commit, `${name} is done already.`);
}

function refuseOlder(version, last) {
  if (last === undefined || compareVersions(parseVersion(version), last.version) > 0) return;
  throw new Refusal(`${version} is not higher than the last version, ${last.version.text}.`);
}

function refuseNamelessPerson(root) {
  const fault = findIdentityFault(root);
  if (fault) throw new Refusal(fault);
}

/** A commit that this script made upon the inspected one. A hook may have put words before or after its subject. */
function isReleaseCommit(root, commit, { version, tag, head }) {
  const facts = tryGit(root, ["show", "-s", "--no-color", "--format=%P%n%s", commit]) ?? "";
  const [parent, subject = ""] = facts.split("\n");
  const words = subject.split(" ");
  const at = words.indexOf("release:");
  return parent === head && at >= 0 && [tag, version].includes(words[at + 1]);
}

/** Writes and commits. Changes that a killed run left, and no others, may stand in the files before. */
function commitFiles(repository, release) {
  const { root } = repository;
  const changes = listChanges(root);
  const changed = planFiles(repository, changes, release).filter(({ old, text }) => old !== text);
  const ours = new Set(changed.filter(({ now, text }) => now === text).map(({ path }) => path));
  refuseChanges(changes.filter((path) => !ours.has(path)));
  if (changed.length === 0) return release.head;
  const paths = changed.map(({ path }) => path);
  const ignored = paths.find((path) => tryGit(root, ["check-ignore", "-q", "--", path]) !== undefined);
  if (ignored) throw new Refusal(`${ignored} is ignored by git, so it cannot be a part of the release.`);
  try {
    for (const { path, text } of changed) writeText(repository, path, text);
    writeGit(root, ["add", "--", ...paths]);
    writeGit(root, ["commit", "-q", "-F", "-"], `release: ${release.tag}\n`);
  } catch (error) {
    // A hook that runs after the commit can end git and not undo it.
    const made = readGit(root, ["rev-parse", "HEAD"]);
    if (isReleaseCommit(root, made, release)) return made;
    restore(repository, changed);
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(
      `The commit was refused; ${listNames(paths)} are as they were. git says:\n${error.message}`,
    );
  }
  return readGit(root, ["rev-parse", "HEAD"]);
}

function restore(repository, changed) {
  writeGit(repository.root, ["reset", "-q", "--", ...changed.map(({ path }) => path)]);
  for (const { path, old } of changed) {
    if (old === undefined) rmSync(join(repository.root, path), { force: true });
    else writeText(repository, path, old);
  }
}

function finish(repository, release, commit) {
  const { tag, changelog } = release;
  try {
    const words = ["tag", "-a", "--cleanup=whitespace", "-F", "-", tag, commit];
    writeGit(repository.root, words, `${tag}\n\n${changelog.trim()}\n`);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const where = `The commit ${commit.slice(0, 10)} is made, its tag ${tag} is not`;
    throw new Refusal(`${where}. Run this again once it can be made. git says:\n${error.message}`);
  }
  return report(repository, release, commit, `${tag} is made, at the commit ${commit.slice(0, 10)}.`);
}

function report({ root, branch }, { tag, head }, commit, done) {
  const names =
    commit === head ? "" : readGit(root, ["diff-tree", "-z", "--no-commit-id", "--name-only", "-r", commit]);
  const push = findPush(root, branch, tag);
  const next = push === "" ? "There is no remote to push it to." : `Nothing was pushed. To push it: ${push}`;
  return { tag, commit, files: names.split("\0").filter(Boolean), push, summary: `${done}\n${next}` };
}

/** The command that publishes branch and tag; empty without a remote. */
function findPush(root, branch, tag) {
  const remotes = (tryGit(root, ["remote"]) ?? "").split("\n").filter(Boolean);
  const own = tryGit(root, ["config", "--get", `branch.${branch}.remote`]);
  const remote =
    remotes.find((name) => name === own) ?? remotes.find((name) => name === "origin") ?? remotes[0];
  if (remote === undefined) return "";
  const upstream = tryGit(root, ["config", "--get", `branch.${branch}.merge`])?.replace(/^refs\/heads\//, "");
  const target = remote === own && upstream && upstream !== branch ? `${branch}:${upstream}` : branch;
  return ["git push", quote(remote), quote(target), quote(tag)].join(" ");
}
