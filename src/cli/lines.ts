import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** Lines that a person types, or that come through a pipe. */
export interface Lines {
  /** The next line; undefined at the end of the input, and when Ctrl-C is pressed at the prompt. */
  next: (prompt: string) => Promise<string | undefined>;
  close: () => void;
}

/**
 * Opens a source of lines. On a terminal each line is read for itself, so that other prompts can have the
 * terminal in between; prompts go to `output`, never to a pipe.
 */
export function openLines(input: Readable & { isTTY?: boolean }, output: Writable): Lines {
  return input.isTTY ? openTerminal(input, output) : openPipe(input);
}

function openTerminal(input: Readable, output: Writable): Lines {
  const history: string[] = [];
  return {
    next: (prompt) =>
      new Promise((resolve) => {
        const reader = createInterface({ input, output, terminal: true, history: [...history] });
        let line: string | undefined;
        reader.on("close", () => resolve(line));
        reader.on("SIGINT", () => reader.close());
        reader.question(prompt, (typed) => {
          line = typed;
          if (typed.trim() !== "") history.unshift(typed);
          reader.close();
        });
      }),
    close: () => undefined,
  };
}

function openPipe(input: Readable): Lines {
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const lines = reader[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await lines.next();
      return done === true ? undefined : value;
    },
    close: () => reader.close(),
  };
}
