import { findPackage } from "../runtime/project.ts";
import type { Commands } from "./command-list.ts";
import { exitCodes } from "./exit-code.ts";
import { describeFailure } from "./failure.ts";
import { createProgram } from "./program.ts";
import { watchSlowWaits } from "./slow-waits.ts";

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
export async function runCommandLine(words: string[]): Promise<number> {
  let code: number = exitCodes.finished;
  const program = createProgram(commands, findPackage().version, (ended) => {
    code = ended;
  });
  const unwatch = watchSlowWaits((text) => process.stderr.write(text));
  try {
    await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    const failure = describeFailure(error, words, program);
    if (failure.out !== undefined) process.stdout.write(failure.out);
    if (failure.err !== undefined) process.stderr.write(failure.err);
    return failure.code;
  } finally {
    unwatch();
  }
}
