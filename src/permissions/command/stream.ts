import { posix } from "node:path";

/** A descriptor under one of its names, from wherever a command may have gone. */
const STREAM = /(^|\/)dev\/(stdin|tty|fd\/\d+)$|(^|\/)proc\/(self|thread-self|\d+)\//;

/** True for a script's name that stands for what is sent: `-`, `/dev/stdin`, `../../dev/fd/0`. */
export function isStream(word: string): boolean {
  return word === "-" || STREAM.test(posix.normalize(word));
}

/** True for a folder in which any name may be a stream, as `0` in `/dev/fd`. */
export function holdsStreams(folder: string): boolean {
  return /^\/(dev|proc)(\/|$)/.test(folder);
}
