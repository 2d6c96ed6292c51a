import { join } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { createSkillAgent } from "../../runtime/agent.ts";
import { openCatalog } from "../../runtime/catalog.ts";
import { drawAgent, drawWizard } from "../../runtime/draw.ts";
import { loadSettings } from "../../runtime/settings.ts";
import type { Diagnostic, Skill } from "../../skills/schema.ts";
import { readWizard } from "../../skills/stages/read-wizard.ts";
import { exitCodes } from "../exit-code.ts";
import { type GraphFlags, toSettingsOptions } from "../flags.ts";
import { toProgramName } from "../program-name.ts";
import { showFaults } from "../render-faults.ts";
import { toJsonDocument } from "../safe-text.ts";
import { createScreen, print, type Screen } from "../screen.ts";
import { toUnknownSkill } from "../task.ts";

/** Faults that the message names; the others are told as the faults of a skill that is drawn are. */
const MAX_NAMED = 3;

interface Drawing {
  mermaid: string;
  diagnostics: Diagnostic[];
}

/**
 * `skillgraph graph [SKILL]`: the agent's loop, or the stages of a wizard skill, as a Mermaid picture.
 *
 * @throws SkillgraphError `skill-unknown`, or `skill-unreadable` for a skill without stages or with faulty ones
 */
export async function drawGraph(name: string | undefined, flags: GraphFlags): Promise<number> {
  if (name === undefined && flags.wizard) {
    throw new SkillgraphError("usage", `--wizard is for a skill: ${toProgramName()} graph NAME --wizard.`);
  }
  const screen = createScreen();
  const { mermaid, diagnostics } =
    name === undefined ? { mermaid: await drawLoop(flags), diagnostics: [] } : drawSkill(name, flags, screen);
  if (flags.json) {
    screen.out.write(toJsonDocument({ mermaid, diagnostics }));
    return exitCodes.finished;
  }
  showFaults(diagnostics, screen);
  print(screen, mermaid);
  return exitCodes.finished;
}

async function drawLoop(flags: GraphFlags): Promise<string> {
  const options = toSettingsOptions(flags);
  return drawAgent(await createSkillAgent({ ...options, model: "offline", checkpointer: false }));
}

function drawSkill(name: string, flags: GraphFlags, screen: Screen): Drawing {
  const catalog = openCatalog(loadSettings(toSettingsOptions(flags)));
  const skill = catalog.get(name);
  if (!skill) throw toUnknownSkill(name, catalog);
  const { wizard, diagnostics } = readWizard(skill, { asked: flags.wizard === true });
  if (wizard) return { mermaid: drawWizard(skill.name, wizard), diagnostics };
  if (diagnostics.length === 0) throw toNoWizard(skill);
  const named = diagnostics.filter(({ severity }) => severity === "error").slice(0, MAX_NAMED);
  const others = diagnostics.filter((fault) => !named.includes(fault));
  if (!flags.json) showFaults(others, screen);
  const list = named.map(({ path, line, message }) => `${path}:${line}: ${message}`).join(" ");
  const message = `The stages of the skill "${name}" cannot be read. ${list}`;
  throw Object.assign(new SkillgraphError("skill-unreadable", message), { diagnostics });
}

function toNoWizard({ name, directory }: Skill): SkillgraphError {
  const files = `files such as ${join(directory, "stages/01-plan.md")}`;
  const headings = 'headings "## Stage 1: …" with wizard: "true" in its metadata';
  return new SkillgraphError(
    "skill-unreadable",
    `The skill "${name}" has no stages to draw. A skill has stages by ${files}, or by ${headings}; --wizard takes such headings without it.`,
  );
}
