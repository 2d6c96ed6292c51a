import { isRecord } from "../skills/record.ts";

/**
 * Reads an answer: JSON when it is JSON, else the text as it was typed. A number that JSON would change, such as
 * 1.10 or 007, stays text.
 */
export function parseAnswer(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) return text;
  if (typeof value === "number" && String(value) !== text.trim()) return text;
  return value;
}

/** Undefined for what is no JSON: the caller decides what the text is. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** An object from JSON; undefined for anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}
