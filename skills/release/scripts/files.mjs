import {
  chmodSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { addSection, findDate } from "./changelog.mjs";
import { Refusal } from "./common.mjs";
import { readFileAt, readGit } from "./git.mjs";
import { manifests, replaceVersion } from "./manifest.mjs";

/** The name of the project's changelog, in the case that it has there. */
export function findChangelog(root) {
  return readdirSync(root).find((name) => name.toLowerCase() === "changelog.md") ?? "CHANGELOG.md";
}

/**
 * The text of a file of the project; undefined when it is not there.
 *
 * @throws Refusal for what cannot be written again without harm: a link, a folder, another encoding.
 */
export function readText(root, path) {
  const facts = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  if (!facts.isFile()) throw new Refusal(`${path} is not an ordinary file.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(join(root, path)));
  } catch {
    throw new Refusal(`${path} is not in UTF-8.`);
  }
}

/** Those of the paths that git keeps: the others are no part of a release. */
export function pickTracked(root, paths) {
  const tracked = readGit(root, ["--literal-pathspecs", "ls-files", "-z", "--", ...paths]).split("\0");
  return paths.filter((path) => tracked.includes(path));
}

/**
 * What each file of a release has now, had in the last commit and will have. A file that git does not keep is
 * left alone.
 *
 * @param changes - Paths that differ from the last commit.
 */
export function planFiles({ root, head }, changes, { version, changelog }) {
  const path = findChangelog(root);
  const date = findDate(readText(root, path) ?? "", version) ?? toDate(new Date());
  const own = { path, toText: (old = "") => addSection(old, version, changelog, date) };
  const tracked = pickTracked(root, [...manifests.keys()]);
  const others = tracked.map((path) => ({
    path,
    toText: (old) => replaceVersion(path, manifests.get(path), old, version),
  }));
  return [own, ...others].map(({ path, toText }) => {
    const now = readText(root, path);
    // Changed files count from what the last commit has: a killed run may have written them.
    const old = changes.includes(path) ? readFileAt(root, head, path) : now;
    return { path, now, old, text: old === undefined && path !== own.path ? undefined : toText(old) };
  });
}

function toDate(date) {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, "0"));
  return `${date.getFullYear()}-${month}-${day}`;
}

/** Replaces a file as a whole, so that a crash leaves the old text or the new one, and no third file beside them. */
export function writeText({ root, directory }, path, text) {
  const place = join(root, path);
  const fresh = join(directory, "release-new-text");
  writeFileSync(fresh, text);
  const facts = lstatSync(place, { throwIfNoEntry: false });
  if (facts) chmodSync(fresh, facts.mode);
  try {
    renameSync(fresh, place);
  } catch (error) {
    if (error.code !== "EXDEV") throw error;
    copyFileSync(fresh, place);
    rmSync(fresh);
  }
}
