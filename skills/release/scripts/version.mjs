const part = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const number = "(0|[1-9]\\d*)";
const build = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";

/** A version by semver.org, as the text of a pattern with groups for its numbers and its pre-release. */
export const versionPattern = `${number}\\.${number}\\.${number}(?:-(${part}(?:\\.${part})*))?(?:\\+${build})?`;
const wholePattern = new RegExp(`^${versionPattern}$`);
const firstVersion = "0.1.0";

/** What a release may raise, the least first. */
export const levels = ["none", "patch", "minor", "major"];

/** The parts of a version; undefined for anything else. */
export function parseVersion(text) {
  const match = wholePattern.exec(text);
  if (!match) return undefined;
  const [major, minor, patch] = match.slice(1, 4).map(Number);
  return { text, major, minor, patch, early: match[4]?.split(".") ?? [] };
}

/** Negative when the first is the lower one. A pre-release is lower than its release. */
export function compareVersions(one, other) {
  for (const key of ["major", "minor", "patch"]) if (one[key] !== other[key]) return one[key] - other[key];
  if (one.early.length === 0 || other.early.length === 0) return other.early.length - one.early.length;
  for (let index = 0; index < Math.max(one.early.length, other.early.length); index += 1) {
    const order = compareParts(one.early[index], other.early[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(one, other) {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
  const [first, second] = [isNumber(one), isNumber(other)];
  if (first && second) return Number(one) - Number(other);
  if (first !== second) return first ? -1 : 1;
  return one < other ? -1 : 1;
}

/** The level that leads to a version: `patch` for 1.2.3, `minor` for 1.2.0, `major` for 1.0.0. */
export function findLevel({ minor, patch }) {
  if (patch > 0) return "patch";
  return minor > 0 ? "minor" : "major";
}

/**
 * The next version. A pre-release goes on counting, 1.0.0-beta.1 to 1.0.0-beta.2, unless the level is higher
 * than what it prepares.
 */
export function raiseVersion(version, level) {
  const { major, minor, patch, early } = version;
  const covered = early.length > 0 && levels.indexOf(level) <= levels.indexOf(findLevel(version));
  if (covered) return parseVersion(`${major}.${minor}.${patch}-${countOn(early)}`);
  const core = {
    major: `${major + 1}.0.0`,
    minor: `${major}.${minor + 1}.0`,
    patch: `${major}.${minor}.${patch + 1}`,
  }[level];
  return parseVersion(early.length > 0 ? `${core}-${[...findLabel(early), 1].join(".")}` : core);
}

function countOn(early) {
  const at = early.findLastIndex(isNumber);
  return early
    .map((text, index) => (index === at ? Number(text) + 1 : text))
    .concat(at === -1 ? 1 : [])
    .join(".");
}

function findLabel(early) {
  const at = early.findIndex(isNumber);
  return at === -1 ? early : early.slice(0, at);
}

function isNumber(text) {
  return /^\d+$/.test(text);
}

/** The version that a first release gets: the package's own, unless that is a mere placeholder. */
export function findFirstVersion(own) {
  const isPlaceholder = own === undefined || (own.major === 0 && own.minor === 0 && own.patch === 0);
  return isPlaceholder ? parseVersion(firstVersion) : own;
}

/**
 * The version to propose: the last one raised, or the package's own when someone has raised that already.
 *
 * @param facts - `last` and `own` may be missing; `taken` holds the versions of all tags.
 */
export function proposeVersion({ last, own, taken }, level) {
  let version = last === undefined ? proposeFirst(own, level) : raiseVersion(last, level);
  if (last && own && compareVersions(own, last) > 0 && compareVersions(own, version) >= 0) version = own;
  while (taken.has(version.text)) version = raiseVersion(version, level);
  return version;
}

function proposeFirst(own, level) {
  const first = findFirstVersion(own);
  return level === findLevel(first) ? first : raiseVersion(first, level);
}
