import { count, Refusal } from "./common.mjs";
import { findChangelog, pickTracked, readText } from "./files.mjs";
import { findIdentityFault, listChanges, openRepository, refuseChanges, refuseMoved } from "./git.mjs";
import { findLastTag, findWeight, listVersionTags, readCommits } from "./history.mjs";
import { findOwnVersion } from "./manifest.mjs";
import { compareVersions, findFirstVersion, findLevel } from "./version.mjs";

/**
 * What there is to release.
 *
 * @param seen - The commit that a person has seen, when there is one.
 * @throws Refusal when nothing can be released from here.
 */
export function readState(seen) {
  const repository = openRepository();
  const { root, head, isShallow } = repository;
  refuseMoved(head, seen);
  refuseChanges(listChanges(root));
  const tags = listVersionTags(root);
  const last = findLastTag(root, tags);
  if (isShallow && last === undefined)
    throw new Refusal("This is a shallow clone without a version tag. Run: git fetch --unshallow --tags");
  const commits = readCommits(root, last?.name);
  if (commits.length === 0) throw new Refusal(`There are no commits since ${last.name}. Nothing to release.`);
  const [manifest] = pickTracked(root, ["package.json"]);
  const own = manifest && findOwnVersion(readText(root, manifest));
  const changelog = findChangelog(root);
  return {
    ...repository,
    tags,
    taken: new Set(tags.map(({ version }) => version.text)),
    last,
    prefix: findPrefix(last, tags),
    own,
    commits,
    suggested: suggestLevel(commits, last?.version, own),
    changelog: { path: changelog, text: readText(root, changelog) },
    warnings: listWarnings(repository, last, own),
  };
}

/** Refuses a version that is there already, or not higher than the last one. */
export function refuseVersion({ last, taken }, version) {
  if (taken.has(version.text)) throw new Refusal(`${version.text} is tagged already.`);
  if (last && compareVersions(version, last.version) <= 0)
    throw new Refusal(`${version.text} is not higher than the last version, ${last.version.text}.`);
}

/** What stands before the number in the tags of this repository; `v` in a new one. */
export function findPrefix(last, tags) {
  return (last ?? tags[0])?.prefix ?? "v";
}

/** The level that the commits ask for. Below 1.0.0 a breaking change raises the second number. */
function suggestLevel(commits, last, own) {
  if (last === undefined) return findLevel(findFirstVersion(own));
  const weight = findWeight(commits);
  return weight === "major" && last.major === 0 ? "minor" : weight;
}

function listWarnings({ root, isShallow }, last, own) {
  const identity = findIdentityFault(root);
  return [
    ...(isShallow
      ? ["This is a shallow clone: commits may be missing. To get them: git fetch --unshallow --tags"]
      : []),
    ...(identity === undefined ? [] : [`Nothing can be committed yet: ${identity}`]),
    ...(last && own && last.version.text !== own.text
      ? [`package.json says ${own.text}, the last tag is ${last.name}.`]
      : []),
  ];
}

/** How many commits of which type, for people. */
export function describeCommits(commits) {
  const types = new Map();
  for (const { type } of commits) types.set(type, (types.get(type) ?? 0) + 1);
  const breaking = commits.filter((commit) => commit.breaking).length;
  const parts = [...types]
    .sort((one, other) => other[1] - one[1])
    .map(([type, number]) => `${number} ${type}`);
  return `${count(commits.length, "commit")} (${[...parts, ...(breaking > 0 ? [`${breaking} breaking`] : [])].join(", ")})`;
}
