import { toOneLine } from "./common.mjs";
import { readGit, tryGit } from "./git.mjs";
import { compareVersions, levels, parseVersion, versionPattern } from "./version.mjs";

const tagPattern = new RegExp(`^([vV]?)(${versionPattern})$`);
const header =
  /^(?<type>\p{L}+)\s*(?:[(（](?<scope>[^()（）]*)[)）])?\s*(?<mark>!?)\s*[:：]\s*(?<text>\S.*)$/u;
const emoji = /^(?::\w+:|(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f)+)\s*/u;
const breakingNote = /^BREAKING[ -]CHANGE\s*:\s*([\s\S]*?)(?=\n\s*\n|\n[\w-]+: |$(?![\s\S]))/m;
const aliases = { feature: "feat", bugfix: "fix", hotfix: "fix", doc: "docs", tests: "test" };
/** Types that nobody who uses the project notices, and the ones that somebody does. */
const quietTypes = ["docs", "style", "refactor", "test", "build", "ci", "chore", "release"];
const loudTypes = ["feat", "fix", "perf", "revert"];

/** Tags that are versions, the highest first. */
export function listVersionTags(root) {
  const names = readGit(root, ["for-each-ref", "--format=%(refname:strip=2)", "refs/tags"]).split("\n");
  const tags = names.flatMap((name) => {
    const [, prefix, text] = tagPattern.exec(name) ?? [];
    return text === undefined ? [] : [{ name, prefix, version: parseVersion(text) }];
  });
  return tags.sort((one, other) => compareVersions(other.version, one.version));
}

/**
 * The highest of these tags that the branch contains. `git for-each-ref --merged` is quicker and misses tags
 * when a clock was once set back.
 */
export function findLastTag(root, tags) {
  return tags.find(({ name }) => {
    return tryGit(root, ["merge-base", "--is-ancestor", `refs/tags/${name}`, "HEAD"]) !== undefined;
  });
}

/** The commits of the branch since a tag, or all of them, newest first. */
export function readCommits(root, since) {
  const range = since === undefined ? "HEAD" : `refs/tags/${since}..HEAD`;
  const format = ["-z", "--encoding=UTF-8", "--no-color", "--abbrev=7", "--format=%H %h %P%n%B"];
  const output = readGit(root, ["log", ...format, range, "--"]);
  const commits = output
    .split("\0")
    .filter((entry) => entry.trim() !== "")
    .map(parseCommit);
  // A merge repeats what its commits say.
  const own = commits.filter((commit) => !commit.isMerge);
  return markUndone(own.length > 0 ? own : commits);
}

function parseCommit(entry) {
  const [facts, ...lines] = entry.replace(/^\n/, "").split("\n");
  const [hash, short, ...parents] = facts.split(" ");
  const message = lines.join("\n").trim();
  const subject = toOneLine(message.split(/\n\s*\n/)[0]) || "(no message)";
  const note = breakingNote.exec(message)?.[1];
  const reverts = /^This reverts commit ([0-9a-f]{7,64})/m.exec(message)?.[1];
  const isMerge = parents.length > 1;
  return { hash, short, subject, isMerge, reverts, ...readHeader(subject, note) };
}

/** Type, scope and text by conventionalcommits.org; any other subject stays whole, as type `other`. */
function readHeader(subject, note) {
  const { type = "", scope = "", mark, text } = header.exec(subject.replace(emoji, ""))?.groups ?? {};
  const lower = type.toLowerCase();
  const known = Object.hasOwn(aliases, lower) ? aliases[lower] : lower;
  const breaking = note !== undefined || mark === "!";
  const facts = { breaking, ...(note === undefined ? {} : { note: toOneLine(note) }) };
  if (/^Revert "/.test(subject)) return { type: "revert", scope: "", text: subject, ...facts };
  if (!quietTypes.includes(known) && !loudTypes.includes(known))
    return { type: "other", scope: "", text: subject, ...facts };
  return { type: known, scope: scope.trim(), text, ...facts };
}

/** A commit and its revert undo each other; a revert that was reverted itself undoes nothing. */
function markUndone(commits) {
  for (const commit of commits) {
    if (commit.undone || commit.reverts === undefined) continue;
    const target = commits.find(({ hash }) => hash.startsWith(commit.reverts));
    if (target === undefined || target === commit) continue;
    target.undone = true;
    commit.undone = true;
  }
  return commits;
}

/** True for a commit that those who use the project notice. */
export function isLoud(commit) {
  return commit.breaking || !quietTypes.includes(commit.type);
}

/** What the commits ask for: the highest level among those that count. */
export function findWeight(commits) {
  const weights = commits.filter(({ undone }) => !undone).map(weigh);
  return levels[Math.max(0, ...weights.map((level) => levels.indexOf(level)))];
}

function weigh(commit) {
  if (commit.breaking) return "major";
  if (commit.type === "feat") return "minor";
  return isLoud(commit) ? "patch" : "none";
}
