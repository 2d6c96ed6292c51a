import { Argument, type Command } from "commander";
import type { Commands } from "./command-list.ts";
import type { PruneFlags, ShowThreadFlags, ThreadsFlags } from "./flags.ts";
import { jsonFlag } from "./json-flag.ts";

/** `threads` and its parts. */
export function addThreads(
  program: Command,
  commands: Commands,
  finish: (code: Promise<number>) => Promise<void>,
): void {
  const add = (command: Command) =>
    command
      .option("--cwd <dir>", "working folder")
      .option("--checkpoint <url>", "where threads are kept, such as sqlite:./threads.db")
      .addOption(jsonFlag());
  // The options count before the part's name, too: `threads --json show ID`.
  const threads = add(program.command("threads").description("the runs that are kept"));
  const id = () => new Argument("<id>", "id, or a unique beginning of it");
  const addPart = <Flags extends ThreadsFlags>(
    name: string,
    about: string,
    act: (thread: string, flags: Flags) => Promise<number>,
  ) =>
    add(threads.command(name).description(about).addArgument(id())).action(
      (thread: string, _flags: Flags, command: Command) =>
        finish(act(thread, command.optsWithGlobals<Flags>())),
    );
  add(threads.command("list", { isDefault: true }).description("all threads, newest first"))
    .option("--waiting", "only those that wait for an answer")
    .action((_flags: ThreadsFlags, command: Command) =>
      finish(commands.listThreads(command.optsWithGlobals<ThreadsFlags>())),
    );
  threads.addHelpText(
    "after",
    "\nOption of list, which needs not be named:\n  --waiting            only those that wait for an answer",
  );
  addPart<ShowThreadFlags>(
    "show",
    "one thread: its messages, its skills and what it waits for",
    commands.showThread,
  )
    .option("--usage", "only what it has cost, and what its skills cost in each request")
    .option("--decisions", "only what was allowed, asked and refused, by which rule or by whom");
  addPart("history", "the checkpoints of a thread", commands.showHistory);
  addPart(
    "fork",
    "a new thread from a checkpoint; the old one stays as it is",
    commands.forkThread,
  ).requiredOption(
    "--at <checkpoint>",
    "id of a checkpoint, or a unique beginning of it; see threads history",
  );
  addPart("rm", "delete a thread", commands.removeThread);
  add(threads.command("prune").description("delete old threads that are finished"))
    .requiredOption("--older-than <age>", "time since the last change: 30d, 12h, 90m, 8w")
    .option("--stopped", "those that were stopped or failed in the middle, too; never one that waits or runs")
    .option("--dry-run", "delete nothing, only tell")
    .action((_flags: PruneFlags, command: Command) =>
      finish(commands.pruneThreads(command.optsWithGlobals<PruneFlags>())),
    );
}
