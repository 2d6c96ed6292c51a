import type { Document } from "yaml";
import type { HeaderSource } from "./entries.ts";
import type { HeaderFault } from "./fields.ts";

/** A header while it is read. */
export interface Context {
  document: Document;
  source: string;
  /** The same, by line. */
  written: HeaderSource;
  firstLine: number;
  faults: HeaderFault[];
  errors: HeaderFault[];
  /** Nodes left before the header counts as an alias bomb. */
  budget: number;
}

/** A value in the spelling of the file. */
export function spellScalar(scalar: { value: unknown; source?: string }): string {
  if (scalar.value === null) return "";
  return scalar.source ?? String(scalar.value);
}

/** Where a node begins, where its value ends, and where what belongs to it ends. */
export function rangeOf(node: unknown): readonly [number, number, number] {
  if (typeof node !== "object" || node === null || !("range" in node)) return [0, 0, 0];
  return (node.range as [number, number, number] | null | undefined) ?? [0, 0, 0];
}

/** The line of the file at which a position of the header stands. */
export function lineAt(context: Context, position: number): number {
  return context.firstLine + context.source.slice(0, position).split("\n").length - 1;
}
