import { closeAgent } from "../../runtime/agent.ts";
import { type PrunedThread, type PruneReport, pruneThreads } from "../../runtime/threads/prune.ts";
import { exitCodes } from "../exit-code.ts";
import type { PruneFlags } from "../flags.ts";
import { openAgent } from "../open-agent.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, print, type Screen } from "../screen.ts";

/** `skillgraph threads prune`: deletes old threads that nobody goes on with. */
export async function pruneKeptThreads(flags: PruneFlags): Promise<number> {
  const { olderThan, stopped = false, dryRun = false } = flags;
  const agent = await openAgent(flags, { isOnlyForKept: true });
  try {
    const report = await pruneThreads(agent, { olderThan, stopped, dryRun });
    const screen = createScreen();
    if (flags.json) screen.out.write(toJsonDocument({ dryRun, ...report }));
    else printReport(report, dryRun, screen);
    return exitCodes.finished;
  } finally {
    await closeAgent(agent);
  }
}

function printReport({ removed, kept, freedBytes }: PruneReport, dryRun: boolean, screen: Screen): void {
  for (const { thread, status, updatedAt } of removed)
    print(screen, toSafeLine(`${thread}  ${status.padEnd(8)}  ${updatedAt}`));
  const freed = dryRun || removed.length === 0 ? "" : describeRoom(freedBytes);
  print(screen, `${countThreads(removed)} ${dryRun ? "would be removed" : "removed"}${freed}.`);
  if (kept.length === 0) return;
  const open = kept.some(({ status }) => status === "stopped" || status === "failed");
  const hint = open ? " --stopped removes the stopped and the failed, too." : "";
  print(screen, `${countThreads(kept)} kept, though as old: ${describe(kept)}.${hint}`);
}

/** PostgreSQL gives nothing back at once, and what is less than a page is given back by nobody. */
function describeRoom(freedBytes: number): string {
  if (freedBytes === 0) return "; their room is free for the next threads";
  return `, ${(freedBytes / 1_000_000).toFixed(1)} MB given back`;
}

/** How many of each status. */
function describe(threads: PrunedThread[]): string {
  const counts = new Map<string, number>();
  for (const { status } of threads) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
}

function countThreads(threads: PrunedThread[]): string {
  return threads.length === 1 ? "1 thread" : `${threads.length} threads`;
}
