import { join } from "node:path";
import { openCatalog } from "../../runtime/catalog.ts";
import { loadSettings } from "../../runtime/settings.ts";
import { createTrustDesk } from "../../runtime/trust/skill-trust.ts";
import { explainSkill, type SkillCandidate, type SkillExplanation } from "../../runtime/why.ts";
import type { SkillRoot } from "../../skills/schema.ts";
import { exitCodes } from "../exit-code.ts";
import { type CatalogFlags, toSettingsOptions } from "../flags.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, print, type Screen } from "../screen.ts";
import { toUnknownSkill } from "../task.ts";

/** Longest sentence or path, in characters. */
const LIMIT = 4096;

/** `skillgraph why NAME`: every candidate for a name, the one that wins, and why the others do not. */
export async function explainName(name: string, flags: CatalogFlags): Promise<number> {
  const screen = createScreen();
  const settings = loadSettings(toSettingsOptions(flags));
  const catalog = openCatalog(settings);
  const explanation = explainSkill(name, catalog, settings.roots, createTrustDesk(settings).check);
  const { winner } = explanation;
  const code = winner ? exitCodes.finished : exitCodes.failed;
  if (flags.json) {
    const unknown = winner ? undefined : toUnknownSkill(name, catalog, "list");
    const error = unknown ? { error: { code: unknown.code, message: unknown.message } } : {};
    screen.out.write(toJsonDocument({ ...toFacts(explanation), ...error }));
    return code;
  }
  printExplanation(explanation, screen);
  if (explanation.candidates.length === 0 && !/[/\\]/.test(name)) {
    const place = join(settings.workspace, "skills", name, "SKILL.md");
    print(screen, `\nA skill of this project would be ${toSafeLine(place, LIMIT)}.`);
  }
  return code;
}

function toFacts({ name, winner, candidates, roots, nearest, limits }: SkillExplanation) {
  return {
    name,
    winner: winner?.path ?? null,
    candidates: candidates.map(({ root, ...rest }) => ({
      source: root.path,
      tier: root.tier,
      trusted: root.trusted,
      ...rest,
    })),
    roots,
    nearest,
    limits,
  };
}

function printExplanation(
  { name, winner, candidates, roots, nearest, limits }: SkillExplanation,
  screen: Screen,
): void {
  const { colors } = screen.out;
  const title = colors.bold(toSafeLine(name));
  if (winner) print(screen, `${title} is ${toSafeLine(winner.path, LIMIT)}`);
  else print(screen, `${title}: no skill of this name is offered.`);
  if (nearest.length > 0)
    print(screen, `Nearest names: ${nearest.map((near) => toSafeLine(near)).join(", ")}`);
  if (candidates.length > 0) print(screen, "\nCandidates, strongest first:");
  for (const candidate of candidates) printCandidate(candidate, screen);
  print(screen, "\nSearched, strongest first:");
  for (const root of roots) {
    const rest = root.offered === root.skills ? "" : `, ${root.offered} offered`;
    const count = root.skills === 1 ? "1 skill" : `${root.skills} skills`;
    print(screen, `  ${toSafeLine(root.path, LIMIT)} ${colors.dim(toMark(root))}: ${count}${rest}`);
    for (const limit of limits.filter(({ path }) => path === root.path))
      print(screen, `    ${toSafeLine(limit.message, LIMIT)}`);
  }
}

function printCandidate(candidate: SkillCandidate, screen: Screen): void {
  const { path, status, root, reasons, diagnostics, trusted = root.trusted, risk } = candidate;
  const { colors } = screen.out;
  const word = status === "offered" ? colors.green(status) : colors.yellow(status);
  print(screen, `  ${word} ${toSafeLine(path, LIMIT)} ${colors.dim(toMark({ ...root, trusted }, risk))}`);
  for (const reason of reasons) print(screen, `    ${toSafeLine(reason, LIMIT)}`);
  for (const { severity, line, message, code } of diagnostics) {
    // What was not even opened has the fault itself as its reason.
    if (reasons.includes(message)) continue;
    print(screen, `    line ${line}: ${severity}: ${toSafeLine(message, LIMIT)} [${code}]`);
  }
}

function toMark({ tier, trusted }: SkillRoot, risk?: string): string {
  return `(${tier}${trusted ? "" : ", not trusted"}${risk === undefined ? "" : `, risk ${risk}`})`;
}
