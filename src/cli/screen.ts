import type { WriteStream } from "node:tty";
import picocolors from "picocolors";

/** The colours of one stream; plain functions of text where it shows none. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** One output stream. */
export interface Channel {
  write: (text: string) => void;
  /** Waits until everything is written, so that what goes to the other stream comes after it. */
  flush: () => Promise<void>;
  colors: Colors;
  isTerminal: boolean;
  /** Width in characters. */
  columns: number;
}

/** Where a command writes: what was asked for on `out`, progress and notices on `err`. */
export interface Screen {
  out: Channel;
  err: Channel;
}

/** The screen of this process. */
export function createScreen(): Screen {
  return { out: toChannel(process.stdout), err: toChannel(process.stderr) };
}

/** Writes one line of progress. */
export function note(screen: Screen, line: string): void {
  screen.err.write(`${line}\n`);
}

/** Writes one line for people. */
export function print(screen: Screen, line: string): void {
  screen.out.write(`${line}\n`);
}

function toChannel(stream: NodeJS.WriteStream): Channel {
  const isTerminal = stream.isTTY === true;
  return {
    write: (text) => {
      stream.write(text);
    },
    flush: () => new Promise((resolve) => stream.write("", () => resolve())),
    // hasColors() heeds NO_COLOR and TERM=dumb; a stream that is no terminal does not have it.
    colors: picocolors.createColors(isTerminal && (stream as WriteStream).hasColors()),
    isTerminal,
    columns: stream.columns ?? 100,
  };
}
