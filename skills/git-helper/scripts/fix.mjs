#!/usr/bin/env node
import { parseArgs } from "node:util";
import { fileFixes } from "./fixes-files.mjs";
import { historyFixes } from "./fixes-history.mjs";
import { openRepository, runScript, show, UsageError } from "./git.mjs";

/** By name: the words it takes, and how it is prepared. Nothing is changed before all questions are settled. */
const fixes = new Map(Object.entries({ ...fileFixes, ...historyFixes }));

await runScript(async (words) => {
  const { name, given, dryRun } = readOptions(words);
  const fix = fixes.get(name);
  if (fix === undefined)
    throw new UsageError(
      `${name === undefined ? "Name a fix." : `There is no fix "${show(name)}".`} Fixes: ${[...fixes.keys()].join(", ")}.`,
    );
  if (given.length !== fix.takes.length || given.some((word) => word.trim() === ""))
    throw new UsageError(`Usage: fix.mjs ${[name, ...fix.takes].join(" ")} [--dry-run]`);
  const step = await fix.prepare(await openRepository(), ...given);
  if (step.nothing !== undefined) return `Nothing to do: ${step.nothing}`;
  if (dryRun) return `Would ${step.does}.\nNothing was changed.`;
  const undo = await step.run();
  const done = `Done: ${step.does}.`;
  return [done, ...(step.notes ?? []), ...(undo === undefined ? [] : [`To undo: ${undo}`])].join("\n");
});

/** Behind `--` any word is a value, also one that begins with a dash. */
function readOptions(words) {
  try {
    const options = { "dry-run": { type: "boolean" } };
    const { values, positionals } = parseArgs({ args: words, allowPositionals: true, options });
    const [name, ...given] = positionals;
    return { name, given, dryRun: values["dry-run"] === true };
  } catch (error) {
    throw new UsageError(`Usage: fix.mjs FIX [VALUE] [--dry-run]: ${error.message.split(". ")[0]}`);
  }
}
