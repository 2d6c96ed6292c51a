#!/usr/bin/env node
import { readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
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
  stateFolder,
  toCommand,
  UsageError,
} from "./common.mjs";
import { readJournal, writeJournal } from "./journal.mjs";

await runScript(async ([folderName, ...more]) => {
  if (more.length > 0) throw new UsageError("Usage: apply.mjs <folder>");
  const folder = await openFolder(folderName);
  const moves = await readPlan(folder);
  const states = [];
  for (const move of moves) states.push({ move, state: await findState(folder, move) });
  const open = states.filter(({ state }) => state === "open" || state === "half");
  await noteMoves(folder, open);
  const skipped = states
    .filter(({ state }) => state === "changed")
    .map(({ move }) => ({ move, why: explain(move) }));
  let moved = 0;
  for (const { move, state } of open) {
    try {
      await carryOut(folder, move, state);
      moved += 1;
    } catch (error) {
      skipped.push({ move, why: error.message });
    }
  }
  const done = states.filter(({ state }) => state === "done").length;
  console.log(describe(moved, done, skipped, folderName));
  return skipped.length > 0 ? 1 : 0;
});

async function readPlan(folder) {
  const path = join(folder, stateFolder, "plan.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) throw new UsageError("There is no saved plan for this folder. Run plan.mjs first.");
  const plan = parsePlan(text);
  if (plan?.version !== 1 || !Array.isArray(plan.moves)) {
    throw new UsageError("The saved plan cannot be read. Run plan.mjs again.");
  }
  if (plan.folder !== folder)
    throw new UsageError("The saved plan is for another folder. Run plan.mjs again.");
  for (const { from, to } of plan.moves) {
    resolveInside(folder, from);
    resolveInside(folder, to);
  }
  return plan.moves;
}

function parsePlan(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `open` to move · `half` moved when it was killed · `done` · `changed` since the plan. */
async function findState(folder, move) {
  const [from, to] = [join(folder, move.from), join(folder, move.to)];
  const [source, target] = [await lookUp(from), await lookUp(to)];
  if (!source) return target && (await isSameFile(to, move)) ? "done" : "changed";
  if (target && source.ino === target.ino && source.dev === target.dev && source.isFile()) return "half";
  return (await isSameFile(from, move)) ? "open" : "changed";
}

/** The way back is on the disk before the first file moves; a move that is noted already is not noted twice. */
async function noteMoves(folder, open) {
  if (open.length === 0) return;
  const entries = await readJournal(folder);
  const known = new Set(entries.map(({ from, to }) => JSON.stringify([from, to])));
  const fresh = open.map(({ move }) => move).filter(({ from, to }) => !known.has(JSON.stringify([from, to])));
  const noted = [];
  for (const move of fresh) noted.push({ ...move, makes: await findMissingFolders(folder, move.to) });
  await writeJournal(folder, [...entries, ...noted]);
}

/** The folders that this move will make, so that undo takes away no folder that was there before. */
async function findMissingFolders(folder, to) {
  const parts = to.split("/").slice(0, -1);
  const missing = [];
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const path = parts.slice(0, depth).join("/");
    if (!(await lookUp(join(folder, path)))) missing.push(path);
  }
  return missing;
}

async function carryOut(folder, move, state) {
  const [from, to] = [join(folder, move.from), join(folder, move.to)];
  if (state === "half") return unlink(from);
  await makeParent(folder, to);
  await moveFile(from, to);
}

function explain(move) {
  return `changed or gone since the plan (${count(move.size, "byte")} then)`;
}

function describe(moved, done, skipped, folderName) {
  const lines = [];
  if (moved > 0)
    lines.push(`Moved ${count(moved, "file")}.${done > 0 ? ` ${done} were in place already.` : ""}`);
  else lines.push(skipped.length > 0 ? "Moved nothing." : "Nothing left to do.");
  if (skipped.length > 0) {
    lines.push(`Skipped ${count(skipped.length, "file")}:`);
    lines.push(...skipped.map(({ move, why }) => `  ${show(move.from)}: ${why}`));
    lines.push("To take a new look: run plan.mjs again.");
  }
  if (moved + done > 0) lines.push(`To undo: ${toCommand("undo.mjs", folderName)}`);
  return lines.join("\n");
}
