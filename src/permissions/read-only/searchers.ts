import type { FlagSpec } from "./arguments.ts";

/** When a program comes to names with a dot in front; where nothing is said, always. */
export interface HiddenNames {
  /** With one of these flags, to all. */
  flags: string[];
  /** To what the value of one of these matches. */
  globFlags: string[];
  /** With one of these, to what has an ending. */
  typeFlags: string[];
}

/** A program that only reads with these flags. */
export interface ReadingProgram extends FlagSpec {
  /**
   * What its operands are: `paths` of what it reads, `files` the same but for folders, `pattern` first and then
   * paths, `text` that leads nowhere, or `none`.
   */
  operands: "paths" | "files" | "pattern" | "text" | "none";
  /** How many operands it takes at most: a further one would be written. */
  most?: number;
  /** Operands that are more than they seem, such as `@file` with further arguments in it. */
  refused?: RegExp;
  /** With one of these flags there is no pattern among the operands. */
  patternFlags?: string[];
  /** It reads all that is below a folder: always, or with one of these flags; `names` lists names only. */
  deep?: { what: "files" | "names"; flags?: string[]; hidden?: HiddenNames };
  /** Takes the place of the table of flags: the operands that are paths, or the culprit. */
  check?: (args: string[]) => string[] | { culprit: string };
}

export const GREP: ReadingProgram = {
  short: "ivncylLhHoqsrwxEFPGaIzZbTUm:A:B:C:e:f@",
  long: `ignore-case no-ignore-case invert-match line-number count files-with-matches files-without-match no-filename
    with-filename only-matching quiet silent no-messages recursive word-regexp line-regexp extended-regexp
    fixed-strings perl-regexp basic-regexp text null null-data byte-offset initial-tab max-count: after-context:
    before-context: context: regexp: file@ include: exclude: exclude-dir: color? colour? line-buffered`,
  numbers: true,
  operands: "pattern",
  patternFlags: ["e", "f", "regexp", "file"],
  deep: { what: "files", flags: ["r", "recursive"] },
};
export const RIPGREP: ReadingProgram = {
  short: "iSsvnNclHIoqwxFPUpa0.uA:B:C:m:M:j:e:f@g:t:T:r:E:",
  long: `ignore-case smart-case case-sensitive invert-match line-number no-line-number count count-matches
    files-with-matches files-without-match with-filename no-filename only-matching quiet word-regexp line-regexp
    fixed-strings pcre2 multiline multiline-dotall pretty text null hidden no-ignore no-ignore-vcs unrestricted files
    type-list json heading no-heading column no-column stats trim vimgrep passthru crlf no-config no-messages
    after-context: before-context: context: max-count: max-columns: max-depth: max-filesize: threads: regexp: file@
    glob: iglob: type: type-not: replace: encoding: sort: sortr: color: colors:`,
  operands: "pattern",
  patternFlags: ["e", "f", "regexp", "file", "files", "type-list"],
  deep: {
    what: "files",
    hidden: {
      flags: ["hidden", ".", "u", "unrestricted", "no-ignore", "no-ignore-vcs"],
      globFlags: ["g", "glob", "iglob"],
      typeFlags: ["t", "type"],
    },
  },
};
export const FD: ReadingProgram = {
  short: "HIusigFap01qt:e:E:d:S:c:",
  long: `hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path
    full-path print0 quiet type: extension: exclude: max-depth: min-depth: exact-depth: max-results: size:
    changed-within: changed-before: color: strip-cwd-prefix?`,
  operands: "pattern",
  deep: { what: "names" },
};
