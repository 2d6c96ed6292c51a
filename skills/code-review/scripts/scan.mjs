#!/usr/bin/env node
import { count, runScript, show } from "./git.mjs";
import { readWords } from "./options.mjs";
import { scan, severities } from "./report.mjs";
import { openSource } from "./source.mjs";

const shownOfRule = 20;
const shownFiles = 60;

await runScript(async (words) => {
  const { what, paths, options } = readWords(words, "scan.mjs", { json: { type: "boolean" } });
  const source = await openSource(what, paths, options);
  const report = await scan(source);
  return options.json ? JSON.stringify(report, undefined, 2) : describe(report);
});

function describe({ reviewed, totals, findings, files }) {
  if (files.length === 0) return `Looked at: ${reviewed}. Nothing changed.`;
  const bySeverity = severities.map((name) => [name, findings.filter(({ severity }) => severity === name)]);
  const numbers = bySeverity.map(([name, list]) => `${list.length} ${name}`).join(", ");
  const lines = [
    `Looked at: ${reviewed}: ${count(files.length, "file")}, +${totals.additions} -${totals.deletions}.`,
    findings.length === 0
      ? "Found nothing that a script can find."
      : `Found ${count(findings.length, "thing")}: ${numbers}.`,
  ];
  for (const [name, list] of bySeverity) {
    if (list.length === 0) continue;
    lines.push("", `${name[0].toUpperCase()}${name.slice(1)}`, ...describeFindings(list));
  }
  lines.push("", "Files", ...files.slice(0, shownFiles).map(describeFile));
  if (files.length > shownFiles) lines.push(`  … and ${files.length - shownFiles} more (--json has all)`);
  return [...lines, "", ...describeLimits(files)].join("\n");
}

function describeFindings(findings) {
  const seen = new Map();
  const lines = [];
  for (const { rule, file, line, side, message, evidence } of findings) {
    seen.set(rule, (seen.get(rule) ?? 0) + 1);
    if (seen.get(rule) > shownOfRule) continue;
    const place = `${show(file)}:${line}${side === "old" ? " (before)" : ""}`;
    lines.push(`  ${place}  ${rule}: ${show(message)}`, ...(evidence ? [`      ${evidence}`] : []));
  }
  const cut = [...seen].filter(([, number]) => number > shownOfRule);
  return [
    ...lines,
    ...cut.map(([rule, number]) => `  … and ${number - shownOfRule} more of ${rule} (--json has all)`),
  ];
}

function describeFile({ file, from, status, kind, additions, deletions }) {
  const name = from === undefined ? show(file) : `${show(from)} -> ${show(file)}`;
  return `  ${name}  ${kind}, ${status}, +${additions} -${deletions}`;
}

/** A review is honest about what it did not see. */
function describeLimits(files) {
  const closed = files.filter(({ kind }) => ["binary", "lock", "generated", "submodule"].includes(kind));
  const lines =
    closed.length > 0
      ? [
          `Not read line by line: ${closed
            .map(({ file, kind }) => `${show(file)} (${kind})`)
            .slice(0, 20)
            .join(", ")}`,
        ]
      : [];
  const sources = files.filter(({ kind }) => kind === "source").length;
  const tests = files.filter(({ kind }) => kind === "test").length;
  if (sources > 0) lines.push(`${count(sources, "source file")} and ${count(tests, "test file")} changed.`);
  return [...lines, "A script finds patterns, not mistakes of thought: read the change."];
}
