#!/usr/bin/env node
import { toMessage } from "../errors.ts";
import { findPackage } from "../runtime/project.ts";
import { exitCodes } from "./exit-code.ts";
import { describeFailure } from "./failure.ts";
import { type Commands, createProgram } from "./program.ts";

/** Every command is loaded when it is asked for: `list` and `--help` must not wait for a model library. */
const commands: Commands = {
  run: async (...rest) => (await import("./commands/run.ts")).runTask(...rest),
  resume: async (...rest) => (await import("./commands/resume.ts")).resumeRun(...rest),
  chat: async (...rest) => (await import("./commands/chat.ts")).chat(...rest),
  listThreads: async (...rest) => (await import("./commands/threads.ts")).listKeptThreads(...rest),
  showThread: async (...rest) => (await import("./commands/threads.ts")).showThread(...rest),
  showHistory: async (...rest) => (await import("./commands/threads.ts")).showHistory(...rest),
  removeThread: async (...rest) => (await import("./commands/threads.ts")).removeThread(...rest),
  pruneThreads: async (...rest) => (await import("./commands/prune.ts")).pruneKeptThreads(...rest),
  forkThread: async (...rest) => (await import("./commands/threads.ts")).forkKeptThread(...rest),
  list: async (...rest) => (await import("./commands/list.ts")).listSkills(...rest),
  show: async (...rest) => (await import("./commands/show.ts")).showSkill(...rest),
  why: async (...rest) => (await import("./commands/why.ts")).explainName(...rest),
  trust: async (...rest) => (await import("./commands/trust.ts")).trustFolder(...rest),
  doctor: async (...rest) => (await import("./commands/doctor.ts")).runDoctor(...rest),
  graph: async (...rest) => (await import("./commands/graph.ts")).drawGraph(...rest),
  lint: async (...rest) => (await import("./commands/lint.ts")).lintSkills(...rest),
  new: async (...rest) => (await import("./commands/new.ts")).newSkill(...rest),
  demo: async (...rest) => (await import("./commands/demo.ts")).runDemo(...rest),
};

/**
 * Runs one command line.
 *
 * @param words the words after the program's name
 * @returns the exit code
 */
export async function main(words: string[]): Promise<number> {
  let code: number = exitCodes.finished;
  const program = createProgram(commands, findPackage().version, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    const failure = describeFailure(error, words, program);
    if (failure.out !== undefined) process.stdout.write(failure.out);
    if (failure.err !== undefined) process.stderr.write(failure.err);
    return failure.code;
  }
}

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
await exit(await main(process.argv.slice(2)));
