import { relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Diagnostic, TextEdit } from "../schema.ts";
import { isWithin } from "../within.ts";
import { RULES } from "./rules.ts";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/**
 * A report as SARIF 2.1.0, which code hosts show beside the lines.
 *
 * @param options.cwd - Paths below it are relative to it.
 * @param options.version - Of the program.
 */
export function toSarif(
  diagnostics: readonly Diagnostic[],
  options: { cwd: string; version: string },
): object {
  const { cwd, version } = options;
  const indexes = new Map(RULES.map(({ code }, index) => [code, index]));
  const rules = RULES.map(({ code, about }) => ({ id: code, shortDescription: { text: about } }));
  const driver = { name: "skillgraph", version, rules };
  const results = diagnostics.map((diagnostic) => toResult(diagnostic, indexes, cwd));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }],
  };
}

function toResult(diagnostic: Diagnostic, indexes: ReadonlyMap<string, number>, cwd: string): object {
  const { code, severity, message, path, line, fix } = diagnostic;
  const ruleIndex = indexes.get(code);
  const artifactLocation = { uri: toUri(path, cwd) };
  const edits = fix?.edits ?? [];
  return {
    ruleId: code,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level: severity,
    message: { text: message },
    locations: [{ physicalLocation: { artifactLocation, region: { startLine: line } } }],
    // A new name for a file cannot be said in SARIF.
    ...(fix === undefined || edits.length === 0
      ? {}
      : {
          fixes: [
            {
              description: { text: fix.description },
              artifactChanges: [{ artifactLocation, replacements: edits.map(toReplacement) }],
            },
          ],
        }),
  };
}

/** Whole lines, from the first sign of the first to the first sign of the line behind the last. */
function toReplacement({ line, count, text }: TextEdit): object {
  return {
    deletedRegion: { startLine: line, startColumn: 1, endLine: line + count, endColumn: 1 },
    ...(text === undefined ? {} : { insertedContent: { text: `${text}\n` } }),
  };
}

function toUri(path: string, cwd: string): string {
  if (!isWithin(cwd, path)) return pathToFileURL(path).href;
  return relative(cwd, path).split(sep).map(encodeURIComponent).join("/") || ".";
}
