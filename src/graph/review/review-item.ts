/** One thing a person decides. `form` is a JSON Schema of what may be sent back. */
export interface ReviewItem {
  kind: "call" | "question" | "outcome" | "skill" | "stage" | "drift" | "upgrade";
  /** The tool call's id, or the skill's name. */
  id: string;
  /** The tool, the skill, or skill and stage with a slash between. */
  name: string;
  /** The active skill that led to it. */
  skill?: string;
  args: Record<string, unknown>;
  /** All of the below in words, for clients that show nothing else. */
  description: string;
  /** Why it is asked. Of a call. */
  reason?: string;
  /** The command as it would run, with what the eye does not see made visible. Of a call that runs one. */
  command?: string;
  /** Files that the call is known to write, as far as it can be told: below the workspace relative. */
  writes?: string[];
  /** Rules that "approve always" would add to the person's settings for this project; absent where none would do. */
  always?: string[];
  /** Set when a tool of the caller's own asked, in words of its own: the reply reaches it as it is. */
  asker?: "tool";
  allowed: DecisionType[];
  form?: Record<string, unknown>;
  /** Why fields of the last reply did not fit, by their names. What did fit is what stands in the form now. */
  fieldErrors?: Record<string, string>;
  /** The stage that is under way, or that is at its gate. */
  stage?: string;
  /** Stages that a reply `{goto: …}` may name, beside `__end__`, which stops the wizard. */
  back?: string[];
  title?: string;
  /** What the model says of what it hands over. */
  summary?: string;
  /** `form`: a person fills in `form`; what is in `args` are its defaults. */
  gate?: "approve" | "form";
  /** Which stage it is, counted from one. */
  number?: number;
  /** How many stages there are. */
  total?: number;
  next?: { id: string; title: string };
  /** What the stage hands over, where `args` are something else. */
  output?: unknown;
  /** Why the stage could not be completed, when it could not. */
  failures?: string[];
  /** The folder under which the skill was found. */
  source?: string;
  /** How far goes what the skill asks for: `L0` reads, `L1` writes files, `L2` runs commands or calls out. */
  risk?: "L0" | "L1" | "L2";
  /** What the skill asks for: its `allowed-tools`, those of its stages included. */
  asks?: string[];
  /** Files of the skill that changed since it was trusted, each with what happened to it. */
  changed?: string[];
  /** The SKILL.md of a skill that changed. */
  path?: string;
  /** What changed of a skill's files: `scripts/go.sh (changed)`; of a stage, the files that it is known to have changed. */
  files?: string[];
  /**
   * Of a call, what it would change of a file; of a skill, from what was loaded to what is on disk; of a stage, from
   * before it to what it handed over. A patch, shortened.
   */
  difference?: string;
  /** The answers that a changed skill takes, or a wizard that lost its place. */
  choices?: ("pin" | "refresh" | "restart" | "map" | "stop")[];
  /** What else there is to know before it is decided. */
  notes?: string[];
}

export type DecisionType = "approve" | "edit" | "reject" | "respond";

/** What is decided on one item. */
export type ReviewDecision =
  | { type: "approve"; always?: boolean }
  | { type: "edit"; edited_action: { name?: string; args: Record<string, unknown> } }
  | { type: "reject"; message?: string }
  | { type: "respond"; value: unknown };

/**
 * An answer to a request: one decision an item, in order, or where to go instead. For a single item bare values do,
 * and what other clients send is read, too.
 */
export type ReviewReply =
  | { decisions: ReviewDecision[] }
  | ReviewDecision
  | { goto: string }
  | { choice: "pin" | "refresh" | "restart" | "stop" }
  | { choice: "map"; stage: string }
  | Record<string, unknown>
  | unknown[]
  | string
  | number
  | boolean;

/** What a person decided on one item. */
export type ItemDecision =
  | { type: "approve"; always?: boolean }
  | { type: "edit"; args: Record<string, unknown> }
  | { type: "reject"; message?: string }
  | { type: "respond"; value: unknown };
