/** One command of the corpus: what is decided about it, and why. */
export interface Entry {
  command: string;
  verdict: "allow" | "ask" | "deny";
  why: string;
  /** Files that it names and may make beside those that the Write rule covers. */
  files?: string[];
  /** Why it asks although all that runs is covered. */
  needless?: string;
  /** What it does that neither a program nor a file shows: a builtin without a rule, a variable, what is read. */
  quiet?: string;
}

type Extra = Omit<Entry, "command" | "verdict" | "why">;
type Row = [command: string, why: string, extra?: Extra];

/** Entries of one verdict. */
export function entries(verdict: Entry["verdict"], rows: Row[]): Entry[] {
  return rows.map(([command, why, extra]) => ({ command, verdict, why, ...extra }));
}
