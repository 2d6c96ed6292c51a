// Compares how long it takes to find and read skills with deepagents, skills-ref, and the bare reading of the files.
// Usage: node discovery.mjs [--runs 5] [--skills 1000,10000] [--json] [--docs]
// Progress is told on standard error, the table comes on standard output; --docs also puts it into docs/performance.md.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { renderReport, summarize } from "./discovery/report.mjs";
import { describeMachine, printReport } from "./print-report.mjs";

const CHILD = fileURLToPath(new URL("discovery/child.mjs", import.meta.url));
const CATALOG = fileURLToPath(new URL("../../src/skills/catalog.ts", import.meta.url));
const NUMBERS = /(?<=<!-- discovery -->\n)[\s\S]*(?=<!-- end of discovery -->)/;

/** No root may hold more folders than are searched of it. */
const SKILLS_A_ROOT = 1_000;
/** What changed later is not remembered. */
const REST_MS = 2_500;
const CONTENDERS = ["cold", "warm", "deepagents", "listSkills", "skills-ref", "floor"];

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    skills: { type: "string", default: "1000,10000" },
    json: { type: "boolean", default: false },
    docs: { type: "boolean", default: false },
  },
});
const runs = Number(options.runs);
const counts = options.skills.split(",").map(Number);
if (![runs, ...counts].every((number) => Number.isInteger(number) && number > 0)) {
  throw new Error("--runs and --skills take whole numbers from 1 on.");
}

const [load] = loadavg();
const folder = mkdtempSync(join(tmpdir(), "skillgraph-bench-"));
try {
  const catalog = join(folder, "catalog.mjs");
  await build({
    entryPoints: [CATALOG],
    outfile: catalog,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
    banner: {
      js: 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);',
    },
  });
  const results = [];
  for (const count of counts) results.push(...(await measure(count, catalog)));
  const date = new Date().toISOString().slice(0, 10);
  print({ date, machine: describeMachine(), load, versions: readVersions(), runs, ...summarize(results) });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs every contender so many times, each in its own process, and lets another one begin each round. */
async function measure(count, catalog) {
  const base = join(folder, String(count));
  const roots = writeSkills(base, count);
  await setTimeout(REST_MS);
  const cacheFile = join(base, "catalog.jsonl");
  runChild({ contender: "warm", catalog, base, roots, count, cacheFile });
  const results = [];
  for (let run = 0; run < runs; run += 1) {
    process.stderr.write(`${count} skills: round ${run + 1} of ${runs}\n`);
    for (let turn = 0; turn < CONTENDERS.length; turn += 1) {
      const contender = CONTENDERS[(turn + run) % CONTENDERS.length];
      const own = contender === "cold" ? join(base, `cold-${run}.jsonl`) : cacheFile;
      const job = { contender, catalog, base, roots, count, cacheFile: own };
      results.push({ contender, count, ...runChild(job) });
    }
  }
  return results;
}

function runChild(job) {
  const output = execFileSync(process.execPath, ["--expose-gc", CHILD, JSON.stringify(job)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: folder, LANGSMITH_TRACING: "false" },
  });
  return JSON.parse(output.trim().split("\n").at(-1));
}

/** Folders of skills; each a header with a description of about 200 characters and a body of about 3,000. */
function writeSkills(base, count) {
  const roots = [];
  for (let index = 0; index < count; index += 1) {
    const root = join(base, `root-${Math.floor(index / SKILLS_A_ROOT)}`);
    if (index % SKILLS_A_ROOT === 0) roots.push(root);
    const name = `review-invoice-${index}`;
    const description =
      `Helps to review invoice ${index}: reads what is there, follows the house rules and reports what was done. ` +
      "Use when someone asks to review it or names such a file. Not for anything that is sent to others.";
    const step = "Look at it as it is, note what is missing, and ask when a choice is not yours to make.\n";
    const text = `---\nname: ${name}\ndescription: "${description}"\n---\n\n# Review\n\n${`- ${step}`.repeat(33)}`;
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, "SKILL.md"), text);
  }
  return roots;
}

function readVersions() {
  const require = createRequire(import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const peers = ["deepagents", "skills-ref"].map((name) => {
    const place = require.resolve.paths(name).map((path) => join(path, name, "package.json"));
    for (const path of place) {
      try {
        return [name, JSON.parse(readFileSync(path, "utf8")).version];
      } catch (error) {
        if (error.code !== "ENOENT") throw error;
      }
    }
    throw new Error(`${name} is not there: run "npm ci --prefix test/bench" first.`);
  });
  return Object.fromEntries([["skillgraph", version], ...peers]);
}

function print(summary) {
  printReport(summary, { ...options, report: renderReport(summary), place: NUMBERS });
}
