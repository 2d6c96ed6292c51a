#!/usr/bin/env node
import { toMessage } from "../errors.ts";
import { runCommandLine } from "./command-line.ts";
import { exitCodes } from "./exit-code.ts";

/** Output that is still on its way must arrive, and nothing that is left open may keep the process. */
async function exit(code: number): Promise<never> {
  await flush(process.stdout);
  if (lost) process.stderr.write(`skillgraph: The output could not be written: ${toMessage(lost)}.\n`);
  await flush(process.stderr);
  process.exit(lost ? exitCodes.failed : code);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}

let lost: NodeJS.ErrnoException | undefined;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that left (`| head -1`) is no fault: the run goes on, and its thread is kept.
  if (error.code !== "EPIPE") lost ??= error;
});
process.stderr.on("error", () => undefined);
await exit(await runCommandLine(process.argv.slice(2)));
