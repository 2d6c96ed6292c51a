import { isCancel, select, text } from "@clack/prompts";
import type { ReviewItem } from "../graph/review/review-item.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import { askField, askFields, askObject, type Streams } from "./ask-field.ts";
import { type FormField, readFormFields } from "./form-fields.ts";
import { type Decision, type GoTo, toEdit } from "./reply.ts";
import { toSafeLine } from "./safe-text.ts";
import { listDecisions } from "./stage-item.ts";

const LABELS = {
  approve: "Approve",
  respond: "Fill in the form",
  edit: "Change the output",
  reject: "Send it back with feedback",
};

/** Asks at the gate of a stage; undefined leaves it open. */
export async function askStage(item: ReviewItem, streams: Streams): Promise<Decision | GoTo | undefined> {
  const { back = [] } = item;
  const choice = await select<string>({
    ...streams,
    message: "Your decision",
    // Enter alone must not open a gate.
    initialValue: "later",
    options: [
      ...listDecisions(item).map((value) => ({ value, label: LABELS[value] })),
      ...(back.length > 0 ? [{ value: "goto", label: "Go back to a stage" }] : []),
      { value: "stop", label: "Stop the wizard" },
      { value: "later", label: "Later (leave it open)" },
    ],
  });
  switch (choice) {
    case "approve":
      return { type: "approve" };
    case "respond":
      return fillIn(item, streams);
    case "edit":
      return changeOutput(item, streams);
    case "reject": {
      const message = await text({ ...streams, message: "What should change? (may be empty)" });
      return isCancel(message) ? undefined : { type: "reject", message: message ?? "" };
    }
    case "goto":
      return askWayBack(back, streams);
    case "stop":
      return { goto: END_STAGE };
    default:
      return undefined;
  }
}

/** Asks which stage to go back to; undefined leaves the question open. */
export async function askWayBack(back: string[], streams: Streams): Promise<GoTo | undefined> {
  const options = back.map((value) => ({ value, label: toSafeLine(value) }));
  const stage = await select<string>({ ...streams, message: "Which stage?", options });
  return isCancel(stage) ? undefined : { goto: stage };
}

async function fillIn(item: ReviewItem, streams: Streams): Promise<Decision | undefined> {
  const fields = readFormFields(item.form, item.args);
  const value =
    fields.length > 0
      ? await askFields(fields, streams)
      : await askObject("The values, as JSON", item.args, streams);
  return value && { type: "respond", value };
}

/** Field by field until the person is done; leaving one field goes back to the list. */
async function changeOutput(item: ReviewItem, streams: Streams): Promise<Decision | undefined> {
  let output = item.args;
  let last = "0";
  for (let isChanged = false; ; ) {
    const fields = listFields(item, output);
    const choice = await select<string>({
      ...streams,
      message: "What do you want to change?",
      initialValue: last,
      options: [
        ...fields.map(toOption),
        { value: "json", label: "All of it, as JSON" },
        ...(isChanged ? [{ value: "done", label: "Nothing more: go on with it" }] : []),
        { value: "later", label: "Later (leave it open)" },
      ],
    });
    if (isCancel(choice) || choice === "later") return undefined;
    if (choice === "done") return toEdit(item, output);
    last = choice;
    if (choice === "json") {
      const whole = await askObject("The output, as JSON", output, streams);
      if (whole) return toEdit(item, whole);
      continue;
    }
    const field = fields[Number(choice)];
    const value = field && (await askField(field, streams));
    if (!field || isCancel(value)) continue;
    const { [field.name]: _before, ...others } = output;
    // A field keeps its place; one that was left empty goes.
    output = value === undefined ? others : { ...output, [field.name]: value };
    isChanged = true;
  }
}

/** The fields of the output: those of its schema, and what else is there. */
function listFields(item: ReviewItem, output: Record<string, unknown>): FormField[] {
  const fields = readFormFields(item.form, output);
  const others = Object.entries(output).filter(([key]) => fields.every(({ name }) => name !== key));
  return [
    ...fields,
    ...others.map(([name, fallback]) => ({ name, type: typeof fallback, required: false, fallback })),
  ];
}

function toOption({ name, title, fallback }: FormField, index: number) {
  const label = toSafeLine(`${name}: ${fallback === undefined ? "not set" : JSON.stringify(fallback)}`, 80);
  const hint = title === undefined || title === name ? {} : { hint: toSafeLine(title, 80) };
  return { value: String(index), label, ...hint };
}
