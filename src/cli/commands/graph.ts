import { join } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { createSkillAgent } from "../../runtime/agent.ts";
import { openCatalog } from "../../runtime/catalog.ts";
import { drawAgent, drawWizard } from "../../runtime/draw.ts";
import { loadSettings } from "../../runtime/settings.ts";
import type { Skill } from "../../skills/schema.ts";
import { readWizard } from "../../skills/stages.ts";
import { exitCodes } from "../exit-code.ts";
import { type GraphFlags, toSettingsOptions } from "../flags.ts";
import { showFaults } from "../render-faults.ts";
import { toJsonDocument } from "../safe-text.ts";
import { createScreen, print, type Screen } from "../screen.ts";
import { toUnknownSkill } from "../task.ts";

/**
 * `skillgraph graph [SKILL]`: the agent's loop, or the stages of a wizard skill, as a Mermaid picture.
 *
 * @throws SkillgraphError `skill-unknown`, or `skill-unreadable` for a skill without stages or with faulty ones
 */
export async function drawGraph(name: string | undefined, flags: GraphFlags): Promise<number> {
  if (name === undefined && flags.wizard) {
    throw new SkillgraphError("usage", "--wizard is for a skill: skillgraph graph NAME --wizard.");
  }
  const screen = createScreen();
  const mermaid = name === undefined ? await drawLoop(flags) : drawSkill(name, flags, screen);
  if (flags.json) screen.out.write(toJsonDocument({ mermaid }));
  else print(screen, mermaid);
  return exitCodes.finished;
}

async function drawLoop(flags: GraphFlags): Promise<string> {
  const options = toSettingsOptions(flags);
  return drawAgent(await createSkillAgent({ ...options, model: "offline", checkpointer: false }));
}

function drawSkill(name: string, flags: GraphFlags, screen: Screen): string {
  const catalog = openCatalog(loadSettings(toSettingsOptions(flags)));
  const skill = catalog.get(name);
  if (!skill) throw toUnknownSkill(name, catalog);
  const { wizard, diagnostics } = readWizard(skill, { asked: flags.wizard === true });
  showFaults(diagnostics, screen);
  if (wizard) return drawWizard(skill.name, wizard);
  throw toNoWizard(skill, diagnostics.length > 0);
}

function toNoWizard({ name, directory }: Skill, isFaulty: boolean): SkillgraphError {
  if (isFaulty) {
    return new SkillgraphError(
      "skill-unreadable",
      `The stages of the skill "${name}" cannot be read: see above.`,
    );
  }
  const files = `files such as ${join(directory, "stages/01-plan.md")}`;
  const headings = 'headings "## Stage 1: …" with wizard: "true" in its metadata';
  return new SkillgraphError(
    "skill-unreadable",
    `The skill "${name}" has no stages to draw. A skill has stages by ${files}, or by ${headings}; --wizard takes such headings without it.`,
  );
}
