// Compares turns and supersteps of skillgraph with those of deepagents and of LangGraph's own agent loop.
// Usage: node turns.mjs [--runs 9] [--skills 10,100,1000] [--calls 100] [--json] [--docs]
// Progress is told on standard error, the table comes on standard output; --docs also puts it into docs/performance.md.
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine, printReport } from "./print-report.mjs";
import { createPlace, createWorkspace, MARKER, readVersions } from "./turns/place.mjs";
import { renderReport, summarize } from "./turns/report.mjs";

const NUMBERS = /(?<=<!-- numbers -->\n)[\s\S]*(?=<!-- end of numbers -->)/;

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "9" },
    skills: { type: "string", default: "10,100,1000" },
    calls: { type: "string", default: "100" },
    json: { type: "boolean", default: false },
    docs: { type: "boolean", default: false },
  },
});
const runs = Number(options.runs);
const counts = options.skills.split(",").map(Number);
const calls = Number(options.calls);

if (![runs, calls, ...counts].every((number) => Number.isInteger(number) && number > 0)) {
  throw new Error("--runs, --calls and --skills take whole numbers from 1 on.");
}

const [load] = loadavg();
const versions = readVersions();
const place = await createPlace();
try {
  const turns = counts.flatMap((count) => {
    const workspace = createWorkspace(place.folder, count);
    return measure(`a turn, ${count} skills`, ["skillgraph", "deepagents"], () => ({
      kind: "turns",
      count,
      ...workspace,
    }));
  });
  const empty = createWorkspace(place.folder, 0);
  const loops = ["memory", "sqlite"].flatMap((saver) =>
    measure(`${calls} calls, ${saver}`, ["skillgraph", "plain", "plain-delta"], (contender, run) => ({
      kind: "loop",
      saver,
      calls,
      database: join(place.folder, `${contender}-${run}.db`),
      ...empty,
    })),
  );
  const date = new Date().toISOString().slice(0, 10);
  print({ date, machine: describeMachine(), load, versions, runs, calls, ...summarize(turns, loops) });
} finally {
  place.remove();
}

/** Runs every contender so many times, each in its own process, and lets another one begin each round. */
function measure(title, names, toJob) {
  const results = [];
  for (let run = 0; run < runs; run += 1) {
    process.stderr.write(`${title}: round ${run + 1} of ${runs}\n`);
    for (let turn = 0; turn < names.length; turn += 1) {
      const contender = names[(turn + run) % names.length];
      const job = { contender, entry: place.entry, marker: MARKER, ...toJob(contender, run) };
      results.push({ ...job, ...runChild(job) });
    }
  }
  return results;
}

function runChild(job) {
  const side = job.contender === "deepagents" ? "peers" : "ours";
  const output = execFileSync(
    process.execPath,
    ["--expose-gc", join(place.folder, side, "child.mjs"), JSON.stringify(job)],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      // Nothing of the person's own: neither skills nor settings nor tracing.
      env: { PATH: process.env.PATH, HOME: place.folder, LANGSMITH_TRACING: "false" },
    },
  );
  return JSON.parse(output);
}

function print(summary) {
  printReport(summary, { ...options, report: renderReport(summary), place: NUMBERS });
}
