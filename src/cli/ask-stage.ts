import { isCancel, text } from "@clack/prompts";
import type { ReviewItem } from "../graph/review/review-item.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import { askField, askFields, askObject } from "./ask-field.ts";
import { type FormField, pickOpenFields, readFormFields } from "./form-fields.ts";
import { askOne, type MenuOption } from "./menu.ts";
import { type Decision, type GoTo, toEdit } from "./reply.ts";
import { toSafeLine } from "./safe-text.ts";
import { listDecisions } from "./stage-item.ts";
import type { Streams } from "./streams.ts";

const LABELS = {
  approve: "Approve",
  respond: "Fill in the form",
  edit: "Change the output",
  reject: "Send it back with feedback",
};

/** What can be done at the gate of a stage. */
export function listStageChoices(item: ReviewItem): MenuOption<string>[] {
  return [
    ...listDecisions(item).map((value) => ({ value, label: LABELS[value] })),
    ...((item.back ?? []).length > 0 ? [{ value: "goto", label: "Go back to a stage" }] : []),
    { value: "stop", label: "Stop the wizard" },
  ];
}

/** What was chosen at the gate of a stage, with what else has to be said; undefined leaves it open. */
export async function followStage(
  item: ReviewItem,
  choice: string,
  streams: Streams,
): Promise<Decision | GoTo | undefined> {
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
      return askWayBack(item.back ?? [], streams);
    case "stop":
      return { goto: END_STAGE };
    default:
      return undefined;
  }
}

/** Asks which stage to go back to; undefined leaves the question open. */
export async function askWayBack(back: string[], streams: Streams): Promise<GoTo | undefined> {
  const options = back.map((value) => ({ value, label: toSafeLine(value) }));
  const stage = await askOne({ message: "Which stage?", options, initialValue: back[0] ?? "" }, streams);
  return stage === undefined ? undefined : { goto: stage };
}

async function fillIn(item: ReviewItem, streams: Streams): Promise<Decision | undefined> {
  // What fitted is kept with the question.
  const fields = pickOpenFields(readFormFields(item.form, item.args, item.fieldErrors));
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
    const options = [
      ...fields.map(toOption),
      { value: "json", label: "All of it, as JSON" },
      ...(isChanged ? [{ value: "done", label: "Nothing more: go on with it" }] : []),
      { value: "later", label: "Later (leave it open)" },
    ];
    const menu = { message: "What do you want to change?", initialValue: last, options };
    const choice = await askOne(menu, streams);
    if (choice === undefined || choice === "later") return undefined;
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
  const fields = readFormFields(item.form, output, item.fieldErrors);
  const others = Object.entries(output).filter(([key]) => fields.every(({ name }) => name !== key));
  return [
    ...fields,
    ...others.map(([name, fallback]) => ({ name, type: typeof fallback, required: false, fallback })),
  ];
}

function toOption({ name, title, fallback, fault }: FormField, index: number) {
  const label = toSafeLine(`${name}: ${fallback === undefined ? "not set" : JSON.stringify(fallback)}`, 80);
  if (fault !== undefined)
    return { value: String(index), label: toSafeLine(`${label} - not taken: ${fault}`, 160) };
  const hint = title === undefined || title === name ? {} : { hint: toSafeLine(title, 80) };
  return { value: String(index), label, ...hint };
}
