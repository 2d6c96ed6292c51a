/** A key that a header may have, and what becomes of it here. */
export interface KnownKey {
  name: string;
  /** Whether the specification names it, or only clients do. */
  level: "specification" | "client";
  /** `honoured`: a run depends on it · `shown`: people see it · `ignored`: nothing comes of it. */
  use: "honoured" | "shown" | "ignored";
  /** What it means, in one sentence. */
  meaning: string;
}

type Row = [name: string, use: KnownKey["use"], meaning: string];

const SPECIFICATION: Row[] = [
  ["name", "honoured", "What people type after `/`; the folder's name when it is missing."],
  ["description", "honoured", "What the skill does and when to use it: the model chooses by it."],
  ["license", "shown", "The license of the skill."],
  ["compatibility", "shown", "What the skill needs of its surroundings."],
  [
    "metadata",
    "shown",
    "More facts, each a text; `wizard`, `version` and `argument-hint` among them mean something.",
  ],
  ["allowed-tools", "honoured", "What runs without asking while the skill is active."],
];

const CLIENT: Row[] = [
  ["when_to_use", "honoured", "Joined to the description, or in its place."],
  ["when-to-use", "honoured", "The same as `when_to_use`."],
  ["argument-hint", "honoured", "What to write after the name; asked for when it is missing."],
  ["arguments", "honoured", "Names of the arguments: `$name` is the word at its place."],
  ["disallowed-tools", "honoured", "What is refused while the skill is active."],
  ["disable-model-invocation", "honoured", "With `true`, only a person can load the skill."],
  ["user-invocable", "honoured", "With `false`, only the model can load the skill."],
  ["model", "honoured", "A name that the settings' `models` map to a model."],
  ["mode", "honoured", "With `true`, the skill is listed before the others."],
  ["paths", "honoured", "Globs: the skill is offered once a file that fits is worked with."],
  ["version", "shown", "The version of the skill; also read from `metadata`."],
  // What public skills have besides, with meanings of their own.
  ["agent", "ignored", "The kind of agent that another client starts for the skill."],
  ["alwaysApply", "ignored", "Says that a rule of an editor is always in the prompt."],
  ["author", "ignored", "Who wrote the skill; it belongs into `metadata`."],
  ["category", "ignored", "A group of a collection; it belongs into `metadata`."],
  ["color", "ignored", "A colour of another client."],
  ["context", "ignored", "Where another client runs the skill, such as `fork`."],
  ["date_added", "ignored", "When a collection took the skill; it belongs into `metadata`."],
  ["dependencies", "ignored", "What has to be installed; write it in `compatibility`."],
  ["domain", "ignored", "A group of a collection; it belongs into `metadata`."],
  ["effort", "ignored", "How long another client's model thinks."],
  ["emoji", "ignored", "A picture of another client."],
  ["globs", "ignored", "Files for a rule of an editor; `paths` is read instead."],
  ["homepage", "ignored", "Where the skill comes from; it belongs into `metadata`."],
  ["hooks", "ignored", "Commands that another client runs at events."],
  ["keywords", "ignored", "Words to find the skill by; write them in the description."],
  ["languages", "ignored", "Languages of a collection; it belongs into `metadata`."],
  ["origin", "ignored", "Where the skill comes from; it belongs into `metadata`."],
  ["platforms", "ignored", "Systems that the skill is for; write them in `compatibility`."],
  ["priority", "ignored", "An order of another client."],
  ["repository", "ignored", "Where the skill comes from; it belongs into `metadata`."],
  ["requires", "ignored", "What has to be there; write it in `compatibility`."],
  ["risk", "ignored", "What a collection thinks of the skill; it belongs into `metadata`."],
  ["shell", "ignored", "The shell that another client runs commands in."],
  ["skills", "ignored", "Other skills that another client loads."],
  ["source", "ignored", "Where the skill comes from; it belongs into `metadata`."],
  ["subdomain", "ignored", "A group of a collection; it belongs into `metadata`."],
  ["tags", "ignored", "Words of a collection; they belong into `metadata`."],
  ["tools", "ignored", "Tools of an agent of another client; it grants nothing, `allowed-tools` does."],
  ["triggers", "ignored", "Words that call the skill; write them in the description."],
  ["type", "ignored", "A kind of another client; it belongs into `metadata`."],
];

/** Every key of a SKILL.md that is known, those of the specification first. */
export const KNOWN_HEADER_KEYS: readonly KnownKey[] = [
  ...SPECIFICATION.map((row) => toKey("specification", row)),
  ...CLIENT.map((row) => toKey("client", row)),
];

const BY_NAME = new Map(KNOWN_HEADER_KEYS.map((key) => [key.name, key]));

/** What is known of a key; undefined for any other. */
export function findKnownKey(name: string): KnownKey | undefined {
  return BY_NAME.get(name);
}

function toKey(level: KnownKey["level"], [name, use, meaning]: Row): KnownKey {
  return { name, level, use, meaning };
}
