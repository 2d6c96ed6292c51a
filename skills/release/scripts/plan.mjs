#!/usr/bin/env node
import { findWritten, renderChanges } from "./changelog.mjs";
import { Refusal, readHead, readOptions, runScript, show, UsageError } from "./common.mjs";
import { planFiles } from "./files.mjs";
import { findLastTag, readCommits } from "./history.mjs";
import { describeCommits, readState, refuseVersion } from "./state.mjs";
import { levels, parseVersion, proposeVersion } from "./version.mjs";

runScript((words) => {
  const options = readOptions("plan.mjs", words, ["suggested", "version", "head"]);
  const wanted = readWanted(options);
  const seen = readHead(options);
  const level = readLevel(options);
  const state = readState(seen);
  const version = wanted ?? propose(state, level ?? state.suggested);
  refuseVersion(state, version);
  const tag = state.prefix + version.text;
  const { commits, since } = findCommits(state, version);
  const written = findWritten(state.changelog.text ?? "", version.text);
  const changes = written?.body ?? renderChanges(commits);
  const files = planFiles(state, [], { version: version.text, changelog: changes });
  const writes = files.filter(({ old, text }) => old !== text).map(({ path }) => path);
  return {
    version: version.text,
    summary: summarize({ ...state, version, tag, commits, since, written, writes }),
    changelog: changes,
  };
});

/** The version that was asked for; an empty one stands for none. */
function readWanted(options) {
  const text = options.get("version") ?? "";
  if (text === "") return undefined;
  const version = parseVersion(text.replace(/^v/, ""));
  if (version) return version;
  throw new UsageError(`--version takes a version such as 1.2.0, not "${show(text)}".`);
}

function readLevel(options) {
  const level = options.get("suggested");
  if (level === undefined || levels.includes(level)) return level;
  throw new UsageError(`--suggested takes one of ${levels.join(", ")}, not "${show(level)}".`);
}

function propose({ last, own, taken }, level) {
  if (level === "none") {
    throw new Refusal(
      'The suggestion is "none": nothing in the commits that users notice. To release anyway, go back and change it to patch, minor or major.',
    );
  }
  return proposeVersion({ last: last?.version, own, taken }, level);
}

/** A release says what is new since the last release, and counts no pre-release between them. */
function findCommits({ root, tags, last, commits }, version) {
  if (!last || version.early.length > 0 || last.version.early.length === 0) return { commits, since: last };
  const releases = tags.filter((tag) => tag.version.early.length === 0);
  const since = findLastTag(root, releases);
  return { commits: readCommits(root, since?.name), since };
}

function summarize({ branch, last, version, tag, commits, since, written, writes, changelog, warnings }) {
  const release =
    last?.version.early.length > 0 && version.early.length > 0 ? version.text.split("-")[0] : undefined;
  const done = writes.length > 0 ? `Writes ${writes.join(", ")}, commits on ${branch}, tags` : "Tags";
  return [
    `Release ${version.text}: ${describeCommits(commits)} since ${since?.name ?? "the beginning"}.`,
    `${done} ${tag}. Nothing is pushed.`,
    written && `The text is what ${changelog.path} has under ${written.where}.`,
    release && `It goes on with the pre-releases; the release itself would be ${release}.`,
    ...warnings,
  ]
    .filter(Boolean)
    .join("\n");
}
