import { execFile } from "node:child_process";

/** Wrong words or a wrong place: one line for the person, exit code 2. */
export class UsageError extends Error {}

const mostOutput = 256 * 1024 * 1024;

/** Settings of a repository that would start programs, or change how a diff is written, are not followed. */
const settings = ["core.fsmonitor=false", "core.quotePath=true", "diff.submodule=short", "color.ui=never"];
const before = ["--no-pager", "--literal-pathspecs", ...settings.flatMap((setting) => ["-c", setting])];
const { GIT_EXTERNAL_DIFF: _diff, GIT_DIFF_OPTS: _options, ...inherited } = process.env;
const environment = { ...inherited, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };

/** Runs a script's body and turns what it throws into one line and an exit code. */
export async function runScript(body) {
  // A reader that closes early, such as `head`, is no failure.
  process.stdout.on("error", () => process.exit(0));
  try {
    console.log(await body(process.argv.slice(2)));
  } catch (error) {
    console.error(error instanceof UsageError ? error.message : `Failed: ${show(error.message)}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** What git printed, as bytes. Its words reach it as they are: no shell is between. */
export async function readGit(words, { accept = [0], folder } = {}) {
  const { code, stdout, stderr } = await callGit(words, folder);
  if (!accept.includes(code)) throw new Error(`git ${words[0]}: ${firstLine(stderr) || `exit code ${code}`}`);
  return stdout;
}

/** What git printed, as text without the last line break; undefined when git says no. */
export async function askGit(...words) {
  const { code, stdout } = await callGit(words);
  return code === 0 ? stdout.toString().replace(/\n$/, "") : undefined;
}

function callGit(words, folder) {
  const options = { encoding: "buffer", maxBuffer: mostOutput, env: environment };
  if (folder !== undefined) options.cwd = folder;
  return new Promise((resolve, reject) => {
    execFile("git", [...before, ...words], options, (error, stdout, stderr) => {
      if (error?.code === "ENOENT") reject(new UsageError("git is not installed."));
      else if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

/** A name or a line as one line: control characters must not reach the terminal. */
export function show(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) => {
    return found === "\t" ? "  " : `\\u${found.codePointAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** `1 file`, `2 files`. */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

function firstLine(bytes) {
  return bytes
    .toString()
    .split("\n")
    .filter((line) => line.trim() !== "")
    .at(0)
    ?.replace(/^(fatal|error): /, "");
}
