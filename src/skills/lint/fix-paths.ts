import { type BigIntStats, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { toMessage } from "../../errors.ts";
import { applyFixes, areOverlapping } from "../header/fix.ts";
import { decodeUtf8 } from "../header/read-head.ts";
import type { Diagnostic, Fix } from "../schema.ts";
import { readRegularFile } from "../snapshot.ts";
import { isWithin } from "../within.ts";
import { findPlaces, type LintOptions, type LintPlaces, type LintReport, lintPlaces } from "./lint-paths.ts";
import { isSame, renameFile, replaceFile } from "./replace-file.ts";

/** A fault that was mended. */
export interface FixedFault {
  path: string;
  code: string;
  line: number;
  /** What was done. */
  description: string;
}

/** A file that could have been mended and was left as it is. */
export interface SkippedFile {
  path: string;
  reason: string;
}

/** What is left after all that could be mended was. */
export interface FixReport extends LintReport {
  fixed: FixedFault[];
  skipped: SkippedFile[];
}

/** One fix may bring out the next; more rounds than this mean that two fixes undo each other. */
const ROUNDS = 5;

type Fixable = Diagnostic & { fix: Fix };

/**
 * Mends what can be mended without a person, in the files of the skills at the paths, and judges them again. Each
 * file is replaced whole or not at all. A link, a file that may not be written, and one that changed since it was
 * read are left as they are.
 *
 * @throws SkillgraphError `usage` for a path that is not there or is no skill
 */
export async function fixPaths(paths: string[], cwd: string, options: LintOptions = {}): Promise<FixReport> {
  const places = findPlaces(paths, cwd);
  const fixed: FixedFault[] = [];
  const skipped = new Map<string, SkippedFile>();
  let report = await lintPlaces(places, options);
  for (let round = 0; round < ROUNDS; round += 1) {
    const done = fixFiles(report.diagnostics, report.stamps, places, skipped);
    if (done.length === 0) break;
    fixed.push(...done);
    report = await lintPlaces(places, options);
  }
  const { files, diagnostics } = report;
  return { files, diagnostics, fixed, skipped: [...skipped.values()] };
}

function fixFiles(
  diagnostics: Diagnostic[],
  stamps: ReadonlyMap<string, BigIntStats>,
  places: LintPlaces,
  skipped: Map<string, SkippedFile>,
): FixedFault[] {
  const byPath = new Map<string, Fixable[]>();
  for (const each of diagnostics) {
    if (hasFix(each)) byPath.set(each.path, [...(byPath.get(each.path) ?? []), each]);
  }
  const fixed: FixedFault[] = [];
  for (const [path, faults] of byPath) {
    if (skipped.has(path)) continue;
    try {
      checkPlace(path, places);
      fixed.push(...fixFile(path, faults, stamps.get(path)));
    } catch (error) {
      skipped.set(path, { path, reason: toMessage(error) });
    }
  }
  return fixed;
}

function hasFix(diagnostic: Diagnostic): diagnostic is Fixable {
  return diagnostic.fix !== undefined;
}

function fixFile(path: string, faults: Fixable[], stamp: BigIntStats | undefined): FixedFault[] {
  if (stamp === undefined || !isSame(stamp, statSync(path, { bigint: true })))
    throw new Error("It changed while it was checked.");
  const taken = takeApart(faults);
  const text = decodeUtf8(readRegularFile(path));
  const mended = applyFixes(
    text,
    taken.map(({ fix }) => fix),
  );
  const rename = taken.find(({ fix }) => fix.rename !== undefined)?.fix.rename;
  if (mended !== text) replaceFile(path, mended, stamp);
  if (rename !== undefined) renameFile(path, join(dirname(path), basename(rename)));
  if (mended === text && rename === undefined) return [];
  // Two faults may be mended by the same change.
  const mends = new Set(taken.map(toChange));
  return faults
    .filter((fault) => mends.has(toChange(fault)))
    .map(({ code, line, fix: { description } }) => ({ path, code, line, description }));
}

function toChange({ fix: { edits, rename } }: Fixable): string {
  return JSON.stringify([edits, rename]);
}

/** Those of the fixes that touch no line twice; the others are found again in the next round. */
function takeApart(faults: Fixable[]): Fixable[] {
  const taken: Fixable[] = [];
  for (const fault of faults) {
    const others = taken.flatMap(({ fix }) => fix.edits);
    if (fault.fix.edits.some((edit) => others.some((other) => areOverlapping(edit, other)))) continue;
    taken.push(fault);
  }
  return taken;
}

/** A folder below may be a link: what it leads to was not named. */
function checkPlace(path: string, { named, searched }: LintPlaces): void {
  const folders = (named.length === 0 ? searched : named).filter((folder) =>
    statSync(folder, { throwIfNoEntry: false }),
  );
  const real = join(realpathSync(dirname(path)), basename(path));
  if (folders.some((folder) => isWithin(realpathSync(folder), real))) return;
  throw new Error(`It lies in ${dirname(real)}, outside of the folders that are checked.`);
}
