import { basename, dirname, sep } from "node:path";
import { readRequests } from "../graph/loading/skill-requests.ts";
import type { SkillTrust } from "../graph/loading/trust.ts";
import type { Risk } from "../permissions/risk.ts";
import type { Catalog, CatalogFile } from "../skills/catalog.ts";
import { findSkillFiles } from "../skills/discovery/discover.ts";
import { parseFrontmatter } from "../skills/frontmatter.ts";
import { readHead } from "../skills/header/read-head.ts";
import type { Diagnostic, Skill, SkillRoot } from "../skills/schema.ts";

/**
 * What became of a file. `offered` wins · `closed` wins, and nobody can load it · `shadowed` by a stronger one · `disabled` in the settings · `refused`
 * for a fault · `renamed`: its folder has the name, its header says another · `nested` among the files of another
 * skill · `ignored` by a `.gitignore` · `unsearched`: the search ended before it.
 */
export type CandidateStatus =
  | "offered"
  | "closed"
  | "shadowed"
  | "disabled"
  | "refused"
  | "renamed"
  | "nested"
  | "ignored"
  | "unsearched";

/** A file that has to do with a name. */
export interface SkillCandidate {
  path: string;
  status: CandidateStatus;
  root: SkillRoot;
  /** Whole sentences, for people. */
  reasons: string[];
  diagnostics: Diagnostic[];
  /** Of a file that could be read as a skill. */
  trusted?: boolean;
  /** What it asks for, its stages included: `L0` reads, `L1` writes files, `L2` runs commands or calls out. */
  risk?: Risk;
}

/** A folder that was searched, and what it gave. */
export interface SearchedRoot extends SkillRoot {
  /** Skills that could be read. */
  skills: number;
  /** Those of them that are offered. */
  offered: number;
}

/** Why a name leads to the skill that it leads to, or to none. */
export interface SkillExplanation {
  /** In NFC. */
  name: string;
  winner?: Skill;
  /** Strongest first. */
  candidates: SkillCandidate[];
  /** In the order of the search. */
  roots: SearchedRoot[];
  /** Names that were probably meant, when none is offered. */
  nearest: string[];
  /** Where the search ended early, when none is offered. */
  limits: Diagnostic[];
}

/** How far is searched for a name that the usual search did not find. */
const FAR = { maxDepth: 20, maxFolders: 20_000 };

/** What the search tells of files that it met and did not read. */
const UNREAD: ReadonlyMap<string, CandidateStatus> = new Map([
  ["file-refused", "refused"],
  ["skill-nested", "nested"],
  ["folder-ignored", "ignored"],
  ["folder-hidden", "ignored"],
]);

/**
 * Explains a skill's name: every file that has to do with it, which one wins, and why the others do not.
 *
 * @param roots those that the catalog was read from, strongest first
 * @param trust whether a skill is trusted; as its root is, when absent
 */
export function explainSkill(
  name: string,
  catalog: Catalog,
  roots: SkillRoot[],
  trust: (skill: Skill) => SkillTrust = ({ trusted }) => ({ trusted, files: [] }),
): SkillExplanation {
  const wanted = name.normalize("NFC");
  const winner = catalog.get(wanted);
  const read = [...catalog.files.values()].flatMap((entry) => explainFile(entry, wanted, catalog, trust));
  const limits = winner ? [] : catalog.diagnostics.filter(({ code }) => /^root-(?:deep|large)$/.test(code));
  const candidates = [
    ...read,
    ...explainUnread(wanted, catalog, roots),
    ...findUnsearched(wanted, catalog, roots, limits),
  ];
  const rank = new Map(roots.map(({ path }, index) => [path, index]));
  const toRank = ({ root }: SkillCandidate) => rank.get(root.path) ?? roots.length;
  return {
    name: wanted,
    ...(winner ? { winner } : {}),
    candidates: candidates.sort(
      (one, other) => toRank(one) - toRank(other) || (one.path < other.path ? -1 : 1),
    ),
    roots: roots.map((root) => countSkills(root, catalog)),
    nearest: winner ? [] : catalog.nearest(wanted),
    limits,
  };
}

