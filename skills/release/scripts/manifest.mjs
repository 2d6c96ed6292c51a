import { Refusal, show } from "./common.mjs";
import { parseVersion } from "./version.mjs";

const lockPlaces = [["version"], ["packages", "", "version"]];

/** Files that hold the project's version, and its places in each. */
export const manifests = new Map([
  ["package.json", [["version"]]],
  ["package-lock.json", lockPlaces],
  ["npm-shrinkwrap.json", lockPlaces],
]);

/** The version in a package.json; undefined without one, or when it is none by semver.org. */
export function findOwnVersion(text) {
  if (text === undefined) return undefined;
  const { version } = readJson("package.json", text);
  return typeof version === "string" ? parseVersion(version) : undefined;
}

/** The same text with another version in it. A file that has no version is left as it is. */
export function replaceVersion(path, places, text, version) {
  readJson(path, text);
  const spans = findStrings(text, places);
  const output = spans.reduceRight(
    (whole, { start, end }) => whole.slice(0, start) + JSON.stringify(version) + whole.slice(end),
    text,
  );
  readJson(path, output);
  return output;
}

function readJson(path, text) {
  try {
    const value = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    throw new Refusal(`${path} is no JSON: ${show(error.message)}.`);
  }
  throw new Refusal(`${path} is no JSON object.`);
}

/** Where the strings at these places stand in a JSON text, their quotes included. */
function findStrings(text, places) {
  const spans = [];
  const open = [];
  let key;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    const end = index + token.length;
    if (token === "{" || token === "[") {
      open.push({ isObject: token === "{", key });
      key = undefined;
    } else if (token === "}" || token === "]") {
      open.pop();
      key = undefined;
    } else if (token === ",") key = undefined;
    else if (token !== ":" && open.at(-1)?.isObject && key === undefined) key = JSON.parse(token);
    else if (token !== ":") {
      const place = [...open.slice(1).map((each) => each.key), key];
      const isWanted = places.some(
        (keys) => keys.length === place.length && keys.every((name, at) => name === place[at]),
      );
      if (isWanted) spans.push({ start: index, end });
    }
  }
  return spans;
}
