/** A JSON Schema, as a stage's header holds it. */
export type JsonSchema = Record<string, unknown>;

/**
 * Who opens the way to the next stage: `approve` a person's yes, `form` a person's values, `none` nobody.
 */
export type StageGate = "approve" | "form" | "none";

/** One stage of a wizard skill. */
export interface Stage {
  /** The file's name without number and extension, or the heading's slug. Unique in its wizard. */
  id: string;
  title: string;
  gate: StageGate;
  /** True when its gate may be opened without a person, where a person asked for that. */
  auto?: true;
  /** What the stage must hand over; without it, a summary is enough. */
  output?: JsonSchema;
  /** What a person fills in at a `form` gate; without it, the `output` is the form. */
  form?: JsonSchema;
  /** Entries that are pre-approved in this stage only, not yet read as rules. */
  allowedTools: string[];
  /** True when `allowedTools` is a limit: other tools are neither shown nor run. */
  restrict: boolean;
  /** Ids of the stages whose outputs it reads, in their order. */
  needs: string[];
  /** A command that must exit with 0 before the stage counts as done. */
  check?: string;
  model?: string;
  /** Completions that may fail before a person is asked. */
  maxAttempts: number;
  /** Its instructions. */
  text: string;
}

/** A skill that is worked through stage by stage. */
export interface Wizard {
  /** What stands before the first stage; always in context. */
  intro: string;
  /** At least one, in order. */
  stages: Stage[];
}
