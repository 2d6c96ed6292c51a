import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { lookAtFile } from "../../tools/files/look-at-file.ts";
import { lookAgain, MAX_SURVEYED, type SurveyedFile, surveyFolder } from "../../tools/files/survey.ts";
import type { WizardProgress } from "../skill-state.ts";
import type { State } from "../state.ts";

/** Largest text that a survey keeps, and all of them together, in bytes: for differences of what lies highest. */
const MAX_TEXT = 32 * 1024;
const MAX_TEXTS = 128 * 1024;

const NOT_LISTED = "Changes by commands are not listed: the";
const THEN = {
  "too-many": `folder had more than ${MAX_SURVEYED} files`,
  "too-slow": "folder took too long to list",
};
const NOW = {
  "too-many": `folder has more than ${MAX_SURVEYED} files`,
  "too-slow": "folder takes too long to list",
};

/** A file on both sides of a stage; a side is absent where there is no such file. */
export interface Compared {
  before?: SurveyedFile;
  after?: SurveyedFile;
  /** Key in `texts` of what it held before, where that was kept. */
  text?: string;
}

/** The survey at the beginning as it is kept. */
interface Kept {
  /** Where it was made: of another folder it says nothing. */
  folder: string;
  files: Record<string, KeptFile>;
}

type KeptFile = [size: number, mode: number, mark: string, touched: string, isLink: boolean, text?: string];

/**
 * Looks at the workspace before the first call of a stage that may change files without naming them. It is to be in
 * a checkpoint before that call begins.
 *
 * @returns undefined where that was done since work on the stage began
 */
export function noteSurvey(
  progress: WizardProgress,
  workspace: string,
): { survey: NonNullable<WizardProgress["survey"]>; texts: State["texts"] } | undefined {
  const run = countRuns(progress);
  if (progress.survey?.run === run) return undefined;
  const found = surveyFolder(workspace);
  if (found.kind !== "files") return { survey: { run, fault: found.kind }, texts: {} };
  const texts: State["texts"] = {};
  let room = MAX_TEXTS;
  const files = [...found.files].map(([path, file]): [string, KeptFile] => {
    const { size, mode, mark, touched, isLink } = file;
    const isShort = size <= Math.min(MAX_TEXT, room) && !isLink;
    const look = isShort ? lookAtFile(resolve(workspace, path), workspace) : undefined;
    if (look?.kind !== "text") return [path, [size, mode, mark, touched, isLink]];
    room -= size;
    const text = toTextKey(look.text);
    texts[text] = look.text;
    return [path, [size, mode, mark, touched, isLink, text]];
  });
  const list = JSON.stringify({ folder: workspace, files: Object.fromEntries(files) } satisfies Kept);
  const key = `survey:${toDigest(list)}`;
  return { survey: { run, key }, texts: { ...texts, [key]: list } };
}

/** The key of what a file held. */
export function toTextKey(text: string): string {
  return `file:${toDigest(text)}`;
}

/**
 * The files that are not as they were when the stage ran its first command, by whomever they were changed; or in one
 * line why that is not known. Empty where the stage ran none.
 */
export function compareSurvey(
  progress: WizardProgress,
  texts: State["texts"],
  workspace: string,
): Map<string, Compared> | string {
  const { survey } = progress;
  if (survey?.run !== countRuns(progress)) return new Map();
  const list = survey.key === undefined ? undefined : texts[survey.key];
  if (!list) return `${NOT_LISTED} ${THEN[survey.fault ?? "too-slow"]} when this stage began.`;
  const { folder, files } = JSON.parse(list) as Kept;
  if (folder !== workspace) return `${NOT_LISTED} stage began in another folder.`;
  const now = surveyFolder(workspace);
  if (now.kind !== "files") return `${NOT_LISTED} ${NOW[now.kind]}.`;
  const kept = new Map(Object.entries(files));
  const paths = [...new Set([...kept.keys(), ...now.files.keys()])].sort();
  return new Map(
    paths.flatMap((path): [string, Compared][] => {
      const before = toFile(kept.get(path));
      // It may be left out by now: by a new line in an ignore file, or as a database that is open.
      const after = now.files.get(path) ?? lookAgain(workspace, path);
      if (before && after && isSame(before, after)) return [];
      const text = kept.get(path)?.[5];
      return [
        [
          path,
          {
            ...(before ? { before } : {}),
            ...(after ? { after } : {}),
            ...(text === undefined ? {} : { text }),
          },
        ],
      ];
    }),
  );
}

/** A stage that is begun again is looked at anew. */
function countRuns({ runs = [] }: WizardProgress): number {
  return Math.max(1, runs.length);
}

function toFile(kept: KeptFile | undefined): SurveyedFile | undefined {
  if (!kept) return undefined;
  const [size, mode, mark, touched, isLink] = kept;
  return { size, mode, mark, touched, isLink };
}

function isSame(before: SurveyedFile, after: SurveyedFile): boolean {
  return before.mark === after.mark && before.mode === after.mode && before.touched === after.touched;
}

function toDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
