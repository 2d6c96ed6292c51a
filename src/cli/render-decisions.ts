import type { AuditRecord } from "../graph/state.ts";
import { toSafeLine } from "./safe-text.ts";

/** Widest a column may be, in characters, except the last. */
const COLUMN_LIMIT = 60;

const HEAD = ["when", "verdict", "who", "for", "subject", "why"];

/** The decisions of a thread as a table, the oldest first, with a line of heads. */
export function renderDecisions(decisions: AuditRecord[]): string[] {
  const rows = [HEAD, ...decisions.map(toRow)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? "")].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function toRow(record: AuditRecord): string[] {
  const { at, verdict, kind, name, subject, reason, always = [] } = record;
  const added = always.length === 0 ? "" : `; always: ${always.join(", ")}`;
  return [
    toSafeLine(at, COLUMN_LIMIT),
    verdict,
    toSafeLine(toWho(record), COLUMN_LIMIT),
    toSafeLine(kind === "call" ? name : `${kind} ${name}`, COLUMN_LIMIT),
    toSafeLine(subject, COLUMN_LIMIT),
    toSafeLine(`${reason}${added}`, 1000),
  ];
}

/** Whose word it is: a rule and where it stands, the mode, or a person, by name where it was kept. */
function toWho({ by, rule, skill, who }: AuditRecord): string {
  if (by === "person") return who ?? "a person";
  if (by === "mode") return "the mode";
  if (rule === undefined) return "no rule";
  return `${rule} of ${skill ?? "the settings"}`;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - [...text].length));
}
