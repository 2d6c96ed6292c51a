import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parseCheckpointUrl } from "../../checkpoint/checkpoint-url.ts";
import { openCheckpointer } from "../../checkpoint/index.ts";
import { toMessage } from "../../errors.ts";
import type { Settings, SettingsOptions } from "../settings.ts";
import { findStoreFault } from "../store.ts";
import { findCheckpointFile } from "./check-rules.ts";

/** How long to wait for a file that another process holds, in milliseconds. */
const BUSY_TIMEOUT_MS = 2_000;

/**
 * Says where threads are kept and why there, and whether that place can be used. Makes no file.
 *
 * @throws SkillgraphError or Error saying why it cannot be used
 */
export async function describeStore(settings: Settings, options: SettingsOptions): Promise<string> {
  const why = findReason(settings, options);
  const place = parseCheckpointUrl(settings.checkpoint, settings.workspace);
  if (place.kind === "memory") return `in memory, gone with the process (${why})`;
  if (place.kind === "postgres") {
    const { hasTables } = await import("../../checkpoint/postgres/open.ts");
    const isThere = await hasTables(place, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    const facts = isThere ? `, ${await readFacts(settings)}` : ", whose tables the first run makes";
    return `${place.name}${facts} (${why})`;
  }
  const { path } = place;
  if (!existsSync(path) || isEmpty(path)) {
    const folder = findFolder(dirname(path));
    if (!statSync(folder).isDirectory())
      throw new Error(`${folder} is no folder, so nothing can be made in it.`);
    assertWritable(folder);
    // The driver has parts for each system, and a missing one would show at the first run only.
    await (await openCheckpointer("memory:")).close();
    return `${path}, which the first run makes (${why})`;
  }
  for (const needed of [path, dirname(path)]) assertWritable(needed);
  return `${path}, ${await readFacts(settings)} (${why})`;
}

async function readFacts(settings: Settings): Promise<string> {
  const store = await openCheckpointer(settings.checkpoint, {
    folder: settings.workspace,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
  });
  try {
    const fault = await findStoreFault(settings, store);
    if (fault !== undefined) throw new Error(fault);
    const { threads, bytes } = await store.threads.readSize();
    return `${toCount(threads)}, ${Math.ceil(bytes / 1024)} KiB`;
  } finally {
    await store.close();
  }
}

function findReason(settings: Settings, options: SettingsOptions): string {
  if (settings.isDefaultCheckpoint) return "the default";
  if (options.checkpoint !== undefined) return "named by --checkpoint";
  if (settings.environment.SKILLGRAPH_CHECKPOINT !== undefined) return "named by SKILLGRAPH_CHECKPOINT";
  return `named in ${findCheckpointFile(settings) ?? "the settings"}`;
}

function isEmpty(path: string): boolean {
  const facts = statSync(path);
  return facts.isFile() && facts.size === 0;
}

function findFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : findFolder(dirname(folder));
}

function assertWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new Error(`${path} cannot be written: ${toMessage(error)}.`, { cause: error });
  }
}

function toCount(threads: number): string {
  return threads === 1 ? "1 thread" : `${threads} threads`;
}
