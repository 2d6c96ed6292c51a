#!/usr/bin/env node
import { readOptions, runScript } from "./common.mjs";
import { describeCommits, readState } from "./state.mjs";

/** A tool's result that is longer than this may be cut, and then it is no JSON any more. */
const largest = 20_000;
const longestSubject = 200;

runScript((words) => {
  readOptions("inspect.mjs", words, []);
  const { branch, head, last, own, commits, suggested, warnings } = readState();
  const { shown, omitted } = fit(commits.map(describe));
  return {
    suggested,
    branch,
    lastTag: last?.name ?? "",
    currentVersion: own?.text ?? last?.version.text ?? "",
    head,
    summary: summarize({ branch, last, commits, suggested, warnings }),
    warnings,
    commits: shown,
    omitted,
  };
});

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

function summarize({ branch, last, commits, suggested, warnings }) {
  const since = last ? `since ${last.name}` : "and no version tag yet";
  const advice =
    suggested === "none"
      ? "Nothing in them that users notice: to release anyway, change the suggestion to patch, minor or major."
      : `Suggested: ${suggested}.`;
  return [`${describeCommits(commits)} on ${branch} ${since}. ${advice}`, ...warnings].join("\n");
}
