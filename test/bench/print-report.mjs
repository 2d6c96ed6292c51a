import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

const DOCS = fileURLToPath(new URL("../../docs/performance.md", import.meta.url));

export function describeMachine() {
  const [{ model }, ...others] = cpus();
  return `${model.trim()}, ${others.length + 1} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
}

/** Writes a summary to standard output, and with `docs` the report to its place in the page, too. */
export function printReport(summary, { report, place, json, docs }) {
  process.stdout.write(json ? `${JSON.stringify(summary, null, 2)}\n` : report);
  if (!docs) return;
  const page = readFileSync(DOCS, "utf8");
  writeFileSync(
    DOCS,
    page.replace(place, () => `\n${report}\n`),
  );
}
