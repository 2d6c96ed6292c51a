import { toProgramName } from "../command/scan.ts";
import { findHazard } from "./hazards.ts";

/**
 * What a program does with the places it is given: `speaker` uses its words as text, `reader` only reads,
 * `writer` may write or remove, `unknown` may do anything.
 */
export type ProgramKind = "speaker" | "reader" | "writer" | "unknown";

const READERS = new Set(
  `cat tac head tail nl wc grep egrep fgrep rg ag ls dir tree stat file du diff cmp comm cut sort uniq tr fold md5sum
  sha1sum sha256sum cksum od hexdump strings find fd jq awk sed test [ cd pushd realpath readlink column base64
  more less`.split(/\s+/),
);
const SPEAKERS = new Set("echo printf basename dirname true false pwd which type :".split(" "));
const WRITERS = new Set(
  `cp mv rm ln install dd tee touch truncate rsync scp mkdir rmdir shred unlink chmod chown chgrp patch unzip tar zip
  gzip gunzip bzip2 bunzip2 xz unxz 7z curl wget sponge split csplit mkfifo mknod`.split(/\s+/),
);
const GIT_READERS = new Set(
  `log diff show status blame annotate ls-files ls-tree grep shortlog rev-parse rev-list describe cat-file name-rev
  whatchanged`.split(/\s+/),
);
const GIT_WRITERS = new Set(
  "checkout restore rm mv clean apply am stash reset init clone worktree".split(" "),
);

/** The kind of a program with these arguments. One that shows a hazard counts as a writer. */
export function toProgramKind(words: string[]): ProgramKind {
  const kind = known.get(words) ?? findKind(words);
  known.set(words, kind);
  return kind;
}

const known = new WeakMap<string[], ProgramKind>();

function findKind(words: string[]): ProgramKind {
  const name = toProgramName(words[0] ?? "");
  if (SPEAKERS.has(name)) return "speaker";
  if (WRITERS.has(name) || findHazard(words) !== undefined) return "writer";
  if (READERS.has(name) || (name === "git" && GIT_READERS.has(words[1] ?? ""))) return "reader";
  return name === "git" && GIT_WRITERS.has(words[1] ?? "") ? "writer" : "unknown";
}
