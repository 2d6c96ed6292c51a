// Times what a decision about a command costs: ours, the parse alone, and two ways of matching prefixes; and what the
// sandbox adds to a command, where there is one.
// Usage: node decisions.mjs [--runs 50] [--json] [--docs]
// The table comes on standard output; --docs also puts it into docs/performance.md.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { parse } from "unbash";
import { COMMANDS } from "./decisions/commands.mjs";
import { describeMachine, printReport } from "./print-report.mjs";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));
const NUMBERS = /(?<=<!-- decisions -->\n)[\s\S]*(?=<!-- end of decisions -->)/;
const LIMIT_MICROSECONDS = 50;
/** What changed later is not remembered. */
const REST_MS = 2_600;
const SPAWNS = 100;

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "50" },
    json: { type: "boolean", default: false },
    docs: { type: "boolean", default: false },
  },
});
const runs = Number(options.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error("--runs takes a whole number from 1 on.");

const [load] = loadavg();
const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-bench-")));
try {
  const { decideCall, parseRule, ...tools } = await bundle(folder);
  const workspace = createWorkspace(join(folder, "work"));
  await setTimeout(REST_MS);
  const texts = {
    allow: [
      "Bash(npm test:*)",
      "Bash(npm run:*)",
      "Bash(git add:*)",
      "Bash(git commit:*)",
      "Bash(node scripts/*)",
    ],
    deny: ["Bash(git push:*)", "Bash(sudo:*)"],
    ask: ["Bash(rm:*)"],
  };
  const rules = Object.fromEntries(
    Object.entries(texts).map(([kind, list]) => [kind, list.map((text) => parseRule(text))]),
  );
  const policy = {
    ...rules,
    mode: "ask",
    restrict: false,
    workspace,
    home: join(folder, "home"),
    skillFolders: [],
    readableFolders: [],
  };
  const prefixes = [...texts.allow, "ls", "cat", "git status", "git diff", "git log"].map((text) =>
    text.replace(/^Bash\(|[:*)]+$/g, ""),
  );
  const isPrefixed = (text) => prefixes.some((prefix) => text.startsWith(prefix));
  const contenders = {
    ours: (command) =>
      decideCall(policy, [], { tool: "Bash", target: { kind: "command", command, cwd: workspace } }),
    "parse alone": (command) => parse(command),
    "prefix of the text": isPrefixed,
    "prefix of each part": (command) =>
      command.split(/&&|\|\||[;|\n]/).every((part) => isPrefixed(part.trim())),
  };
  const verdicts = COMMANDS.map((command) => contenders.ours(command).verdict);
  const rows = Object.entries(contenders).map(([name, decide]) => ({
    name,
    ...summarize(COMMANDS.map((command) => time(decide, command))),
  }));
  const summary = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    load,
    runs,
    commands: COMMANDS.length,
    verdicts: count(verdicts),
    rows,
    sandbox: await timeSandbox(tools, workspace),
  };
  printReport(summary, { report: render(summary), place: NUMBERS, json: options.json, docs: options.docs });
  if (rows[0].median > LIMIT_MICROSECONDS)
    process.stderr.write(`The median is above ${LIMIT_MICROSECONDS} µs.\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bundle(place) {
  const outfile = join(place, "permissions.mjs");
  await build({
    stdin: {
      contents: `export { decideCall } from "./permissions/decide.ts"; export { parseRule } from "./permissions/rule.ts";
        export { findBubblewrap } from "./tools/sandbox/find-bubblewrap.ts";
        export { createBubblewrap } from "./tools/sandbox/bubblewrap.ts";
        export { probeBubblewrap } from "./tools/sandbox/probe.ts";`,
      resolveDir: SOURCE,
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
    banner: {
      js: 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);',
    },
  });
  return import(outfile);
}

/** A small project with a history. */
function createWorkspace(place) {
  for (let index = 0; index < 40; index += 1) {
    mkdirSync(join(place, `src/part${index}`), { recursive: true });
    for (const name of ["index.ts", "more.ts", "test.ts"])
      writeFileSync(join(place, `src/part${index}`, name), "x\n");
  }
  for (const name of ["notes", "data", "out", "scripts"]) mkdirSync(join(place, name));
  for (const name of ["README.md", "package.json", "src/a.ts", "src/b.ts", "src/index.ts", "notes/log.txt"])
    writeFileSync(join(place, name), "x\n");
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], {
      cwd: place,
      stdio: "ignore",
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  return place;
}

/** Microseconds of one decision: the median of the runs, behind a few that warm up. */
function time(decide, command) {
  const times = [];
  for (let run = -10; run < runs; run += 1) {
    const begin = process.hrtime.bigint();
    decide(command);
    if (run >= 0) times.push(Number(process.hrtime.bigint() - begin) / 1000);
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)];
}

function summarize(times) {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const slowest = COMMANDS[times.indexOf(sorted.at(-1))];
  return { median: at(0.5), p95: at(0.95), most: at(1), slowest };
}

function count(items) {
  return Object.fromEntries(
    [...new Set(items)].map((item) => [item, items.filter((other) => other === item).length]),
  );
}

/** Milliseconds of `/bin/true` alone and confined; undefined where nothing confines. */
async function timeSandbox({ findBubblewrap, probeBubblewrap, createBubblewrap }, workspace) {
  const home = join(folder, "home");
  mkdirSync(home);
  const environment = { PATH: process.env.PATH, HOME: home };
  const program = findBubblewrap(environment, workspace);
  const probe = program && (await probeBubblewrap(program, environment));
  if (probe?.version === undefined) return undefined;
  const sandbox = createBubblewrap({
    program,
    version: probe.version,
    network: false,
    writable: [],
    stateFolder: join(folder, "state"),
    accountHome: home,
  });
  const place = { workspace, cwd: workspace, readable: [], environment, approved: false };
  const measure = (words) => {
    const times = [];
    for (let run = 0; run < SPAWNS; run += 1) {
      const begin = process.hrtime.bigint();
      const { status } = spawnSync(words[0], words.slice(1), { cwd: workspace, stdio: "ignore" });
      if (status !== 0) throw new Error(`"${words[0]}" ended with ${status}.`);
      times.push(Number(process.hrtime.bigint() - begin) / 1e6);
    }
    return times.sort((one, other) => one - other)[SPAWNS / 2];
  };
  return {
    program: sandbox.program,
    bare: measure(["/bin/true"]),
    confined: measure(sandbox.wrap(["/bin/true"], place)),
  };
}

function render({ date, machine, commands, verdicts, rows, sandbox }) {
  const said = Object.entries(verdicts).map(([verdict, number]) => `${number} ${verdict}`);
  const lines = rows.map(
    ({ name, median, p95, most }) => `| ${name} | ${toText(median)} | ${toText(p95)} | ${toText(most)} |`,
  );
  const cost = sandbox
    ? `\`/bin/true\` takes ${sandbox.bare.toFixed(1)} ms alone and ${sandbox.confined.toFixed(1)} ms with \`${sandbox.program}\`.`
    : "No sandbox was there to be measured.";
  return `${date}, ${machine}. ${commands} commands (${said.join(", ")}), µs for each decision.

| | median | 95 % below | slowest |
|---|---|---|---|
${lines.join("\n")}

${cost}
`;
}

function toText(number) {
  return number < 10 ? number.toFixed(1) : String(Math.round(number));
}
