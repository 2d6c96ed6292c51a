import type { SkillFile } from "../discover.ts";
import type { Frontmatter } from "../frontmatter.ts";
import type { Diagnostic, Skill } from "../schema.ts";

/** What a rule has against a file. */
export type Finding = Omit<Diagnostic, "path">;

/** A skill's file as the rules see it. */
export interface LintedFile {
  file: SkillFile;
  /** The whole file as it stands, a byte-order mark included. */
  text: string;
  frontmatter: Frontmatter;
  /** What is read of the header at a run; absent when the skill would be refused. */
  skill?: Skill;
  /** What the reading of the header reports at a run. */
  reported: Finding[];
}

/** A text with instructions: a SKILL.md without its header, or a stage. */
export interface Instructions {
  text: string;
  /** The one-based line of its file at which the text begins. */
  firstLine: number;
  /** Folders from which a path in the text may start; the first is that of the skill. */
  folders: string[];
}

/** A finding that the specification forbids, or that keeps the skill from being used. */
export function toError(code: string, line: number, message: string): Finding {
  return { code, severity: "error", line, message };
}

/** A finding that works here, but hardly as it was meant or not in every client. */
export function toWarning(code: string, line: number, message: string): Finding {
  return { code, severity: "warning", line, message };
}
