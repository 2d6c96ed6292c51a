import { z } from "zod";
import { SkillgraphError } from "../errors.ts";

const rules = z.array(z.string()).optional();
const aModel = z.custom<object>((value) => typeof value === "object" && value !== null && "invoke" in value);
const aTool = z.custom<object>(
  (value) => typeof value === "object" && value !== null && "name" in value,
  "a LangChain tool",
);
const aSaver = z.custom<object>(
  (value) => typeof value === "object" && value !== null && "getTuple" in value,
);

/** The options of an agent as they may arrive from JavaScript: a lost deny or a mistyped mode must not pass. */
const schema = z.strictObject({
  cwd: z.string().min(1).optional(),
  skills: z.array(z.string()).optional(),
  model: z.union([z.string().min(1), aModel], "a model name or a LangChain chat model").optional(),
  tools: z.array(aTool, "a list of LangChain tools").optional(),
  permissions: z
    .strictObject({
      allow: rules,
      ask: rules,
      deny: rules,
      mode: z.enum(["ask", "deny", "allow"]).optional(),
    })
    .optional(),
  checkpointer: z.union([z.boolean(), aSaver], "a LangGraph saver, true or false").optional(),
  systemPrompt: z.string().optional(),
  wizard: z.string().trim().min(1).optional(),
  autoGates: z.boolean().optional(),
  trust: z.boolean().optional(),
  drift: z.enum(["pin", "ask", "refresh"]).optional(),
  catalog: z.enum(["tool", "system-prompt"]).optional(),
  sandbox: z.enum(["auto", "required", "off"]).optional(),
  maxSteps: z.int().min(1).optional(),
  checkpoint: z.string().min(1).optional(),
  environment: z.record(z.string(), z.string().optional()).optional(),
});

const ofRun = {
  signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal, "an AbortSignal").optional(),
  // Both are checked where they are read.
  context: z.unknown().optional(),
  by: z.unknown().optional(),
};

/** Options of the functions that write. A mistyped one must not pass: it would answer or remove something else. */
const schemas = {
  createSkillAgent: schema,
  startThread: z.strictObject({
    ...ofRun,
    thread: z.string().optional(),
    name: z.string().optional(),
    wizard: z.boolean().optional(),
  }),
  resumeThread: z.strictObject({ ...ofRun, reply: z.unknown().optional(), request: z.string().optional() }),
  pruneThreads: z.strictObject({
    olderThan: z.union([z.string(), z.number()], 'an age such as "30d", or milliseconds'),
    stopped: z.boolean().optional(),
    dryRun: z.boolean().optional(),
  }),
};

/**
 * Checks the options that a caller gave to a function of the package.
 *
 * @throws SkillgraphError `usage` that names the first wrong option, quotes its value and says what it may be
 */
export function checkOptions(of: keyof typeof schemas, options: unknown): void {
  const { error } = schemas[of].safeParse(options);
  const issue = error?.issues[0];
  if (!issue) return;
  const name = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const known =
      name === "permissions" ? "allow, ask, deny, mode" : Object.keys(schemas[of].shape).join(", ");
    const unknown = [name, issue.keys[0]].filter((part) => part !== "").join(".");
    throw new SkillgraphError("usage", `Unknown option "${unknown}". Known: ${known}.`);
  }
  const value = issue.path.reduce<unknown>(
    (part, key) => (part as Record<PropertyKey, unknown>)?.[key],
    options,
  );
  const subject = name === "" ? "The options are" : `Option "${name}" is`;
  throw new SkillgraphError("usage", `${subject} ${toShown(value)}: ${issue.message}.`);
}

function toShown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}
