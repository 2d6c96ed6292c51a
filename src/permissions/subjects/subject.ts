import type { Decision } from "../policy.ts";
import type { Rule } from "../rule.ts";

/** A decision before the mode is applied; a `firm` question is asked in every mode but `deny`. */
export interface Verdict extends Decision {
  firm?: boolean;
}

/** What the rules are asked about one call, whatever it touches. */
export interface Subject {
  /** The first of these deny or ask rules that any part of the call falls under. */
  findRule: (rules: Rule[]) => Rule | undefined;
  /** Why it is not certain that the call keeps clear of these deny or ask rules; a sentence. */
  explainDoubt: (rules: Rule[]) => string | undefined;
  /** A question that no mode and, but for a rule that names the very thing, no rule can skip. */
  findFirmQuestion: (allow: Rule[]) => Verdict | undefined;
  /**
   * What the allow rules and the built-in ones make of it: `allow` or `ask`. What needs no rule must still keep clear
   * of the deny and ask rules, which are the `restrictions`.
   */
  decideByAllow: (allow: Rule[], restrictions: Rule[]) => Verdict;
}
