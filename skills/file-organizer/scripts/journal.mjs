import { open, readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { stateFolder } from "./common.mjs";

const fileName = "undo.jsonl";

/** Every move that was begun and not undone, oldest first. A last line that a crash cut is left out. */
export async function readJournal(folder) {
  const text = await readFile(join(folder, stateFolder, fileName), "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Replaces the journal and waits until it is on the disk: it must be there before the first move. */
export async function writeJournal(folder, entries) {
  const path = join(folder, stateFolder, fileName);
  if (entries.length === 0) {
    await unlink(path).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
    return;
  }
  const file = await open(`${path}.new`, "w");
  try {
    await file.writeFile(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}
