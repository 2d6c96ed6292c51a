import { isScalar, isSeq, type Pair } from "yaml";
import { createWarning, foldLines, PROSE_KEYS } from "./fields.ts";
import { toValueFix } from "./fix.ts";
import { type Context, lineAt, rangeOf, spellScalar } from "./yaml-nodes.ts";

/** A value that is text, whatever YAML would make of it. */
export function readText(context: Context, key: string, pair: Pair): string {
  const { value } = pair;
  const line = lineAt(context, rangeOf(pair.key)[0]);
  if (value === null || value === undefined) return "";
  const [start, end, nodeEnd] = rangeOf(value);
  const textOf = (from: number, to: number): string => foldLines(context.source.slice(from, to).split("\n"));
  if (!isScalar(value)) {
    // `argument-hint: [file]` is how the field is meant to be written, though YAML sees a list.
    const usual = key === "argument-hint" && isSeq(value) && value.flow === true;
    // A list below a sentence's key is that sentence in parts.
    const parts = isSeq(value) && value.flow !== true ? value.items.filter(isScalar).map(spellScalar) : [];
    const text = isSeq(value) && parts.length === value.items.length ? parts.join("; ") : "";
    const read = text === "" ? textOf(start, end) : text;
    if (!usual) {
      const message = `"${key}" is a list or a map to YAML; its text is used. Put it in quotes.`;
      warnText(context, "header-text", { key, line }, message, read);
    }
    return read;
  }
  const plain = value.type === "PLAIN";
  const written = context.source.slice(rangeOf(pair.key)[1], end).replace(/^\s*:\s*/, "");
  if (plain && (value.anchor !== undefined || value.tag?.startsWith("!") === true)) {
    const message = `"${key}" begins with a sign that means something else in YAML; put it in quotes.`;
    const read = foldLines(written.split("\n"));
    const isUsed = value.anchor !== undefined && context.source.includes(`*${value.anchor}`);
    warnText(context, "header-text", { key, line, isUsed }, message, read);
    return read;
  }
  if (value.value === null) return "";
  const text = spellScalar(value);
  const tail = /^[ \t]+#[^\n]*/.exec(context.source.slice(end, nodeEnd))?.[0];
  if (!plain || tail === undefined || !PROSE_KEYS.has(key)) return text;
  const message = `YAML would cut "${key}" at " #"; read to the end of the line. Put it in quotes.`;
  const whole = `${text}${tail.trimEnd()}`;
  warnText(context, "header-comment", { key, line, at: lineAt(context, end) }, message, whole);
  return whole;
}

function warnText(
  context: Context,
  code: string,
  { key, line, at = line, isUsed = false }: { key: string; line: number; at?: number; isUsed?: boolean },
  message: string,
  read: string,
): void {
  // What other values refer to must stay.
  const fix = isUsed ? undefined : toValueFix(context.written, key, read, line);
  context.faults.push(createWarning(code, at, message, { read, fix }));
}
