import { z } from "zod";
import { FIELD_LIMIT, findFormSizeFault } from "../skills/json-schema/form-size.ts";
import { createInput } from "./input.ts";
import { defineTool } from "./tool.ts";

/** Asks a person. The graph pauses for the answer. */
export const askUserTool = defineTool({
  name: "AskUser",
  description:
    "Ask the person a question and wait for the answer. Use it when a choice is theirs or a fact is missing. " +
    "Ask one clear question; give a form (a JSON Schema of type object) when the answer has parts.",
  input: createInput({
    question: z.string().min(1).describe("The question, in the person's language."),
    form: z
      .looseObject({})
      .check((form) => {
        const message = findFormSizeFault(form.value);
        if (message !== undefined) form.issues.push({ code: "custom", message, input: form.value });
      })
      .optional()
      .describe(
        `JSON Schema (type object, at most ${FIELD_LIMIT} properties) of the answer, when it has parts.`,
      ),
  }),
  target: () => ({ kind: "none" }),
  readOnly: true,
  idempotent: true,
  run: async () => {
    throw new Error("AskUser is answered by the graph, not run as a tool.");
  },
});
