import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

/** What a value is to YAML. */
export type YamlType = "text" | "number" | "boolean" | "nothing" | "date" | "list" | "map";

/** A value of a header, as a client reads it that takes YAML at its word. */
export interface StrictValue {
  type: YamlType;
  /** As text; empty for lists and maps. */
  text: string;
  /** As it is written. */
  written: string;
  line: number;
}

/** A header as strict YAML, without any repair. */
export interface StrictHeader {
  values: Map<string, StrictValue>;
  /** The values of `metadata`. */
  metadata: Map<string, StrictValue>;
  /** Why it is no valid YAML, and where. */
  faults: { line: number; message: string }[];
}

/**
 * Reads a header as strict YAML 1.2.
 *
 * @param header - Text between the fences that is known not to be too long or too deep.
 * @param firstLine - The line of the file at which it begins.
 */
export function readStrictHeader(header: string, firstLine: number): StrictHeader {
  const lineCounter = new LineCounter();
  const document = parseDocument(header, { lineCounter, prettyErrors: false, logLevel: "error" });
  const toLine = (position: number): number =>
    firstLine + Math.max(1, lineCounter.linePos(position).line) - 1;
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: toLine(pos[0]),
    message,
  }));
  const { contents } = document;
  if (contents !== null && !isMap(contents) && faults.length === 0) {
    faults.push({ line: firstLine, message: "It is no list of keys." });
  }
  const readPairs = (node: unknown): Map<string, StrictValue> =>
    new Map(
      (isMap(node) ? node.items : []).map(({ key, value }) => {
        const target = isAlias(value) ? value.resolve(document) : value;
        const line = toLine(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
        return [isScalar(key) ? String(key.value) : "", { ...readValue(target), line }];
      }),
    );
  const metadata = isMap(contents) ? contents.get("metadata", true) : undefined;
  return { values: readPairs(contents), metadata: readPairs(metadata), faults };
}

function readValue(node: unknown): Omit<StrictValue, "line"> {
  if (isSeq(node)) return { type: "list", text: "", written: "" };
  if (isMap(node)) return { type: "map", text: "", written: "" };
  if (!isScalar(node) || node.value === null) return { type: "nothing", text: "", written: "" };
  const text = String(node.value);
  const written = node.source ?? text;
  return { type: toType(node.value, node.type === "PLAIN"), text, written };
}

function toType(value: unknown, isPlain: boolean): YamlType {
  if (typeof value === "number" || typeof value === "bigint") return "number";
  if (typeof value === "boolean") return "boolean";
  // YAML 1.1 knows dates, and clients that read 1.2 often still do.
  return isPlain && /^\d{4}-\d\d?-\d\d?(?:[Tt\s].*)?$/.test(String(value)) ? "date" : "text";
}
