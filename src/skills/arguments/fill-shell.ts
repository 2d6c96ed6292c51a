import { isEvaluating } from "./shell-evaluation.ts";
import { peek, type Scan, type ShellValues, take } from "./shell-scan.ts";
import {
  accept,
  createEscaped,
  createPlaceholder,
  escapeLines,
  findValues,
  markFields,
  quoteBetween,
  quoteLines,
  refuseIn,
  takeRest,
  takeSingleQuotes,
} from "./shell-values.ts";
import { splitArguments } from "./shell-words.ts";

export type { ShellValues } from "./shell-scan.ts";

/** A command with its values in it, and the names of the placeholders that stayed. */
export interface FilledShell {
  code: string;
  /** `$1` … `$9`, `$name` and `$ARGUMENTS` that have no value yet. */
  missing: string[];
  /** Placeholders that stand where no value, or not this one, can be put in safely. */
  refused: string[];
}

interface Piece {
  /** As it stands between double quotes. */
  written: string;
  /** What the shell makes of it; absent when only the shell knows. */
  value?: string;
  filled?: boolean;
}

const EXPANSION = /\$(?:[A-Za-z_]\w*|[-0-9@*#?$!])/y;
// Text that is evaluated in ways in which no quoting is safe: what follows keeps its placeholders.
const UNSAFE = /`|\$\(\(|\(\(|\$\[|<<(?!<)|\$"|\\\n#/y;
const UNSAFE_QUOTED = /`|\$\(\(|\$\[/y;
/** `${…}` whose end is beyond doubt; quotes inside it have rules of their own, so nothing there is filled. */
const BRACES = /\$\{(?:[^{}'"\\`(]|"[^{}'"\\`(]*"|\$\{[^{}'"\\`(]*\})*\}/y;
/** Substitutions in substitutions that are followed; beyond it nothing is filled in. */
const DEPTH_LIMIT = 20;
// Its patterns end with a ")" that does not close the substitution around it.
const CASE = /(?<!\w)case\s/y;

/**
 * Puts values into a shell command as words, with the quotes that their place needs. A value is never read as
 * code: after a here-document, a backtick or arithmetic begins, nothing is filled in any more, and a command
 * that evaluates its variables takes plain words only.
 */
export function fillShell(code: string, values: ShellValues): FilledShell {
  const [missing, refused] = [new Set<string>(), new Set<string>()];
  const plainOnly = isEvaluating(markFields(code, values));
  const scan: Scan = {
    ...{ code, at: 0, depth: 0, values, plainOnly, missing, refused },
    placeholder: createPlaceholder(values.names),
    escaped: createEscaped(values.names),
  };
  const filled = scanCode(scan, false) + takeRest(scan, scan.at);
  return { code: filled, missing: [...missing], refused: [...refused] };
}

/** Reads commands up to their end, or up to the `)` of the substitution they stand in. */
function scanCode(scan: Scan, nested: boolean): string {
  let output = "";
  let depth = 0;
  while (scan.at < scan.code.length) {
    const start = scan.at;
    const character = scan.code[start] ?? "";
    if (character === "(") depth += 1;
    if (character === ")" && nested && depth === 0) return output;
    if (character === ")") depth -= 1;
    const unsafe = take(scan, UNSAFE) ?? (nested ? take(scan, CASE) : undefined);
    if (unsafe !== undefined) return output + takeRest(scan, start);
    if (character === '"') {
      const word = scanDoubleQuotes(scan);
      if (word === undefined) return output + takeRest(scan, start);
      output += word;
    } else if (scan.code.startsWith("$(", start)) {
      scan.at += 2;
      output += `$(${scanSubstitution(scan)}`;
    } else {
      output += takeValue(scan) ?? takeVerbatim(scan);
    }
  }
  return output;
}

function scanSubstitution(scan: Scan): string {
  if (scan.depth === DEPTH_LIMIT) return takeRest(scan, scan.at);
  scan.depth += 1;
  const inner = scanCode(scan, true);
  scan.depth -= 1;
  return inner;
}

function takeValue(scan: Scan): string | undefined {
  const name = peek(scan, scan.placeholder);
  if (name === undefined) return undefined;
  const start = scan.at;
  if (name === "$ARGUMENTS") {
    const words = scan.values.whole === undefined ? undefined : splitArguments(scan.values.whole);
    if (!accept(scan, name, words)) return undefined;
    scan.at += name.length;
    return words.map(quoteLines).join(" ");
  }
  const values = findValues(scan.values, name);
  if (!accept(scan, name, values)) return undefined;
  scan.at += name.length;
  return quoteBetween(scan, start, values.join());
}

/** Text that a shell does not expand here, or one character. */
function takeVerbatim(scan: Scan): string {
  const escaped = takeEscape(scan);
  if (escaped !== undefined) return escaped;
  const before = scan.code[scan.at - 1] ?? "\n";
  const comment = /[\s;&|()<>]/.test(before) ? take(scan, /#[^\n]*/y) : undefined;
  return (
    comment ??
    // After an escaped blank a "#" begins no comment.
    takeSingleQuotes(scan) ??
    take(scan, /\\[\s\S]#*|<<</y) ??
    takeBraces(scan) ??
    take(scan, /[\s\S]/y) ??
    ""
  );
}

/** A word in double quotes; undefined when it holds something that must not be filled. */
function scanDoubleQuotes(scan: Scan): string | undefined {
  const pieces: Piece[] = [];
  const start = scan.at;
  scan.at += 1;
  while (scan.code[scan.at] !== '"') {
    if (scan.at >= scan.code.length || peek(scan, UNSAFE_QUOTED) !== undefined) return undefined;
    if (take(scan, /\$\(/y) === undefined) {
      pieces.push(takePiece(scan));
      continue;
    }
    const inner = scanSubstitution(scan);
    if (take(scan, /\)/y) === undefined) return undefined;
    pieces.push({ written: `$(${inner})` });
  }
  scan.at += 1;
  if (pieces.some((piece) => piece.filled) && pieces.every((piece) => piece.value !== undefined)) {
    return quoteBetween(scan, start, pieces.map((piece) => piece.value).join(""));
  }
  return `"${pieces.map((piece, index) => writePiece(piece, pieces[index - 1])).join("")}"`;
}

// `"$A$1"`: the quotes between keep the value from becoming a part of the variable's name.
function writePiece(piece: Piece, before: Piece | undefined): string {
  return piece.filled && before !== undefined && before.value === undefined
    ? `""${piece.written}`
    : piece.written;
}

function takePiece(scan: Scan): Piece {
  const name = peek(scan, scan.placeholder);
  const values = name === undefined ? undefined : findValues(scan.values, name);
  if (name !== undefined && accept(scan, name, values)) {
    scan.at += name.length;
    const value = values.join();
    return { written: escapeLines(value), value, filled: true };
  }
  const opaque = takeEscape(scan) ?? takeBraces(scan) ?? take(scan, EXPANSION);
  if (opaque !== undefined) return { written: opaque };
  const character = take(scan, /\\[$`"\\\n]/y);
  if (character !== undefined)
    return { written: character, value: character === "\\\n" ? "" : character.slice(1) };
  const text = take(scan, /[^"$`\\{]+|[\s\S]/y) ?? "";
  return { written: text, value: text };
}

// `$$1` is the shell's own first argument; written `${1}` nobody takes it for a placeholder again.
function takeEscape(scan: Scan): string | undefined {
  if (scan.values.words === undefined) return undefined;
  const escaped = take(scan, scan.escaped);
  if (escaped === undefined) return undefined;
  const name = escaped.slice(2);
  return name.startsWith("{") ? `$${name}` : `\${${name}}`;
}

function takeBraces(scan: Scan): string | undefined {
  if (!scan.code.startsWith("${", scan.at)) return undefined;
  const whole = take(scan, BRACES);
  if (whole === undefined) return takeRest(scan, scan.at);
  refuseIn(scan, whole.slice(2));
  return whole;
}
