import type { Rule } from "./rule.ts";

/**
 * What a call would touch, as its tool says. Paths are real and absolute; `spelled` is the absolute path as the
 * call names it, with its links, when that is another one: deny and ask rules match either.
 */
export type Target =
  | { kind: "command"; command: string; cwd: string }
  | { kind: "path"; access: "read" | "write"; path: string; spelled?: string }
  | { kind: "url"; url: string }
  /** Nothing that a pattern could lead to; `name` is what a rule such as `Skill(name)` names. */
  | { kind: "none"; name?: string };

/** One tool call that waits for a verdict. `tool` is the canonical tool name. */
export interface CallToDecide {
  tool: string;
  target: Target;
}

/** What becomes of calls that would ask a person. `allow` never overrides a deny or a protected place. */
export type AskMode = "ask" | "deny" | "allow";

/** The rules in force for a run: from the settings and flags, never from a caller's state or context. */
export interface Policy {
  deny: Rule[];
  ask: Rule[];
  allow: Rule[];
  mode: AskMode;
  /** When true, a tool that no active skill lists is denied while any skill is active. */
  restrict: boolean;
  /** Real absolute paths. */
  workspace: string;
  home: string;
  /** Folders of all known skills: writing there always asks. */
  skillFolders: string[];
  /** Where trust, settings and the catalog's cache lie, wherever the environment puts them: as protected. */
  ownFolders?: string[];
  /** Folders of the active skills: reading there is allowed. */
  readableFolders: string[];
}

/** A verdict with the one sentence that a person reads. */
export interface Decision {
  verdict: "allow" | "ask" | "deny";
  reason: string;
  /** The text of the rule that decided. */
  rule?: string;
  /** The skill whose rule it is; absent for one of the settings. */
  skill?: string;
  /** Set when it would be a question, and the mode made this of it. */
  by?: "mode";
}
