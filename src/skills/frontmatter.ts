import matter from "gray-matter";
import { type HeaderSource, readMargin } from "./header/entries.ts";
import { normalizeText, splitFences } from "./header/fences.ts";
import { createError, createWarning, HEADER_LIMIT, type HeaderFault } from "./header/fields.ts";
import { areOverlapping } from "./header/fix.ts";
import { isLimit } from "./header/limits.ts";
import { readPlainHeader } from "./header/plain.ts";
import { repairHeader } from "./header/repair.ts";
import { type HeaderReading, readHeaderYaml } from "./header/yaml.ts";

export type { HeaderFault } from "./header/fields.ts";

/** A file split into its header and its body. */
export interface Frontmatter {
  /** The keys in the order of the file. Text keeps its spelling: `007` and `1.10` stay as they are. */
  header: Map<string, unknown>;
  /** The one-based line of each key. */
  keyLines: Map<string, number>;
  /** What follows the closing fence, with `\n` as line end. */
  body: string;
  /** The one-based line of the file at which the body begins. */
  bodyLine: number;
  /** The lines of the header, for fixes; none when it must not be used. */
  source: HeaderSource;
  /** False when the header must not be used; `header` is empty then and `faults` says why. */
  readable: boolean;
  faults: HeaderFault[];
}

/**
 * Reads the header of a SKILL.md or of a stage. Strict YAML 1.2 comes first; where that fails, single entries
 * are repaired, each with a warning. Nothing in a header is ever run.
 *
 * @param text The whole file, or at least its header.
 * @param options.isLimit Whether a key sets a limit, so that a header in which it cannot be read is not used. By
 * default those do that limit a skill.
 * @returns The header and the body. It never throws: faults are in the result.
 */
export function parseFrontmatter(text: string, options: { isLimit?: typeof isLimit } = {}): Frontmatter {
  const fences = splitFences(normalizeText(text));
  if (fences.kind === "unclosed" && text.length > HEADER_LIMIT) {
    const message = `The header has no closing line "---" within its first ${HEADER_LIMIT} characters.`;
    return refuse(fences.text, 1, createError("header-too-long", fences.line, message));
  }
  if (fences.kind !== "found") {
    return refuse(
      fences.text,
      1,
      createError(`header-${fences.kind}`, fences.line, FENCE_FAULTS[fences.kind]),
    );
  }
  const { header, headerLine, body, bodyLine } = fences;
  if (header.length > HEADER_LIMIT) {
    const message = `The header is ${header.length} characters long; at most ${HEADER_LIMIT} are read.`;
    return refuse(body, bodyLine, createError("header-too-long", headerLine, message));
  }
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.exec(header);
  if (control !== null) {
    const line = headerLine + header.slice(0, control.index).split("\n").length - 1;
    return refuse(
      body,
      bodyLine,
      createError("header-control", line, "The header holds a control character."),
    );
  }
  const strict = readPlainHeader(header, headerLine) ?? readWithGrayMatter(header, headerLine);
  const unrepairable = strict.errors.find((fault) => fault.code !== "header-unreadable");
  if (unrepairable !== undefined) return refuse(body, bodyLine, unrepairable);
  const source: HeaderSource = { lines: header.split("\n"), firstLine: headerLine, pending: [] };
  if (strict.errors.length === 0) return accept(strict, strict.faults, { body, bodyLine, source });

  const repair = repairHeader(header, headerLine, options.isLimit ?? isLimit);
  const refusals = repair.faults.filter((fault) => fault.severity === "error");
  if (refusals.length > 0) return refuse(body, bodyLine, ...refusals);
  const repaired = readWithGrayMatter(repair.text, headerLine);
  if (repaired.errors.length > 0) return refuse(body, bodyLine, ...repaired.errors.slice(0, 1));
  const pending = repair.faults.flatMap(({ fix }) => fix?.edits ?? []);
  const later = repaired.faults.map((fault) => dropUnsafeFix(fault, { ...source, pending }));
  return accept(repaired, [...repair.faults, ...later], { body, bodyLine, source: { ...source, pending } });
}

/** A header of 16 KiB can hold thousands of faults; nobody reads more than these. */
const FAULT_LIMIT = 20;

const FENCE_FAULTS = {
  missing: 'The file does not begin with a header: a line "---", keys, and again a line "---".',
  unclosed: 'The header has no closing line "---".',
  language: 'Only a plain "---" begins a header; a language after it is not accepted.',
};

/**
 * gray-matter caches without options, runs `---js` headers and ends the header at any `\n---`. So it always
 * gets options, a text without a language, and a closing mark that no header can hold.
 */
function readWithGrayMatter(header: string, headerLine: number): HeaderReading {
  let reading: HeaderReading = { values: new Map(), lines: new Map(), faults: [], errors: [] };
  const parse = (yaml: string): object => {
    reading = readHeaderYaml(yaml.slice(1), headerLine);
    return {};
  };
  const javascript = (): object => {
    throw new Error("JavaScript in a header is never run.");
  };
  matter(`---\n${header}\n---\0`, { delimiters: ["---", "---\0"], engines: { yaml: parse, javascript } });
  return reading;
}

/** A fix was made for the repaired lines; it fits the file only where these are its own. */
function dropUnsafeFix(fault: HeaderFault, { lines, pending }: HeaderSource): HeaderFault {
  const { fix, ...rest } = fault;
  const isSafe = fix?.edits.every((edit) => !pending.some((other) => areOverlapping(edit, other)));
  return isSafe && readMargin(lines) === "" ? fault : rest;
}

function accept(
  reading: HeaderReading,
  faults: HeaderFault[],
  rest: Pick<Frontmatter, "body" | "bodyLine" | "source">,
): Frontmatter {
  const sorted = [...faults].sort((left, right) => left.line - right.line);
  const shown = sorted.slice(0, FAULT_LIMIT);
  if (shown.length < sorted.length) {
    const { line } = sorted[FAULT_LIMIT] as HeaderFault;
    shown.push(
      createWarning("header-more", line, `${sorted.length - FAULT_LIMIT} more faults from here on.`),
    );
  }
  return { header: reading.values, keyLines: reading.lines, ...rest, readable: true, faults: shown };
}

function refuse(body: string, bodyLine: number, ...faults: HeaderFault[]): Frontmatter {
  const source: HeaderSource = { lines: [], firstLine: 1, pending: [] };
  return { header: new Map(), keyLines: new Map(), body, bodyLine, source, readable: false, faults };
}
