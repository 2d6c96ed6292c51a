import { basename, dirname, sep } from "node:path";
import type { Catalog, CatalogFile } from "../skills/catalog.ts";
import { parseFrontmatter } from "../skills/frontmatter.ts";
import { readHead } from "../skills/header/read-head.ts";
import type { Diagnostic, Skill, SkillRoot } from "../skills/schema.ts";

/**
 * A file that has to do with a name. `offered` wins · `shadowed` by a stronger one · `refused` for a fault ·
 * `renamed`: its folder has the name, its header says another.
 */
export interface SkillCandidate {
  path: string;
  status: "offered" | "shadowed" | "refused" | "renamed";
  root: SkillRoot;
  /** Whole sentences, for people. */
  reasons: string[];
  diagnostics: Diagnostic[];
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
}

/**
 * Explains a skill's name: every file that has to do with it, which one wins, and why the others do not.
 *
 * @param roots those that the catalog was read from, strongest first
 */
export function explainSkill(name: string, catalog: Catalog, roots: SkillRoot[]): SkillExplanation {
  const wanted = name.normalize("NFC");
  const winner = catalog.get(wanted);
  const read = [...catalog.files.values()].flatMap((entry) => explainFile(entry, wanted, catalog));
  const candidates = [...read, ...explainUnread(wanted, catalog, roots)];
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
  };
}

function explainFile({ file, skill }: CatalogFile, wanted: string, catalog: Catalog): SkillCandidate[] {
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
  if (!by) return [{ ...base, status: "offered", reasons: listLimits(skill) }];
  const reason = `${by.path} has the same name and comes first.`;
  return [{ ...base, status: "shadowed", reasons: [reason, ...listLimits(skill)] }];
}

/** Files that the search met and did not read, such as a link that leads out of the roots. */
function explainUnread(wanted: string, catalog: Catalog, roots: SkillRoot[]): SkillCandidate[] {
  return catalog.diagnostics.flatMap((fault) => {
    const { path, code, message } = fault;
    if (code !== "file-refused" && code !== "skill-nested") return [];
    const root = roots.find((each) => path.startsWith(each.path + sep));
    if (!root || basename(dirname(path)).normalize("NFC") !== wanted) return [];
    return [{ path, root, status: "refused", reasons: [message], diagnostics: [fault] }];
  });
}

function listLimits(skill: Skill): string[] {
  const { modelInvocable, userInvocable, trusted } = skill;
  const reasons: string[] = [];
  if (!trusted) {
    reasons.push(
      'Its folder is not trusted: it loads only after a person agreed, and grants nothing. See "skillgraph trust".',
    );
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