function explainFile(
  { file, skill }: CatalogFile,
  wanted: string,
  catalog: Catalog,
  trust: (skill: Skill) => SkillTrust,
): SkillCandidate[] {
  const { path, root } = file;
  const isNamedByFolder = file.folderName.normalize("NFC") === wanted;
  const base = { path, root, diagnostics: listFaults(path, catalog) };
  if (!skill) {
    if (!isNamedByFolder && readHeaderName(path) !== wanted) return [];
    return [{ ...base, status: "refused", reasons: ["It cannot be used as a skill."] }];
  }
  if (skill.name !== wanted) {
    const reason = `Its header names it "${skill.name}", and the header decides.`;
    return isNamedByFolder ? [{ ...base, status: "renamed", reasons: [reason] }] : [];
  }
  const by = catalog.shadowed.find((loser) => loser.skill === skill)?.by;
  const verdict = trust(skill);
  const facts = { ...base, trusted: verdict.trusted, risk: readRequests(skill).risk };
  const limits = listLimits(skill, verdict);
  if (catalog.disabled.includes(skill)) {
    const reason = 'The settings disable this name: "skills.disabled" lists it.';
    return [{ ...facts, status: "disabled", reasons: [reason, ...limits] }];
  }
  const isClosed = !skill.modelInvocable && !skill.userInvocable;
  if (!by) return [{ ...facts, status: isClosed ? "closed" : "offered", reasons: limits }];
  const reason = `${by.path} has the same name and comes first.`;
  return [{ ...facts, status: "shadowed", reasons: [reason, ...limits] }];
}

/** Files that the search met and did not read, such as a link that leads out of the roots. */
function explainUnread(wanted: string, catalog: Catalog, roots: SkillRoot[]): SkillCandidate[] {
  return catalog.diagnostics.flatMap((fault) => {
    const { path, code, message } = fault;
    const status = UNREAD.get(code);
    const root = roots.find((each) => path.startsWith(each.path + sep));
    if (status === undefined || root === undefined) return [];
    const isNamedByFolder = basename(dirname(path)).normalize("NFC") === wanted;
    // A refused file may be a device or lie outside of the roots; it is not to be opened.
    if (!isNamedByFolder && (status === "refused" || readHeaderName(path) !== wanted)) return [];
    return [{ path, root, status, reasons: [message], diagnostics: [fault] }];
  });
}

/** Folders of the name behind the limits of the search; looked for only when the name leads to nothing. */
function findUnsearched(
  wanted: string,
  { files }: Catalog,
  roots: SkillRoot[],
  limits: Diagnostic[],
): SkillCandidate[] {
  return roots.flatMap((root) => {
    const reasons = limits.filter(({ path }) => path === root.path).map(({ message }) => message);
    if (reasons.length === 0) return [];
    return findSkillFiles([root], FAR)
      .files.filter((file) => !files.has(file.path) && file.folderName.normalize("NFC") === wanted)
      .map(({ path }) => ({ path, root, status: "unsearched" as const, reasons, diagnostics: [] }));
  });
}

function listLimits(skill: Skill, { trusted, reason }: SkillTrust): string[] {
  const { modelInvocable, userInvocable, paths } = skill;
  const reasons: string[] = [];
  if (!trusted) {
    const why =
      reason?.startsWith("it comes from") === false
        ? `It is not trusted: ${reason}. So it loads`
        : "Its folder is not trusted: it loads";
    reasons.push(`${why} only after a person agreed, and grants nothing. See "skillgraph trust".`);
    if (modelInvocable && readRequests(skill).risk === "L2") {
      reasons.push("The model is not told of it: it asks to run commands or call out.");
    }
  }
  if (!modelInvocable && !userInvocable) {
    reasons.push("Nobody can load it: the header forbids it to the model and to people.");
  } else if (!modelInvocable) {
    reasons.push(
      `The model is not told of it (disable-model-invocation): only a person loads it, with /${skill.name}.`,
    );
  } else if (!userInvocable) {
    reasons.push(`/${skill.name} does not load it (user-invocable is false): only the model does.`);
  }
  if (modelInvocable && paths.length > 0) {
    reasons.push(
      `The model is told of it once a file that fits its paths is worked with: ${paths.join(", ")}.`,
    );
  }
  return reasons;
}

function listFaults(path: string, { diagnostics }: Catalog): Diagnostic[] {
  return diagnostics.filter((fault) => fault.path === path && fault.code !== "skill-shadowed");
}

/** The name in the header of a file that is no skill; undefined when not even that can be read. */
function readHeaderName(path: string): string | undefined {
  try {
    const name = parseFrontmatter(readHead(path).text).header.get("name");
    return typeof name === "string" ? name.trim().normalize("NFC") : undefined;
  } catch {
    // The catalog tells what is wrong with the file.
    return undefined;
  }
}

function countSkills(root: SkillRoot, catalog: Catalog): SearchedRoot {
  const skills = [...catalog.files.values()].filter(
    ({ file, skill }) => skill && file.root.path === root.path,
  );
  const offered = skills.filter(({ skill }) => skill && catalog.get(skill.name) === skill);
  return { ...root, skills: skills.length, offered: offered.length };
}
