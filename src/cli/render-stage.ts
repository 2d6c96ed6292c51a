import type { ReviewItem } from "../graph/review/review-item.ts";
import { quoteWord } from "../skills/arguments/apply-arguments.ts";
import type { Stage, Wizard } from "../skills/stages/stage.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import { isBlank, readFormFields, renderFormFields, toFormExample } from "./form-fields.ts";
import { toProgramName } from "./program-name.ts";
import { renderDifferences } from "./render-difference.ts";
import { renderValues } from "./render-values.ts";
import { toSafeLine, toSafeLines, toSafeText } from "./safe-text.ts";
import type { Colors } from "./screen.ts";
import { isSummaryOnly, listDecisions } from "./stage-item.ts";

/** Lines of an output that are shown; far more than anybody reads, so that an approval hides nothing. */
const LINE_LIMIT = 1000;
/** Longest value that is repeated in an example of an answer, in characters. */
const VALUE_LIMIT = 120;

/** Longest name of a file that is shown, in characters. */
const FILE_LIMIT = 500;

/** A flag that answers, and what it does where the flag does not say it. */
export interface Answer {
  flag: string;
  about?: string;
}

/** The first line of a gate. */
export function renderStageTitle(item: ReviewItem): string {
  const { number, total, title, stage, skill } = item;
  const which = number === undefined || total === undefined ? "The stage" : `Stage ${number} of ${total}`;
  const end = item.failures ? "could not be completed" : "is complete";
  const of = skill === undefined ? "" : ` (skill ${skill})`;
  return toSafeLine(`${which} ${end}: ${title ?? stage ?? item.name}${of}`);
}

/**
 * What was handed over at a gate, what changed of files, why it does not do, and what comes next.
 *
 * @param thread the thread to name where not everything is shown
 */
export function renderStageBody(item: ReviewItem, colors: Colors, thread = "THREAD"): string[] {
  const { summary = item.description, failures = [], args, form, next, files = [], difference } = item;
  const isForm = item.gate === "form";
  const known = isForm ? Object.entries(args).filter(([, value]) => !isBlank(value)) : Object.entries(args);
  const lines = isSummaryOnly(item) ? [] : renderValues(Object.fromEntries(known), "    ");
  const hidden = lines.length - LINE_LIMIT;
  // What is known of a field stands above, whole.
  const fields = isForm
    ? readFormFields(form, {}, item.fieldErrors).map(({ fallback: _known, ...field }) => field)
    : [];
  return [
    // Deeper from its second line on, so that no words of a model pass for the output.
    ...(summary.trim() === "" ? [] : toSafeLines(summary.trim(), "  ", "    ")),
    ...(failures.length > 0 ? ["  What was wrong:"] : []),
    ...failures.flatMap((failure) => toSafeLines(failure, "  - ", "    ")),
    ...(lines.length > 0 ? [isForm ? "  So far:" : "  Output:"] : []),
    ...lines.slice(0, LINE_LIMIT),
    ...(hidden > 0
      ? [
          `    … ${hidden} more lines are not shown. All of it: ${toProgramName()} threads show ${thread} --json`,
        ]
      : []),
    ...(files.length > 0
      ? ["  Files:", ...files.map((file) => `    - ${toSafeLine(file, FILE_LIMIT)}`)]
      : []),
    ...(difference === undefined ? [] : ["  Changes:", ...renderDifferences(difference, colors)]),
    ...(fields.length > 0
      ? ["  To be filled in:", ...renderFormFields(fields).map((line) => `  ${line}`)]
      : []),
    next ? `  Next: ${toSafeLine(next.title)}` : "  This is the last stage.",
  ];
}

/** The flags that answer a gate. */
export function listStageAnswers(item: ReviewItem): Answer[] {
  const answers: Record<ReviewItem["allowed"][number], Answer> = {
    approve: { flag: "--approve" },
    edit: { flag: `--edit ${quoteWord(toEditExample(item))}`, about: "only the keys that change" },
    respond: { flag: `--answer ${quoteWord(toValuesExample(item))}` },
    reject: { flag: "--reject 'what to change'" },
  };
  return [...listDecisions(item).map((type) => answers[type]), ...listWaysOut(item)];
}

/** The flags that leave what is asked: back to a stage, or out of the wizard. */
export function listWaysOut({ back = [], stage }: ReviewItem): Answer[] {
  return [
    ...back.map((id) => ({
      flag: `--goto ${quoteWord(id)}`,
      about: id === stage ? "do this stage again" : "go back",
    })),
    { flag: `--goto ${END_STAGE}`, about: "stop the wizard" },
  ];
}

/** The stages of a wizard, a line each. */
export function renderStages({ stages }: Wizard): string[] {
  return stages.map((stage, index) => {
    const { id, title, gate, auto } = stage;
    const how = `${GATES[gate]}${auto ? ", or --auto-gates" : ""}`;
    return toSafeLine(`${index + 1}. ${id}: ${title} (${how}; hands over ${toHandedOver(stage)})`, 1000);
  });
}

const GATES = { approve: "a person approves", form: "a person fills in a form", none: "goes on by itself" };

function toHandedOver({ output }: Stage): string {
  const names = readFormFields(output).map(({ name }) => name);
  if (names.length > 0) return names.join(", ");
  return output ? String(output.type ?? "a value") : "a summary";
}

/** One key is enough: what is not named stays. */
function toEditExample(item: ReviewItem): string {
  const [field] = readFormFields(item.form);
  const key = Object.keys(item.args)[0] ?? field?.name ?? "…";
  return toExample({ [key]: item.args[key] ?? "…" });
}

function toValuesExample(item: ReviewItem): string {
  return toExample(toFormExample(readFormFields(item.form, item.args)));
}

/** Short and as it is: a long value, or one that a terminal would obey, is left to the person. */
function toExample(values: Record<string, unknown>): string {
  const parts = Object.entries(values).map(([key, value]) => {
    const text = JSON.stringify(value);
    return [key, text.length <= VALUE_LIMIT && toSafeText(text) === text ? value : "…"] as const;
  });
  return toSafeText(JSON.stringify(Object.fromEntries(parts)));
}
