import type { Readable, Writable } from "node:stream";

/** Where a prompt reads and draws. Default: the streams of the process. */
export interface Streams {
  input?: Readable;
  output?: Writable;
}
