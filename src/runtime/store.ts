import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseCheckpointUrl } from "../checkpoint/checkpoint-url.ts";
import type { Checkpointer } from "../checkpoint/checkpointer.ts";
import { openCheckpointer } from "../checkpoint/index.ts";
import { SkillgraphError } from "../errors.ts";
import { makeFolder } from "../tools/files/make-folder.ts";
import type { Settings } from "./settings.ts";

/**
 * Opens the place where the settings keep threads. A thread holds grants and approvals, so the file that an
 * untrusted folder brings along is not used: only one that was made here is, which the person's own folder
 * remembers by the file's random id.
 *
 * @throws SkillgraphError `checkpoint-url-invalid` or `checkpoint-unavailable`
 */
export async function openStore(settings: Settings): Promise<Checkpointer> {
  const store = await openCheckpointer(settings.checkpoint, { folder: settings.workspace });
  if (!settings.isDefaultCheckpoint) return store;
  const fault = store.isNew ? undefined : await findStoreFault(settings, store);
  if (fault !== undefined) {
    await store.close();
    throw new SkillgraphError("checkpoint-unavailable", fault);
  }
  if (store.isNew || settings.trusted) remember(await toKnown(settings, store));
  return store;
}

/** Why the threads of a file that is there are not used; undefined when they are. */
export async function findStoreFault(settings: Settings, store: Checkpointer): Promise<string | undefined> {
  if (!settings.isDefaultCheckpoint || settings.trusted) return undefined;
  if (existsSync(await toKnown(settings, store))) return undefined;
  return `${settings.stateFolder} came with a folder that is not trusted, so its threads are not used. Look at it and run "skillgraph trust", delete it, or keep threads elsewhere with the option checkpoint.`;
}

/** True when there is a store to look into; looking must not make one. */
export function isStoreThere(settings: Pick<Settings, "checkpoint" | "workspace">): boolean {
  const place = parseCheckpointUrl(settings.checkpoint, settings.workspace);
  return place.kind === "postgres" || (place.kind === "file" && existsSync(place.path));
}

async function toKnown({ configFolder }: Settings, { threads }: Checkpointer): Promise<string> {
  return join(configFolder, "stores", await threads.readStoreId());
}

/** Where the person's folder cannot be written, the file is used now and asks for trust the next time. */
function remember(file: string): void {
  if (existsSync(file)) return;
  try {
    makeFolder(join(file, ".."));
    writeFileSync(file, "", { mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
  }
}
