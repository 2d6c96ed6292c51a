import { posix } from "node:path";
import { parseArgs } from "node:util";
import { UsageError } from "./git.mjs";

/** Splits a script's words into what to review, the paths behind `--`, and the options. */
export function readWords(words, script, more = {}) {
  const options = { staged: { type: "boolean" }, ...more };
  try {
    const end = words.indexOf("--");
    const before = end === -1 ? words : words.slice(0, end);
    const { values, positionals } = parseArgs({ args: before, allowPositionals: true, options });
    return { what: positionals, paths: end === -1 ? [] : words.slice(end + 1), options: values };
  } catch (error) {
    const names = Object.entries(options).map(
      ([name, { type }]) => `[--${name}${type === "string" ? " VALUE" : ""}]`,
    );
    throw new UsageError(
      `Usage: ${script} [range | diff file] ${names.join(" ")} [-- paths]: ${error.message.split(". ")[0]}`,
    );
  }
}

/** A path from the root of the repository as a path from where we stand. */
export function toShown(path, repository) {
  return repository ? posix.relative(`/${repository.prefix}`, `/${path}`) : path;
}
