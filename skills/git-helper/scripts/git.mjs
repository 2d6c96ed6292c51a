import { execFile } from "node:child_process";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

/** Wrong words or a wrong place: one line for the person, exit code 2. */
export class UsageError extends Error {}

/** A fix that would lose work or is not safe here: one line for the person, exit code 3. */
export class Refusal extends Error {}

const mostOutput = 256 * 1024 * 1024;
const before = ["--no-pager", "-c", "color.ui=never", "-c", "core.fsmonitor=false"];
const { GIT_EDITOR: _editor, GIT_INDEX_FILE: _index, ...inherited } = process.env;
const environment = { ...inherited, GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", LC_ALL: "C" };

/** Runs a script's body and turns what it throws into one line and an exit code. */
export async function runScript(body) {
  try {
    console.log(await body(process.argv.slice(2)));
  } catch (error) {
    const known = error instanceof UsageError || error instanceof Refusal;
    console.error(known ? error.message : `Failed: ${show(error.message)}`);
    process.exitCode = error instanceof UsageError ? 2 : error instanceof Refusal ? 3 : 1;
  }
}

/** Runs git without a shell; throws its first line when it fails. */
export async function runGit(words, options) {
  const { code, stdout, stderr } = await callGit(words, options);
  if (code !== 0) throw new Error(`git ${words[0]}: ${firstLine(stderr) || `exit code ${code}`}`);
  return stdout.replace(/\n$/, "");
}

/** What git answers without changing anything; undefined when it says no. */
export async function askGit(...words) {
  const { code, stdout } = await callGit(words, { env: { GIT_OPTIONAL_LOCKS: "0" } });
  return code === 0 ? stdout.replace(/\n$/, "") : undefined;
}

/** As askGit, for output whose parts end with a zero byte. */
export async function listGit(...words) {
  return ((await askGit(...words)) ?? "").split("\0").filter((part) => part !== "");
}

function callGit(words, { input, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: mostOutput, env: { ...environment, ...env } };
    const child = execFile(
      "git",
      [...before, ...toLiteral(words), ...words],
      options,
      (error, stdout, stderr) => {
        if (error?.code === "ENOENT") reject(new UsageError("git is not installed."));
        else if (error !== null && typeof error.code !== "number") reject(error);
        else resolve({ code: error?.code ?? 0, stdout, stderr });
      },
    );
    // Git may end before it has read everything; how it ended is what counts.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
  });
}

/** Names are taken by the letter. Only where there are some: `stash` uses patterns of its own and fails silently. */
function toLiteral(words) {
  return words.includes("--") || words.includes("--pathspec-from-file=-") ? ["--literal-pathspecs"] : [];
}

/** The root of the work tree, the folder in it that we stand in, and git's own folder. */
export async function openRepository() {
  const found = await askGit("rev-parse", "--show-toplevel", "--absolute-git-dir", "--show-prefix");
  if (found !== undefined) {
    const [root, folder, prefix = ""] = found.split("\n");
    return { root, folder, prefix };
  }
  if ((await askGit("rev-parse", "--is-bare-repository")) === "true")
    throw new UsageError("This repository has no work tree. Go to a clone of it.");
  throw new UsageError("This folder is in no Git repository.");
}

/** A path from the root as a path from where we stand. */
export function toShown(path, { prefix }) {
  const shown = posix.relative(`/${prefix}`, `/${path}`) || ".";
  return path.endsWith("/") && shown !== "." ? `${shown}/` : shown;
}

/** A path from where we stand as a path from the root. */
export function toRooted(path, { prefix }) {
  const rooted = posix.normalize(posix.join(prefix, path)).replace(/\/$/, "");
  if (path === "" || path.startsWith("/") || rooted === ".." || rooted.startsWith("../"))
    throw new UsageError(`"${show(path)}" is no path in this repository.`);
  return rooted;
}

/** A commit's id; undefined when there is none of that name. */
export function findCommit(name) {
  return askGit("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`);
}

/** A name or a line as one line: control characters must not reach the terminal. */
export function show(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) => {
    return `\\u${found.codePointAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** `1 file`, `2 files`. */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : /(s|x|ch|sh)$/.test(word) ? "es" : "s"}`;
}

/** The first names of a list and how many more there are. */
export function list(names, most = 10) {
  const shown = names.slice(0, most).map(show).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

/** The command line of a fix, to copy and paste. */
export function toFixCommand(...words) {
  return `node ${[fileURLToPath(new URL("fix.mjs", import.meta.url)), ...words].map(quote).join(" ")}`;
}

/** A command line of git; a name with a wildcard in it is taken by the letter. */
export function toGitCommand(...words) {
  const isPlain = words.slice(words.indexOf("--") + 1).every((word) => !/^:|[*?[]/.test(word));
  const literal = words.includes("--") && !isPlain ? ["--literal-pathspecs"] : [];
  return ["git", ...literal, ...words].map(quote).join(" ");
}

/** A word as a shell takes it; control characters in the spelling that they are shown in. */
export function quote(word) {
  if (/^[\p{L}\p{N}_./:@%+=,-]+$/u.test(word)) return word;
  if (!/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word.replace(/['\\]/g, "\\$&");
  return `$'${escaped.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) => `\\u${found.codePointAt(0).toString(16).padStart(4, "0")}`)}'`;
}

function firstLine(text) {
  const line = text.split("\n").find((each) => each.trim() !== "");
  return line?.replace(/^(fatal|error): /, "");
}
