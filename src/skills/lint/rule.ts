import type { SkillFile } from "../discovery/discover.ts";
import type { Frontmatter } from "../frontmatter.ts";
import type { HeaderSource } from "../header/entries.ts";
import type { Diagnostic, Fix, Skill } from "../schema.ts";

/** What a rule has against a file. */
export type Finding = Omit<Diagnostic, "path">;

/** A skill's file as the rules see it. */
export interface LintedFile {
  file: SkillFile;
  /** The whole file as it stands, a byte-order mark included. */
  text: string;
  frontmatter: Frontmatter;
  /** The lines of the header; absent where there is none. */
  source?: HeaderSource;
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

/** What is wrong with one entry of a list of tools, for a skill in this folder: its code, and a sentence. */
export type JudgeEntry = (entry: string, directory: string) => { code: string; message: string } | undefined;

/** Words that only English text has. */
export const ENGLISH = /\b(?:the|of|and|with|to|from|your|that|this|into)\b/i;

/** A finding that the specification forbids, or that keeps the skill from being used. */
export function toError(code: string, line: number, message: string): Finding {
  return { code, severity: "error", line, message };
}

/** A finding that works here, but hardly as it was meant or not in every client. */
export function toWarning(code: string, line: number, message: string): Finding {
  return { code, severity: "warning", line, message };
}

/** A finding with what mends it, where there is something. */
export function withFix(finding: Finding, fix: Fix | undefined): Finding {
  return fix === undefined ? finding : { ...finding, fix };
}

/** The line of a file at which a header's key, or a part of its value, stands. */
export function findLine({ text, frontmatter }: LintedFile, key: string, part = ""): number {
  const first = frontmatter.keyLines.get(key) ?? 1;
  const lines = text.split(/\r\n|\r|\n/).slice(first - 1, frontmatter.bodyLine - 1);
  return first + Math.max(0, part === "" ? 0 : lines.findIndex((line) => line.includes(part)));
}
