#!/usr/bin/env node
import { rmdir, unlink } from "node:fs/promises";
import {
  count,
  isSameFile,
  lookUp,
  makeParent,
  moveFile,
  openFolder,
  resolveInside,
  runScript,
  show,
  UsageError,
} from "./common.mjs";
import { readJournal, writeJournal } from "./journal.mjs";

await runScript(async ([folderName, ...more]) => {
  if (more.length > 0) throw new UsageError("Usage: undo.mjs <folder>");
  const folder = await openFolder(folderName);
  const entries = await readJournal(folder);
  let restored = 0;
  const kept = [];
  // The last move first: a name may have been used again by a later one.
  for (const entry of entries.toReversed()) {
    const outcome = await putBack(folder, entry);
    if (outcome === "restored") restored += 1;
    else if (outcome !== "not moved") kept.unshift({ entry, why: outcome });
  }
  await removeMade(folder, entries);
  await writeJournal(
    folder,
    kept.map(({ entry }) => entry),
  );
  console.log(describe(restored, kept));
  return kept.length > 0 ? 1 : 0;
});

/** `restored`, `not moved` (it is in its old place), or why it stays where it is. */
async function putBack(folder, entry) {
  const [from, to] = [resolveInside(folder, entry.from), resolveInside(folder, entry.to)];
  const [source, target] = [await lookUp(from), await lookUp(to)];
  if (!target) return source ? "not moved" : "it is neither in its old nor in its new place";
  if (source && source.ino === target.ino && source.dev === target.dev) {
    await unlink(to);
    return "restored";
  }
  if (source) return (await isSameFile(from, entry)) ? "not moved" : "its old name is taken";
  if (!target.isFile()) return "another thing has its new name";
  try {
    await makeParent(folder, from);
    await moveFile(to, from);
    return "restored";
  } catch (error) {
    return error.message;
  }
}

/** Folders that were made for these files go when they are empty; others were there before. */
async function removeMade(folder, entries) {
  const made = new Set(entries.flatMap(({ makes }) => makes ?? []));
  for (const path of [...made].sort((one, other) => other.length - one.length)) {
    await rmdir(resolveInside(folder, path)).catch((error) => {
      if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(error.code)) throw error;
    });
  }
}

function describe(restored, kept) {
  const lines = [restored > 0 ? `Put back ${count(restored, "file")}.` : "Nothing to put back."];
  if (kept.length > 0) {
    lines.push(`Left ${count(kept.length, "file")} in the new place:`);
    lines.push(...kept.map(({ entry, why }) => `  ${show(entry.to)}: ${why}`));
  }
  return lines.join("\n");
}
