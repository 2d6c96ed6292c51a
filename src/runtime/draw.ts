import type { JsonSchema, Stage, Wizard } from "../skills/stages/stage.ts";
import type { SkillAgent } from "./agent.ts";

/** Longest label, in characters. */
const MAX_LABEL = 100;
/** Fields of a form that a label names. */
const MAX_FIELDS = 6;
const PLAIN = /[\p{L}\p{M}\p{N} ,.…\-/()'?!=+]/u;

/** The agent's own loop as a Mermaid picture. */
export async function drawAgent(agent: SkillAgent): Promise<string> {
  return (await agent.getGraphAsync()).drawMermaid({ withStyles: false }).trimEnd();
}

/**
 * The stages of a wizard as a Mermaid flowchart: what each must pass, who opens its gate, and the ways back.
 *
 * @param name the skill's name
 */
export function drawWizard(name: string, { stages }: Wizard): string {
  const lines = [
    `start(["Skill ${toLabel(name)}"])`,
    ...stages.flatMap((stage, index) => toNodes(stage, index + 1)),
    'done(["Finished"])',
    "start --> stage1",
    ...stages.flatMap((stage, index) => toEdges(stage, index + 1, stages.length)),
    ...(stages.length > 2 ? ["%% A person can go back from a gate to any earlier stage."] : []),
  ];
  return ["flowchart TD", ...lines.map((line) => `\t${line}`)].join("\n");
}

function toNodes({ title, gate, check, output, form, auto }: Stage, number: number): string[] {
  const asked = gate === "form" ? toFormLabel(form ?? output) : "A person approves";
  const asks = auto ? `${asked}, or --auto-gates` : asked;
  return [
    `stage${number}["Stage ${number}: ${toLabel(title)}"]`,
    ...(check === undefined ? [] : [`check${number}[/"Check: ${toLabel(check)}"/]`]),
    ...(gate === "none" ? [] : [`gate${number}{{"${asks}"}}`]),
  ];
}

function toFormLabel(schema: JsonSchema | undefined): string {
  const { properties } = schema ?? {};
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  if (names.length === 0) return "A person fills in a form";
  const more = names.length > MAX_FIELDS ? ", …" : "";
  return `A person fills in ${names.slice(0, MAX_FIELDS).map(toLabel).join(", ")}${more}`;
}

function toEdges({ gate, check, output }: Stage, number: number, total: number): string[] {
  const stage = `stage${number}`;
  const next = number < total ? `stage${number + 1}` : "done";
  const opened = gate === "none" ? next : `gate${number}`;
  const handed = output === undefined ? "" : "output fits";
  const forth =
    check === undefined
      ? [toEdge(stage, opened, handed)]
      : [
          toEdge(stage, `check${number}`, handed),
          toEdge(`check${number}`, opened, "exits with 0"),
          toWayBack(`check${number}`, stage, "fails"),
        ];
  if (gate === "none") return forth;
  return [
    ...forth,
    toEdge(opened, next, gate === "form" ? "filled in" : "approved"),
    toWayBack(opened, stage, "sent back"),
    ...(number > 1 ? [toWayBack(opened, `stage${number - 1}`, "go back")] : []),
  ];
}

function toEdge(from: string, to: string, label: string): string {
  return label === "" ? `${from} --> ${to}` : `${from} -- "${label}" --> ${to}`;
}

function toWayBack(from: string, to: string, label: string): string {
  return `${from} -. "${label}" .-> ${to}`;
}

/** A text as Mermaid shows it, on one line: by its code goes whatever ends a label, is markup or an instruction. */
function toLabel(text: string): string {
  const characters = [...text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim()];
  const cut = characters.length > MAX_LABEL ? [...characters.slice(0, MAX_LABEL - 1), "…"] : characters;
  return cut
    .map((character) => (PLAIN.test(character) ? character : `#${character.codePointAt(0)};`))
    .join("");
}
