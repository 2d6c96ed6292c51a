import { existsSync } from "node:fs";
import { join } from "node:path";
import { toMessage } from "../../errors.ts";
import type { SkillFile } from "../discovery/discover.ts";
import { parseFrontmatter } from "../frontmatter.ts";
import { normalizeText, splitFences } from "../header/fences.ts";
import { decodeUtf8 } from "../header/read-head.ts";
import { type Diagnostic, parseHeader } from "../schema.ts";
import { readRegularFile } from "../snapshot.ts";
import { judgeBroadTools } from "./broad-tools.ts";
import type { NamedSkill } from "./collisions.ts";
import { judgeDangers, toSpokenLines } from "./dangers.ts";
import { judgeDescription } from "./description.ts";
import { judgeFences } from "./fences.ts";
import { judgeHeader } from "./header.ts";
import { judgeHidden, judgeHiddenCode } from "./hidden.ts";
import { judgeKeys } from "./keys.ts";
import { judgeLength } from "./length.ts";
import { judgeLinks } from "./links.ts";
import { type Finding, findLine, type JudgeEntry, type LintedFile, toError, toWarning } from "./rule.ts";
import { judgeRunBlocks } from "./run-blocks.ts";
import { readScripts, type Script } from "./scripts.ts";
import { judgeStages, type StageReport } from "./stages.ts";
import { readStrictHeader } from "./strict-header.ts";
import { judgeMissingTools, judgeUnusedTools } from "./tool-uses.ts";
import { judgeValues } from "./values.ts";

/** What is wrong with a skill, and what of it has to be compared with the others. */
export interface SkillReport {
  /** By file and line; empty when nothing is wrong. */
  diagnostics: Diagnostic[];
  /** Absent for a skill that would be refused. */
  named?: NamedSkill;
}

/**
 * Judges a skill by the agentskills.io specification. An error is what the specification forbids or what keeps the
 * skill from being used; a warning is what works here but hardly as it was meant, not in every client, or to harm.
 */
export async function lintSkill(file: SkillFile, judgeEntry?: JudgeEntry): Promise<SkillReport> {
  const { path } = file;
  let text: string;
  try {
    text = decodeUtf8(readRegularFile(path));
  } catch (error) {
    const fault = toError("file-unreadable", 1, `The file cannot be read: ${toMessage(error)}`);
    return { diagnostics: [{ ...fault, path }] };
  }
  const linted = readFile(file, text);
  const { skill, frontmatter } = linted;
  const stages = skill ? await judgeStages(skill) : { diagnostics: [], texts: [], allowedTools: [] };
  const scripts = readScripts(file.directory);
  const findings = [
    ...judgeFile(linted),
    ...judgeBody(linted),
    ...judgeTools(linted, stages, scripts),
    ...judgeEntries(linted, stages, judgeEntry),
  ];
  const diagnostics = [
    ...findings.map((finding) => ({ ...finding, path })),
    ...stages.diagnostics,
    ...scripts.flatMap(judgeScript),
  ];
  const named = skill && {
    skill,
    nameLine: frontmatter.keyLines.get("name") ?? 1,
    descriptionLine: frontmatter.keyLines.get("description") ?? 1,
  };
  return { diagnostics: sort(diagnostics, path), ...(named && { named }) };
}

function readFile(file: SkillFile, text: string): LintedFile {
  const frontmatter = parseFrontmatter(text);
  const { path, directory, folderName, root } = file;
  const place = { path, directory, folderName, source: root.path, tier: root.tier, trusted: root.trusted };
  const { skill, diagnostics } = parseHeader(frontmatter, place);
  const fences = splitFences(normalizeText(text));
  const pending = diagnostics.flatMap(({ fix }) => fix?.edits ?? []);
  const source = fences.kind === "found" && {
    lines: fences.header.split("\n"),
    firstLine: fences.headerLine,
    pending,
  };
  return {
    file,
    text,
    frontmatter,
    reported: diagnostics,
    ...(skill && { skill }),
    ...(source && { source }),
  };
}

function judgeFile(linted: LintedFile): Finding[] {
  const text = normalizeText(linted.text);
  const { source, frontmatter } = linted;
  const hidden = judgeHidden(text);
  const isTold = hidden.some(({ line }) => line < frontmatter.bodyLine);
  return [
    // What is hidden in a value is told where it stands, once.
    ...judgeHeader(linted).filter(({ code }) => !isTold || code !== "text-control"),
    ...judgeFences(linted),
    ...judgeKeys(linted),
    ...(source && frontmatter.readable
      ? judgeValues(readStrictHeader(source.lines.join("\n"), source.firstLine), linted)
      : []),
    ...judgeDescription(linted),
    ...hidden,
  ];
}

function judgeBody({ file, frontmatter }: LintedFile): Finding[] {
  const { body: text, bodyLine: firstLine } = frontmatter;
  const instructions = { text, firstLine, folders: [file.directory] };
  return [
    ...[judgeLength, judgeLinks, judgeRunBlocks].flatMap((judge) => judge(instructions)),
    ...judgeDangers(toSpokenLines(text, firstLine)),
  ];
}

function judgeTools(linted: LintedFile, stages: StageReport, scripts: readonly Script[]): Finding[] {
  const { skill, frontmatter } = linted;
  if (skill === undefined) return [];
  const { allowedTools } = skill;
  const line = frontmatter.keyLines.get("allowed-tools") ?? 1;
  const own = { text: frontmatter.body, firstLine: frontmatter.bodyLine };
  const texts = [own.text, ...stages.texts];
  const hasReferences = existsSync(join(skill.directory, "references"));
  const programs = scripts.map(({ text }) => text);
  return [
    ...judgeBroadTools(allowedTools, (entry) => findLine(linted, "allowed-tools", entry)),
    ...judgeMissingTools(allowedTools, stages.allowedTools, own),
    // What stands in further files is read when it is needed, and may need the tool then.
    ...(hasReferences ? [] : judgeUnusedTools(allowedTools, line, texts, programs)),
  ];
}

function judgeEntries(linted: LintedFile, stages: StageReport, judge: JudgeEntry | undefined): Finding[] {
  const { skill } = linted;
  if (skill === undefined || judge === undefined) return [];
  const entries = [...skill.allowedTools, ...skill.disallowedTools, ...stages.allowedTools];
  return [...new Set(entries)].flatMap((entry) => {
    const fault = judge(entry, skill.directory);
    const key = skill.disallowedTools.includes(entry) ? "disallowed-tools" : "allowed-tools";
    return fault ? [toWarning(fault.code, findLine(linted, key, entry), fault.message)] : [];
  });
}

function judgeScript({ path, text }: Script): Diagnostic[] {
  const findings = [...judgeHiddenCode(text), ...judgeDangers(toSpokenLines(text, 1, true))];
  return findings.map((finding) => ({ ...finding, path }));
}

/** The skill's own file first, each file from top to bottom, nothing twice. */
function sort(diagnostics: Diagnostic[], first: string): Diagnostic[] {
  const unique = new Map(
    diagnostics.map((each) => [JSON.stringify([each.code, each.path, each.line, each.message]), each]),
  );
  const rank = ({ path }: Diagnostic): string => (path === first ? "" : path);
  return [...unique.values()].sort((left, right) =>
    rank(left) === rank(right) ? left.line - right.line : rank(left) < rank(right) ? -1 : 1,
  );
}
