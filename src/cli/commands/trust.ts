import { existsSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { riskWords } from "../../permissions/risk.ts";
import { loadSettings, type Settings } from "../../runtime/settings.ts";
import { type ProjectSkill, surveyProject } from "../../runtime/trust/survey-project.ts";
import {
  isTrusted,
  listTrusted,
  recordSkills,
  setTrust,
  type TrustChange,
} from "../../runtime/trust/trust.ts";
import { quoteWord } from "../../skills/arguments/apply-arguments.ts";
import { isWithin } from "../../skills/within.ts";
import { RUN_MARK } from "../../tools/process/environment.ts";
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
 * @throws SkillgraphError `usage` for a folder that is not there, `tool-failed` when an agent asks for trust
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
  if (!flags.remove && settings.environment[RUN_MARK] !== undefined) {
    throw new SkillgraphError(
      "tool-failed",
      `Trust is a person's to give, and this command was started by an agent (${RUN_MARK} is set). Run "${toProgramName()} trust" in a terminal of your own.`,
    );
  }
  const project = realpathSync(settings.project);
  const real = folder === undefined ? project : realpathSync(folder);
  const change = real !== project && isWithin(project, real) ? changeSkills : changeFolder;
  return change({ real, project, settings, flags, screen });
}

interface Wish {
  real: string;
  project: string;
  settings: Settings;
  flags: TrustFlags;
  screen: Screen;
}

/** A project, or a folder with projects below. */
function changeFolder({ real, settings, flags, screen }: Wish): number {
  if (!flags.remove && dirname(real) === real) {
    throw new SkillgraphError(
      "usage",
      `"${real}" holds every folder there is. Name the project that you trust.`,
    );
  }
  // Where it was called is not where the project begins: the skills of both are what runs find.
  const there = loadSettings({ cwd: real, trust: true });
  const { skills, folders } = surveyProject([settings, there], real);
  const result = setTrust(settings.configFolder, real, !flags.remove, folders);
  if (flags.json) {
    screen.out.write(toJsonDocument({ ...result, skills: flags.remove ? [] : skills }));
    return exitCodes.finished;
  }
  if (flags.remove) return tellRemoved(result, settings, screen);
  const place = toSafeLine(real, LIMIT);
  print(screen, result.changed ? `${place} is now trusted.` : toAgain(place, skills, result.forgotten));
  for (const skill of skills) printSkill(skill, screen);
  for (const path of result.forgotten) printGone(path, screen);
  if (isWithin(real, settings.home)) {
    note(screen, "! All your projects are in it: each one counts as trusted, also those that you add later.");
  }
  note(
    screen,
    `Its settings and .env count from now on, its skills as they are now. Take it back with: ${toProgramName()} trust --remove`,
  );
  return exitCodes.finished;
}

/** Skills within a project: they are trusted as they are now, or no longer, and the project stays as it is. */
function changeSkills({ real, project, settings, flags, screen }: Wish): number {
  const { configFolder } = settings;
  const place = toSafeLine(real, LIMIT);
  if (flags.remove) {
    const result = setTrust(configFolder, real, false);
    if (flags.json) screen.out.write(toJsonDocument({ ...result, skills: [] }));
    else tellRemoved(result, settings, screen);
    return exitCodes.finished;
  }
  if (!isTrusted(project, listTrusted(configFolder))) {
    const way = `${toProgramName()} trust ${quoteWord(project)}`;
    throw new SkillgraphError(
      "usage",
      `"${real}" lies in the project "${project}", and trust begins with the whole project. Use: ${way}`,
    );
  }
  const there = loadSettings({ cwd: project, trust: true });
  const survey = surveyProject([settings, there], project);
  const skills = survey.skills.filter(({ directory }) => isWithin(real, directory));
  recordSkills(configFolder, new Map([...survey.folders].filter(([path]) => isWithin(real, path))));
  if (flags.json) {
    screen.out.write(toJsonDocument({ folder: real, trusted: true, changed: false, forgotten: [], skills }));
    return exitCodes.finished;
  }
  const covered = `${place} lies in ${toSafeLine(project, LIMIT)}, which is trusted already`;
  print(screen, skills.length === 0 ? `${covered}. No skill of it is here.` : `${covered}. As they are now:`);
  for (const skill of skills) printSkill(skill, screen);
  return exitCodes.finished;
}

function tellRemoved(
  { folder, changed, forgotten }: TrustChange,
  settings: Settings,
  screen: Screen,
): number {
  const place = toSafeLine(folder, LIMIT);
  const cover = listTrusted(settings.configFolder).find((entry) => isTrusted(folder, [entry]));
  const names = forgotten.map((path) => toSafeLine(basename(path))).join(", ");
  if (changed) print(screen, `${place} is no longer trusted.`);
  else if (names === "")
    print(screen, `${place} is already not trusted${cover === undefined ? "" : " by itself"}.`);
  if (names !== "") print(screen, `No longer trusted: ${toSafeLine(names, LIMIT)}`);
  if (cover !== undefined) note(screen, `${toSafeLine(cover, LIMIT)} is still trusted.`);
  return exitCodes.finished;
}

/** What is different from the last time. */
function toAgain(place: string, skills: ProjectSkill[], gone: string[]): string {
  const count = (status: ProjectSkill["status"]) => skills.filter((skill) => skill.status === status).length;
  const counts = { new: count("new"), changed: count("changed"), gone: gone.length };
  const shown = Object.entries(counts).filter(([, number]) => number > 0);
  if (shown.length === 0) return `${place} is already trusted.`;
  return `${place} is trusted again: ${shown.map(([what, number]) => `${number} ${what}`).join(", ")}.`;
}

function printGone(path: string, screen: Screen): void {
  const { colors } = screen.out;
  print(screen, `  ${colors.bold(toSafeLine(basename(path)))} ${colors.dim("(gone)")} is trusted no longer`);
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
