import { checkSkillRules } from "../../runtime/doctor/check-skill-rules.ts";
import { loadSettings } from "../../runtime/settings.ts";
import { createTrustDesk, openCheckedCatalog } from "../../runtime/trust/skill-trust.ts";
import { listResources } from "../../skills/resources.ts";
import { readSkillText } from "../../skills/snapshot.ts";
import { exitCodes } from "../exit-code.ts";
import { type CatalogFlags, toSettingsOptions } from "../flags.ts";
import { showFaults } from "../render-faults.ts";
import { renderStages } from "../render-stage.ts";
import { toJsonDocument, toSafeLine, toSafeText } from "../safe-text.ts";
import { createScreen, print } from "../screen.ts";
import { toUnknownSkill } from "../task.ts";
import { toFacts } from "./list.ts";

/**
 * `skillgraph show NAME`: what the header says, the files that come along, and the instructions as they stand.
 *
 * @throws SkillgraphError `skill-unknown` with the nearest names, `skill-unreadable`
 */
export async function showSkill(name: string, flags: CatalogFlags): Promise<number> {
  const screen = createScreen();
  const settings = loadSettings(toSettingsOptions(flags));
  const catalog = openCheckedCatalog(settings);
  const skill = catalog.get(name);
  if (!skill) throw toUnknownSkill(name, catalog);
  const resources = listResources(skill.directory);
  const { text, digest } = readSkillText(skill);
  // Only here: listing skills reads no stages.
  const { readWizard } = await import("../../skills/stages/read-wizard.ts");
  const { wizard, diagnostics: faults } = readWizard(skill);
  const { reason, files } = createTrustDesk(settings).check(skill);
  const about = {
    ...toFacts(skill),
    ...(reason === undefined ? {} : { notTrusted: reason }),
    ...(files.length === 0 ? {} : { changed: files }),
  };
  const diagnostics = [
    ...catalog.diagnostics.filter(({ path }) => path === skill.path),
    ...checkSkillRules([skill]),
    ...faults,
  ];
  if (flags.json) {
    const stages = wizard ? { stages: wizard.stages.map(({ text: _text, ...stage }) => stage) } : {};
    const document = { ...about, digest, resources, ...stages, body: text, diagnostics };
    screen.out.write(toJsonDocument(document));
    return exitCodes.finished;
  }
  const { description, ...facts } = about;
  const { colors } = screen.out;
  print(screen, `${colors.bold(toSafeLine(skill.name))}: ${toSafeLine(description, 2000)}`);
  for (const [key, value] of Object.entries({ ...facts, ...resources })) {
    const shown = toText(value);
    if (key !== "name" && shown !== "")
      print(screen, `${colors.dim(`${toLabel(key)}:`)} ${toSafeLine(shown, 2000)}`);
  }
  if (wizard) {
    print(screen, colors.dim("stages:"));
    for (const line of renderStages(wizard)) print(screen, `  ${line}`);
  }
  print(screen, "");
  screen.out.write(
    `${toSafeText(text)
      .replace(/^\s*\n/, "")
      .trimEnd()}\n`,
  );
  await screen.out.flush();
  showFaults(diagnostics, screen);
  return exitCodes.finished;
}

/** `allowedTools` → `allowed tools`. */
function toLabel(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([key, entry]) => `${key}=${String(entry)}`)
    .join(", ");
}
