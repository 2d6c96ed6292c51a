import { type Heading, listHeadings } from "../headings.ts";
import { readStageHeading, type StageHeading } from "./heading-words.ts";
import { toSlug } from "./stage-names.ts";

/** A stage as a heading opens it. */
export interface StageSection {
  id: string;
  title: string;
  /** Index of the heading's line. */
  index: number;
  text: string;
  /** Index of the line at which the text begins. */
  textIndex: number;
}

/** What is wrong with the headings, at a line of the body. */
export interface HeadingFault {
  code: string;
  severity: "error" | "warning";
  index: number;
  message: string;
}

type Found = StageHeading & Heading;

const BLANK_LINES = /^(?:[ \t]*\n)+/;

/**
 * Splits a skill's instructions at its stage headings (`## Stage 1: Title`, also `Step`, `Phase`, `阶段`, `步骤`),
 * of level 2 or else of level 3. The first keyword decides which headings count.
 *
 * A heading of the same or a higher level after the last stage, such as `## Notes`, ends the stages: what
 * follows belongs to the intro, so that it is always in view.
 *
 * @returns No sections when there are no such headings.
 */
export function splitStages(body: string): {
  intro: string;
  sections: StageSection[];
  faults: HeadingFault[];
} {
  const lines = body.split("\n");
  const { headings, unclosed } = listHeadings(body);
  const { stages, others } = chooseStages(headings);
  const [first] = stages;
  const last = stages.at(-1);
  const lost = (unclosed?.hidden ?? []).find((heading) => isLost(heading, first));
  const faults: HeadingFault[] = [
    ...findNumberFaults(stages),
    ...others.map((heading) => toOtherFault(heading, first)),
    ...(unclosed && lost ? [toLostFault(unclosed, lost)] : []),
  ];
  if (first === undefined || last === undefined) return { intro: trimLines(body), sections: [], faults };
  const after = headings.find(({ index, level }) => index > last.index && level <= last.level);
  const end = after?.index ?? lines.length;
  const taken = new Set<string>();
  const sections = stages.map((stage, position): StageSection => {
    const title = stage.title === "" ? stage.label : stage.title;
    const start = stage.index + 1;
    const text = lines.slice(start, stages[position + 1]?.index ?? end).join("\n");
    const textIndex = start + countBlankLines(text);
    const slug = toSlug(title) || `stage-${position + 1}`;
    // "Phase 2: Review" and "Phase 4: Review" are two stages.
    const id = taken.has(slug) ? toSlug(`${title} ${stage.label}`) : slug;
    taken.add(id);
    return { id, title, index: stage.index, text: trimLines(text), textIndex };
  });
  const parts = [lines.slice(0, first.index), lines.slice(end)].map((part) => trimLines(part.join("\n")));
  return { intro: parts.filter((part) => part !== "").join("\n\n"), sections, faults };
}

/** Without blank lines around. The first line keeps its indentation. */
export function trimLines(text: string): string {
  return text.slice(BLANK_LINES.exec(text)?.[0].length).trimEnd();
}

/** How many blank lines {@link trimLines} takes from the beginning. */
export function countBlankLines(text: string): number {
  return BLANK_LINES.exec(text)?.[0].match(/\n/g)?.length ?? 0;
}

// Two headings make a level of stages; a single one counts where no level has two.
function chooseStages(headings: Heading[]): { stages: Found[]; others: Found[] } {
  const found = headings.flatMap((heading): Found[] => {
    const stage = readStageHeading(heading.text);
    return stage ? [{ ...heading, ...stage }] : [];
  });
  for (const count of [2, 1]) {
    for (const level of [2, 3]) {
      const here = found.filter((heading) => heading.level === level);
      const stages = here.filter(({ family }) => family === here[0]?.family);
      if (stages.length < count) continue;
      return { stages, others: here.filter((heading) => !stages.includes(heading)) };
    }
  }
  return { stages: [], others: [] };
}

function findNumberFaults(stages: Found[]): HeadingFault[] {
  return stages.slice(1).flatMap((stage, position) => {
    const before = stages[position]!;
    if (stage.numbers.some((number) => before.numbers.includes(number - 1))) return [];
    if (stage.numbers.length === 0 || before.numbers.length === 0) return [];
    const repeats = stage.numbers.some((number) => before.numbers.includes(number));
    const message = `"${stage.label}" ${repeats ? "repeats the number of" : "does not follow"} "${before.label}"; the stages are taken in the order of the file.`;
    return [{ code: "stage-number", severity: "warning", index: stage.index, message } as const];
  });
}

function toOtherFault({ label, index }: Found, first: Found | undefined): HeadingFault {
  const message = `"${label}" is no stage: the stages here begin with "${first?.label}".`;
  return { code: "stage-keyword", severity: "warning", index, message };
}

function isLost(heading: Heading, first: Found | undefined): boolean {
  const stage = readStageHeading(heading.text);
  if (stage === undefined) return false;
  return first === undefined
    ? heading.level === 2 || heading.level === 3
    : stage.family === first.family && heading.level === first.level;
}

function toLostFault(unclosed: { index: number; kind: string }, lost: Heading): HeadingFault {
  const message = `The ${unclosed.kind} that begins here is never closed and swallows "${lost.text}".`;
  return { code: "stage-swallowed", severity: "error", index: unclosed.index, message };
}
