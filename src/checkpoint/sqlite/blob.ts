import { digestValue, type Encoded, type StoredValue } from "../values.ts";
import type { Cell, Database } from "./database.ts";

/** Stands around the key of a text that is stored by itself. No JSON has it: within a text it would be escaped. */
const MARK = "\u0001";
/** Type of JSON with such keys. */
const PARTED = "json-parts";
/** Characters from which on a text within a value is stored by itself, so that other values can refer to it. */
const LONG_TEXT = 200;

/** Stores a value once a line and returns its key. Runs inside a write transaction. */
export function storeBlob(database: Database, line: number, { type, value, digest }: Encoded): number {
  const find = "SELECT key FROM blob WHERE line = ? AND digest = ?";
  const known = database.get<{ key: number }>(find, line, digest);
  if (known !== undefined) return known.key;
  const parted = type === "json" && typeof value === "string" ? partTexts(database, line, value) : undefined;
  const insert = "INSERT INTO blob (line, digest, type, value) VALUES (?, ?, ?, ?) RETURNING key";
  const cells = parted === undefined ? [type, value] : [PARTED, parted];
  return database.get<{ key: number }>(insert, line, digest, ...cells)?.key as number;
}

/** Stores a text that is no value of its own. */
export function storeText(database: Database, line: number, type: string, value: string): number {
  return storeBlob(database, line, { type, value, digest: digestValue(type, value) });
}

/** Reads values with all their texts. Runs in the transaction of whoever asks. */
export function readValues<Value extends StoredValue>(
  database: Database,
  sql: string,
  ...cells: Cell[]
): Value[] {
  const found = database.all<Value>(sql, ...cells);
  const keys = found.flatMap((stored) => toParts(stored).filter(isKey));
  return keys.length === 0 ? found : joinTexts(found, readTexts(database, keys));
}

/** Puts long texts by themselves; undefined when there is none, or nothing beside one. */
function partTexts(database: Database, line: number, json: string): string | undefined {
  if (json.length <= LONG_TEXT) return undefined;
  const parts: string[] = [];
  let done = 0;
  for (let start = json.indexOf('"'); start !== -1; ) {
    const end = findEnd(json, start);
    if (end - start >= LONG_TEXT && end - start < json.length) {
      const key = storeText(database, line, "text", json.slice(start, end));
      parts.push(json.slice(done, start), String(key));
      done = end;
    }
    start = json.indexOf('"', end);
  }
  return parts.length === 0 ? undefined : [...parts, json.slice(done)].join(MARK);
}

/** Where a text of a JSON ends, its quotes included. */
function findEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json[before - 1] === "\\") before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
  }
  return json.length;
}

/** One statement for all, since each costs more than what it reads. */
function readTexts(database: Database, keys: string[]): Map<string, string> {
  const sql = "SELECT key, value FROM blob WHERE key IN (SELECT value FROM json_each(?))";
  const rows = database.all<{ key: number; value: string }>(sql, JSON.stringify(keys.map(Number)));
  return new Map(rows.map(({ key, value }) => [String(key), value]));
}

/** A text that is gone leaves a gap, and what cannot be read is reported where it is read. */
function joinTexts<Value extends StoredValue>(found: Value[], texts: Map<string, string>): Value[] {
  return found.map((stored) => {
    const parts = toParts(stored);
    if (parts.length === 0) return stored;
    const filled = parts.map((part, index) => (isKey(part, index) ? (texts.get(part) ?? "") : part));
    return { ...stored, type: "json", value: filled.join("") };
  });
}

/** What a value is put together from: JSON and keys of texts, in turn; nothing for a value that is whole. */
function toParts({ type, value }: StoredValue): string[] {
  return type === PARTED && typeof value === "string" ? value.split(MARK) : [];
}

function isKey(_part: string, index: number): boolean {
  return index % 2 === 1;
}
