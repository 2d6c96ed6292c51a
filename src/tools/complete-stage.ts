import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { checkValue } from "../skills/json-schema/json-schema.ts";
import type { JsonSchema } from "../skills/stages/stage.ts";
import { runBash } from "./bash.ts";
import { createInput } from "./input.ts";
import { defineTool, type Tool } from "./tool.ts";

/** Characters of an output as JSON: it stands in the prompts of later stages. */
const OUTPUT_LIMIT = 200_000;

/** Characters of a summary: a person reads it, and so does the model of each later stage that needs the stage. */
const SUMMARY_LIMIT = 20_000;

/** The stage that is to be completed. */
export interface StageToComplete {
  title: string;
  output?: JsonSchema;
  /** False when a person fills in at the gate what is missing. */
  isOutputWhole: boolean;
  /**
   * A command that must exit with 0, with its values filled in. Not run when some have no value (`missing`), or stand
   * where a shell could read one as code (`refused`).
   */
  check?: { command: string; refused: string[]; missing: string[] };
}

/**
 * The tool by which a model hands over what a stage was to make. It checks; the graph opens the gate.
 *
 * With a check, and an output that fits, its target is that command, so that it is allowed or asked like any other.
 */
export function createCompleteStageTool({ title, output, isOutputWhole, check }: StageToComplete): Tool {
  return defineTool({
    name: "CompleteStage",
    description: [
      `Hand over the current stage, "${title}". Call it alone, after you have seen the results of all other calls.`,
      "The person sees the summary and the output, and decides whether the next stage begins.",
    ].join(" "),
    input: createInput(
      {
        summary: z
          .string()
          .min(1)
          .max(SUMMARY_LIMIT)
          .describe("What this stage found or did, for the person, in a few sentences."),
        output: z.unknown().optional().describe("What the stage hands over."),
      },
      { result: "output", outputs: "output" },
    ),
    jsonSchema: toJsonSchema(output, isOutputWhole),
    target: (input, { workspace }) =>
      // Nothing is run for an output that does not fit, so nobody is asked about it.
      check === undefined || !checkOutput(input.output, { output, isOutputWhole }).ok
        ? { kind: "none" }
        : { kind: "command", command: check.command, cwd: workspace },
    readOnly: false,
    idempotent: check === undefined,
    run: async (input, context) => {
      const checked = checkOutput(input.output, { output, isOutputWhole });
      if (!checked.ok) {
        const list = checked.errors.map((error) => `- ${error}`).join("\n");
        throw new SkillgraphError("tool-failed", `The output does not fit the stage "${title}":\n${list}`);
      }
      if (check === undefined) return "The output fits.";
      const { command, refused, missing } = check;
      if (missing.length > 0) {
        throw new SkillgraphError(
          "tool-failed",
          `The check of the stage "${title}" cannot be run: there is no value for ${missing.join(", ")}.`,
        );
      }
      if (refused.length > 0) {
        throw new SkillgraphError(
          "tool-failed",
          `The check of the stage "${title}" cannot be run: ${refused.join(", ")} stands where the shell could read a value as code.`,
        );
      }
      const { text, ok } = await runBash({ command }, context);
      if (ok) return "The output fits, and the check passed.";
      throw new SkillgraphError(
        "tool-failed",
        `The check of the stage "${title}" failed: ${command}\n${text}`,
      );
    },
  });
}

/** The output as it counts, or what is wrong with it. A stage without a schema takes anything. */
export function checkOutput(
  value: unknown,
  { output, isOutputWhole }: Pick<StageToComplete, "isOutputWhole"> & { output: JsonSchema | undefined },
): ReturnType<typeof checkValue> {
  const size = JSON.stringify(value)?.length ?? 0;
  if (size > OUTPUT_LIMIT) {
    const error = `the output is ${size} characters long as JSON; at most ${OUTPUT_LIMIT} are kept. Write the rest to a file and name it`;
    return { ok: false, errors: [error] };
  }
  if (output === undefined || !isOutputWhole) return { ok: true, value };
  if (value === undefined) return { ok: false, errors: ['"output" is missing'] };
  return checkValue(output, value, { coerce: true });
}

/** Local references point to the root of a document, so the definitions move there. */
function toJsonSchema(output: JsonSchema | undefined, isOutputWhole: boolean): Record<string, unknown> {
  const { $defs, definitions, $schema: _schema, $id: _id, ...schema } = output ?? {};
  return {
    type: "object",
    properties: {
      summary: {
        type: "string",
        description: "What this stage found or did, for the person, in a few sentences.",
      },
      output: output ? schema : { description: "What the stage hands over, when there is something." },
    },
    required: output && isOutputWhole ? ["summary", "output"] : ["summary"],
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}
