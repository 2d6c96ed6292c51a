import { checkChange, checkFile, isMinified } from "./change-rules.mjs";
import { show } from "./git.mjs";
import { findKind } from "./kinds.mjs";
import { checkLines } from "./line-rules.mjs";
import { toShown } from "./options.mjs";
import { maskSecrets } from "./secrets.mjs";

/** How much a finding weighs, the heaviest first. */
export const severities = ["high", "medium", "low"];

/** All that the rules find in a change, the heaviest first, and a list of its files. */
export async function scan(source) {
  const found = [];
  for (const file of source.files) {
    const kind = findKind(file);
    const findings = await checkFile(file, kind, source);
    if (!file.binary) findings.push(...checkLines(file, isMinified(file) ? "generated" : kind));
    found.push(...findings.map((finding) => ({ ...finding, path: file.path })));
  }
  found.push(...(await checkChange(source.files, source)));
  const shown = (path) => toShown(path, source.repository);
  const findings = found
    .sort((one, other) => rank(one) - rank(other) || compare(one.path, other.path) || one.line - other.line)
    .map(({ rule, severity, path, line, side = "new", message, text }) => {
      const finding = { rule, severity, file: shown(path), line, side, message };
      return text === undefined ? finding : { ...finding, evidence: toEvidence(text, path) };
    });
  return {
    reviewed: source.title,
    totals: countAll(source.files),
    findings,
    files: listFiles(source.files, shown),
  };
}

function listFiles(files, shown) {
  return files.map((file) => {
    const { path, oldPath, status, additions, deletions } = file;
    const from = oldPath === undefined ? {} : { from: shown(oldPath) };
    return { file: shown(path), ...from, status, kind: findKind(file), additions, deletions };
  });
}

function countAll(files) {
  const sum = (name) => files.reduce((total, file) => total + file[name], 0);
  return { files: files.length, additions: sum("additions"), deletions: sum("deletions") };
}

function toEvidence(text, path) {
  const line = show(maskSecrets(text, path).trim());
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

function rank({ severity }) {
  return severities.indexOf(severity);
}

function compare(one, other) {
  return one === other ? 0 : one < other ? -1 : 1;
}
