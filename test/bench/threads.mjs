// Measures long threads on SQLite: the size of the file, the time of a turn as the thread grows, taking a thread up again.
// Usage: node threads.mjs [--turns 1000] [--runs 3] [--full] [--only skillgraph] [--json] [--docs]
// Others run to 200 turns, and their size at the end is worked out from there; --full runs them to the end, which
// takes some 6 GB of room for each. The report comes on standard output; --docs also puts it into docs/performance.md.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine, printReport } from "./print-report.mjs";
import { writeBigSkill, writeNotes } from "./threads/notes.mjs";
import { renderReport } from "./threads/report.mjs";
import { createPlace, createWorkspace, readVersions } from "./turns/place.mjs";

const NUMBERS = /(?<=<!-- threads -->\n)[\s\S]*(?=<!-- end of threads -->)/;
const PEER_TURNS = 200;
const SKILL_STEPS = 50;
const SKILL_CHARACTERS = 100_000;

const { values: options } = parseArgs({
  options: {
    turns: { type: "string", default: "1000" },
    runs: { type: "string", default: "3" },
    full: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    docs: { type: "boolean", default: false },
  },
});
const [turns, runs] = [Number(options.turns), Number(options.runs)];
if (![turns, runs].every((number) => Number.isInteger(number) && number > 0) || turns < 10 || turns > 1_000)
  throw new Error("--turns takes 10 to 1000, --runs a whole number from 1 on.");

let files = 0;
const [load] = loadavg();
const versions = readVersions();
const place = await createPlace("threads");
try {
  const { workspace } = createWorkspace(place.folder, 0);
  writeNotes(workspace);
  writeBigSkill(workspace, SKILL_CHARACTERS);
  const ours = { contender: "skillgraph", saver: "ours", workspace, skills: join(workspace, "skills") };
  const contenders = [
    { ...ours, name: "skillgraph", keep: true },
    { ...ours, name: "skillgraph, a new agent each turn", renewed: true },
    { contender: "plain", saver: "shipped", workspace, name: "plain agent" },
    { contender: "deepagents", saver: "shipped", workspace, name: "deepagents" },
  ].filter(({ name }) => options.only === undefined || name === options.only);
  const grown = contenders.map((each) => grow(each));
  const skill = repeat("a big skill", () =>
    runChild({ ...ours, kind: "skill", calls: SKILL_STEPS, database: newFile("skill") }),
  );
  const date = new Date().toISOString().slice(0, 10);
  const summary = {
    date,
    machine: describeMachine(),
    load,
    versions,
    runs,
    turns,
    grown,
    skill,
    resume: measureResume(ours),
  };
  printReport(summary, { ...options, report: renderReport(summary), place: NUMBERS });
} finally {
  place.remove();
}

function grow({ name, keep, ...job }) {
  const isPeer = job.contender !== "skillgraph";
  const last = isPeer && !options.full ? Math.min(turns, PEER_TURNS) : turns;
  const marks = [10, 200, 1_000].filter((mark) => mark <= last);
  process.stderr.write(`${name}: ${last} turns\n`);
  const database = keep ? toKept(last) : newFile(name);
  const result = runChild({ ...job, kind: "grow", turns: last, marks, database });
  if (!keep) remove(database);
  return { name, isPeer, ...result };
}

/** Threads of 10 and of all turns, taken up by new processes. */
function measureResume(ours) {
  if (options.only !== undefined && options.only !== "skillgraph") return undefined;
  const short = 10;
  runChild({ ...ours, kind: "grow", turns: short, marks: [], database: toKept(short) });
  const take = (kind, count) =>
    repeat(`${kind} a thread of ${count}`, (run) => {
      // Each takes up a copy, since it adds a turn.
      const database = newFile(`${kind}-${count}-${run}`);
      execFileSync("cp", [toKept(count), database]);
      const { ms } = runChild({ ...ours, kind, turns: count, database });
      remove(database);
      return ms;
    });
  return {
    short,
    shortMs: take("resume", short),
    longMs: take("resume", turns),
    readMs: take("read", turns),
  };
}

function repeat(title, work) {
  return Array.from({ length: runs }, (_, run) => {
    process.stderr.write(`${title}: ${run + 1} of ${runs}\n`);
    return work(run);
  });
}

function toKept(count) {
  return join(place.folder, `kept-${count}.db`);
}

function newFile(name) {
  files += 1;
  return join(place.folder, `${name.replaceAll(/\W/g, "-")}-${files}.db`);
}

function remove(database) {
  for (const end of ["", "-wal", "-shm"]) rmSync(database + end, { force: true });
}

function runChild(job) {
  const side = job.contender === "skillgraph" ? "ours" : "peers";
  const output = execFileSync(
    process.execPath,
    [
      ...(process.env.BENCH_NODE_OPTIONS?.split(" ") ?? []),
      join(place.folder, side, "child.mjs"),
      JSON.stringify({ entry: place.entry, ...job }),
    ],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      // Nothing of the person's own: neither skills nor settings nor tracing.
      env: { PATH: process.env.PATH, HOME: place.folder, LANGSMITH_TRACING: "false" },
    },
  );
  return JSON.parse(output);
}
