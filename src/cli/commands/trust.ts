import { existsSync, realpathSync } from "node:fs";
import { SkillgraphError } from "../../errors.ts";
import { riskWords } from "../../permissions/risk.ts";
import { loadSettings } from "../../runtime/settings.ts";
import { type ProjectSkill, surveyProject } from "../../runtime/survey-project.ts";
import { listTrusted, setTrust } from "../../runtime/trust.ts";
import { exitCodes } from "../exit-code.ts";
import type { TrustFlags } from "../flags.ts";
import { toProgramName } from "../program-name.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, note, print, type Screen } from "../screen.ts";

/** Longest path or list of files, in characters. */
const LIMIT = 4096;

/**
 * `skillgraph trust`: trusts a folder, the current project by default, with its skills as they are now, or takes
 * the trust back.
 *
 * @throws SkillgraphError `usage` for a folder that is not there
 */
export async function trustFolder(folder: string | undefined, flags: TrustFlags): Promise<number> {
  const screen = createScreen();
  if (flags.list && (flags.remove || folder !== undefined)) {
    throw new SkillgraphError("usage", "--list shows what is trusted; it takes no folder and no --remove.");
  }
  if (folder !== undefined && !existsSync(folder)) {
    throw new SkillgraphError("usage", `No folder "${folder}".`);
  }
  // As they count once it is trusted: the settings of the project name folders of skills, too.
  const settings = loadSettings({ ...(folder === undefined ? {} : { cwd: folder }), trust: true });
  if (flags.list) return listFolders(settings.configFolder, flags, screen);
  const real = folder === undefined ? settings.project : realpathSync(folder);
  // Where it was called is not where the project begins: the skills of both are what runs find.
  const there = loadSettings({ cwd: real, trust: true });
  const { skills, folders } = surveyProject([settings, there], real);
  const result = setTrust(settings.configFolder, real, !flags.remove, folders);
  if (flags.json) {
    screen.out.write(toJsonDocument({ ...result, skills: flags.remove ? [] : skills }));
    return exitCodes.finished;
  }
  const state = result.trusted ? "trusted" : "not trusted";
  print(screen, `${toSafeLine(result.folder, LIMIT)} is ${result.changed ? "now" : "already"} ${state}.`);
  if (!result.trusted) return exitCodes.finished;
  for (const skill of skills) printSkill(skill, screen);
  note(
    screen,
    `Its settings and .env count from now on, its skills as they are now. Take it back with: ${toProgramName()} trust --remove`,
  );
  return exitCodes.finished;
}

function listFolders(configFolder: string, flags: TrustFlags, screen: Screen): number {
  const folders = listTrusted(configFolder);
  if (flags.json) screen.out.write(toJsonDocument({ folders }));
  else if (folders.length === 0) note(screen, "No folder is trusted.");
  else for (const entry of folders) print(screen, toSafeLine(entry, LIMIT));
  return exitCodes.finished;
}

function printSkill({ name, status, risk, asks, files, fault }: ProjectSkill, screen: Screen): void {
  const { colors } = screen.out;
  const mark = status === "same" ? "" : `, ${status === "unfit" ? "not trusted" : status}`;
  const list = asks.length === 0 ? "" : `: ${asks.join(", ")}`;
  const words = `${riskWords[risk]}${toSafeLine(list, LIMIT)}`;
  print(screen, `  ${colors.bold(toSafeLine(name))} ${colors.dim(`(risk ${risk}${mark})`)} ${words}`);
  if (fault !== undefined) print(screen, `    ${toSafeLine(`It cannot be trusted: ${fault}.`, LIMIT)}`);
  else if (files.length > 0)
    print(screen, `    since it was trusted: ${toSafeLine(files.join(", "), LIMIT)}`);
}
