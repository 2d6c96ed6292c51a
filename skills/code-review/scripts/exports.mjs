import { posix } from "node:path";
import { readGit } from "./git.mjs";
import { findLanguage, isTest } from "./kinds.mjs";
import { findEnclosing, findExports } from "./outline.mjs";

const mostNames = 12;
const mostUsers = 8;

/** The exports of a file that a change adds, removes or touches, each with what happens to it. */
export function listExports(file, lines) {
  if (isTest(file.path)) return [];
  const changed = file.hunks.flatMap((hunk) => hunk.lines.filter(({ sign }) => sign !== " "));
  const namesOf = (sign) =>
    new Set(changed.filter((line) => line.sign === sign).flatMap(({ text }) => findExports(text, file.path)));
  const [added, removed] = [namesOf("+"), namesOf("-")];
  const found = new Map();
  for (const name of removed) found.set(name, added.has(name) ? "its line changed" : "removed");
  for (const name of added) if (!found.has(name)) found.set(name, "new");
  for (const { number } of lines ? changed.filter(({ sign }) => sign === "+") : []) {
    const head = findEnclosing(lines, number, file.path)?.head;
    for (const name of head ? findExports(head, file.path) : [])
      if (!found.has(name)) found.set(name, "its body changed");
  }
  return [...found].slice(0, mostNames).map(([name, change]) => ({ name, change }));
}

/** The lines of other files that name an export, those of the project before its tests. */
export async function findUsers(name, file, { repository, search }) {
  // A default export has no name of its own; whoever uses it names the file.
  const word = name === "default" ? posix.basename(file.path).replace(/\..*$/, "") : name;
  const options = ["-n", "-z", "-w", "-F", "-I", "--no-column", "--full-name", "--no-color"];
  const commit = search[0].startsWith("--") ? [] : search;
  const place = search[0].startsWith("--") ? search : [];
  const output = await readGit(["grep", ...options, ...place, "-e", word, ...commit, "--"], {
    accept: [0, 1],
    folder: repository.root,
  });
  const users = output
    .toString()
    .split("\n")
    .map((line) => line.split("\0"))
    .filter((parts) => parts.length === 3)
    .map(([path, number, text]) => ({
      path: commit.length > 0 ? path.slice(path.indexOf(":") + 1) : path,
      number,
      text,
    }))
    .filter(({ path }) => path !== file.path && findLanguage(path) !== undefined)
    .sort((one, other) => Number(isTest(one.path)) - Number(isTest(other.path)));
  return { users: users.slice(0, mostUsers), more: Math.max(0, users.length - mostUsers) };
}
