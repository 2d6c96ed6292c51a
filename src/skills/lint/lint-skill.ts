import { toMessage } from "../../errors.ts";
import type { SkillFile } from "../discover.ts";
import { parseFrontmatter } from "../frontmatter.ts";
import { normalizeText, splitFences } from "../header/fences.ts";
import { decodeUtf8 } from "../header/read-head.ts";
import { type Diagnostic, parseHeader } from "../schema.ts";
import { readRegularFile } from "../snapshot.ts";
import { judgeDescription } from "./description.ts";
import { judgeFences } from "./fences.ts";
import { judgeHeader } from "./header.ts";
import { judgeKeys } from "./keys.ts";
import { judgeLength } from "./length.ts";
import { judgeLinks } from "./links.ts";
import { type Finding, type LintedFile, toError } from "./rule.ts";
import { judgeRunBlocks } from "./run-blocks.ts";
import { judgeStages } from "./stages.ts";
import { readStrictHeader } from "./strict-header.ts";
import { judgeValues } from "./values.ts";

/**
 * Judges a skill by the agentskills.io specification. An error is what the specification forbids or what keeps the
 * skill from being used; a warning is what works here but hardly as it was meant, or not in every client.
 *
 * @returns What is wrong, by file and line; empty when nothing is.
 */
export async function lintSkill(file: SkillFile): Promise<Diagnostic[]> {
  const { path } = file;
  let text: string;
  try {
    text = decodeUtf8(readRegularFile(path));
  } catch (error) {
    return [{ ...toError("file-unreadable", 1, `The file cannot be read: ${toMessage(error)}`), path }];
  }
  const linted = readFile(file, text);
  const findings = [...judgeFile(linted), ...judgeBody(linted)].map((finding) => ({ ...finding, path }));
  return sort([...findings, ...(linted.skill ? await judgeStages(linted.skill) : [])], path);
}

function readFile(file: SkillFile, text: string): LintedFile {
  const frontmatter = parseFrontmatter(text);
  const { path, directory, folderName, root } = file;
  const place = { path, directory, folderName, source: root.path, tier: root.tier, trusted: root.trusted };
  const { skill, diagnostics } = parseHeader(frontmatter, place);
  return { file, text, frontmatter, reported: diagnostics, ...(skill === undefined ? {} : { skill }) };
}

function judgeFile(linted: LintedFile): Finding[] {
  const fences = splitFences(normalizeText(linted.text));
  const isReadable = linted.frontmatter.readable && fences.kind === "found";
  return [
    ...judgeHeader(linted),
    ...judgeFences(linted),
    ...judgeKeys(linted),
    ...(isReadable ? judgeValues(readStrictHeader(fences.header, fences.headerLine), linted) : []),
    ...judgeDescription(linted),
  ];
}

function judgeBody({ file, frontmatter }: LintedFile): Finding[] {
  const { body: text, bodyLine: firstLine } = frontmatter;
  const instructions = { text, firstLine, folders: [file.directory] };
  return [judgeLength, judgeLinks, judgeRunBlocks].flatMap((judge) => judge(instructions));
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
