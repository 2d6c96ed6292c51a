#!/usr/bin/env node
import { runScript, show, UsageError } from "./common.mjs";
import { describeCommits, readState, refuseVersion } from "./state.mjs";
import { levels, parseVersion } from "./version.mjs";

/** A tool's result that is longer than this may be cut, and then it is no JSON any more. */
const largest = 20_000;
const longestSubject = 200;

runScript((words) => {
  const asked = readAsked(words);
  const state = readState();
  const { branch, head, last, own, commits, warnings } = state;
  if (asked?.version) refuseVersion(state, asked.version);
  const { shown, omitted } = fit(commits.map(describe));
  return {
    suggested: asked?.level ?? state.suggested,
    version: asked?.version?.text ?? "",
    branch,
    lastTag: last?.name ?? "",
    currentVersion: own?.text ?? last?.version.text ?? "",
    head,
    summary: summarize(state, asked),
    warnings,
    commits: shown,
    omitted,
  };
});

/** What the person asked for: a level, a version, or nothing. A sentence may hold one of them; its other words say nothing. */
function readAsked(words) {
  const all = words.flatMap((word) => word.split(/\s+/)).filter(Boolean);
  const found = all.map(readWord).filter((wish) => wish !== undefined);
  const isOption = all.some((word) => word.startsWith("-"));
  if (found.length === 1 && !isOption) return found[0];
  if (found.length === 0 && all.length !== 1 && !isOption) return undefined;
  const text = all.join(" ");
  throw new UsageError(
    `A release is major, minor, patch or a version such as 1.2.0, not "${show(text)}". Without a word it follows the commits.`,
  );
}

function readWord(word) {
  if (levels.includes(word) && word !== "none") return { text: word, level: word };
  const version = parseVersion(word.replace(/^v/, ""));
  return version && { text: version.text, version };
}

function describe({ short, subject, type, breaking, undone }) {
  const characters = [...subject];
  const isLong = characters.length > longestSubject;
  const text = isLong ? `${characters.slice(0, longestSubject).join("").trimEnd()}…` : subject;
  return {
    hash: short,
    subject: text,
    type: undone ? "undone" : type,
    breaking,
  };
}

/** The newest commits that fit, and how many do not. */
function fit(commits) {
  let size = 0;
  const end = commits.findIndex((commit) => {
    size += JSON.stringify(commit, undefined, 2).length + 30;
    return size > largest;
  });
  return end === -1
    ? { shown: commits, omitted: 0 }
    : { shown: commits.slice(0, end), omitted: commits.length - end };
}

function summarize({ branch, last, commits, suggested, warnings }, asked) {
  const since = last ? `since ${last.name}` : "and no version tag yet";
  const advice = asked ? `Asked for: ${asked.text}. The commits suggest: ${suggested}.` : advise(suggested);
  return [`${describeCommits(commits)} on ${branch} ${since}. ${advice}`, ...warnings].join("\n");
}

function advise(suggested) {
  if (suggested !== "none") return `Suggested: ${suggested}.`;
  return "Nothing in them that users notice: to release anyway, change the suggestion to patch, minor or major.";
}
