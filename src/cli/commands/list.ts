import { readRequests } from "../../graph/loading/skill-requests.ts";
import { checkListing } from "../../runtime/doctor/check-listing.ts";
import { checkRules } from "../../runtime/doctor/check-rules.ts";
import { checkSkillRules } from "../../runtime/doctor/check-skill-rules.ts";
import { loadSettings } from "../../runtime/settings.ts";
import { openCheckedCatalog } from "../../runtime/trust/skill-trust.ts";
import type { Skill } from "../../skills/schema.ts";
import { exitCodes } from "../exit-code.ts";
import { type CatalogFlags, toSettingsOptions } from "../flags.ts";
import { showFaults } from "../render-faults.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, note, print, type Screen } from "../screen.ts";

/** `skillgraph list`: the skills that are offered; faulty files are diagnostics, not failures. */
export async function listSkills(flags: CatalogFlags): Promise<number> {
  const screen = createScreen();
  const settings = loadSettings(toSettingsOptions(flags));
  const catalog = openCheckedCatalog(settings);
  const diagnostics = [
    ...settings.diagnostics,
    ...checkRules(settings),
    ...catalog.diagnostics,
    ...checkSkillRules(catalog.skills),
    ...checkListing(catalog, settings),
  ];
  if (flags.json) {
    const losers = catalog.shadowed.map(({ skill, by }) => ({
      ...toFacts(skill),
      shadowed: true,
      shadowedBy: by.path,
    }));
    const disabled = catalog.disabled.map((skill) => ({ ...toFacts(skill), disabled: true }));
    const skills = [...catalog.skills.map(toFacts), ...losers, ...disabled];
    screen.out.write(toJsonDocument({ skills, diagnostics }));
    return exitCodes.finished;
  }
  for (const skill of catalog.skills) printSkill(skill, screen);
  if (catalog.skills.length === 0) {
    note(
      screen,
      `No skills found. Searched: ${settings.roots.map((root) => toSafeLine(root.path)).join(", ")}.`,
    );
  }
  const disabled = new Set(catalog.disabled.map(({ name }) => toSafeLine(name)));
  if (disabled.size > 0) note(screen, `Disabled by the settings: ${[...disabled].join(", ")}.`);
  await screen.out.flush();
  showFaults(diagnostics, screen);
  return exitCodes.finished;
}

/** What is told of a skill without loading it. */
export function toFacts(skill: Skill) {
  const { allowedTools, disallowedTools, argumentHint, license, compatibility, model, version } = skill;
  return {
    name: skill.name,
    description: skill.description,
    path: skill.path,
    source: skill.source,
    tier: skill.tier,
    trusted: skill.trusted,
    risk: readRequests(skill).risk,
    modelInvocable: skill.modelInvocable,
    userInvocable: skill.userInvocable,
    mode: skill.mode,
    paths: skill.paths,
    arguments: skill.argumentNames,
    ...(version === undefined ? {} : { version }),
    ...(argumentHint === undefined ? {} : { argumentHint }),
    ...(model === undefined ? {} : { model }),
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    allowedTools,
    disallowedTools,
    metadata: skill.metadata,
  };
}

function printSkill(skill: Skill, screen: Screen): void {
  const { colors, columns, isTerminal } = screen.out;
  const marks = [
    skill.tier,
    skill.trusted ? "" : "not trusted",
    `risk ${readRequests(skill).risk}`,
    toLoaderMark(skill),
  ];
  const hint = skill.argumentHint === undefined ? "" : ` ${toSafeLine(skill.argumentHint)}`;
  print(
    screen,
    `${colors.bold(toSafeLine(skill.name))}${hint} ${colors.dim(`(${marks.filter((mark) => mark !== "").join(", ")})`)}`,
  );
  print(screen, `  ${toSafeLine(skill.description, isTerminal ? Math.max(40, columns - 2) : 2000)}`);
}

function toLoaderMark({ modelInvocable, userInvocable }: Skill): string {
  if (modelInvocable) return userInvocable ? "" : "only by the model";
  return userInvocable ? "only by name" : "nobody can load it";
}
