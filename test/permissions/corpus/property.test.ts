import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permissions/command/read-command.ts";
import { decideBash, grant } from "../support.ts";
import { GRANTABLE, HARMLESS_PROGRAMS, QUIET_PROGRAMS, quietText, ruledText } from "./command-texts.ts";
import { listUncovered, toPolicy } from "./grants.ts";
import { BASH, createStubShell, type StubShell } from "./stub-shell.ts";

/** To look further: other seeds and more runs, as `CORPUS_SEED=7 CORPUS_RUNS=20000`. A failure prints its seed. */
const SEED = Number(process.env.CORPUS_SEED ?? 20_250_101);
const RUNS = Number(process.env.CORPUS_RUNS ?? 900);

/** Files that these programs write because their words say so. */
const NAMED_FILES = /^(tar|git commit|touch out\/a|python3)/;

describe.skipIf(BASH === undefined)("made-up commands in a real bash (skipped where there is none)", () => {
  let shell: StubShell;
  let executed = 0;

  beforeAll(() => {
    shell = createStubShell();
  });
  afterAll(() => shell.remove());

  it("do nothing that the grants do not cover when they are allowed", async () => {
    const pool = [...GRANTABLE, ...HARMLESS_PROGRAMS];
    const rules = fc.subarray(pool, { minLength: Math.floor(pool.length * 0.8) });
    const property = fc.asyncProperty(ruledText, rules, async (command, allowed) => {
      const grants = [grant(...allowed.map((text) => `Bash(${text}:*)`), "Write(out/**)")];
      const { workspace, home } = shell;
      const decision = decideBash(command, grants, { ...toPolicy(workspace, home), deny: [] }, workspace);
      if (decision.verdict !== "allow") return;
      executed += 1;
      const run = await shell.run(command);
      const read = readCommand(command).commands.map(({ words }) => words);
      expect(toOwn(run.programs, read), "other words than were read").toEqual([]);
      const beyond = listUncovered(run, [], [...allowed, ...HARMLESS_PROGRAMS, ...listBehind(allowed)]);
      const named = read.some((words) => NAMED_FILES.test(words.join(" ")));
      expect(named ? beyond.filter((item) => !item.startsWith("changed")) : beyond).toEqual([]);
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
    console.log(
      `${RUNS} made-up commands (seed ${SEED}): ${executed} allowed and run, none beyond its rules`,
    );
    expect(executed).toBeGreaterThan(RUNS / 20);
  }, 3_600_000);

  it("are read word by word as bash reads them, also where no rule allows them", async () => {
    let compared = 0;
    const property = fc.asyncProperty(quietText, async (command) => {
      const view = readCommand(command);
      const read = view.commands.map(({ words }) => words);
      if (view.kind !== "readable" || !read.every(([name = ""]) => QUIET_PROGRAMS.includes(name))) return;
      compared += 1;
      const { programs, files } = await shell.run(command);
      expect(toOwn(programs, read)).toEqual([]);
      const written = view.commands.flatMap(({ writes }) => writes.map((path) => `ws/${path}`));
      expect(files.filter((path) => !written.includes(path.replace(/[/]+/g, "/")))).toEqual([]);
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS / 2 });
    console.log(
      `${RUNS / 2} made-up commands (seed ${SEED}): ${compared} readable and run, each read as bash reads it`,
    );
    expect(compared).toBeGreaterThan(RUNS / 20);
  }, 3_600_000);
});

/** What ran with words that no command was read with; what a wrapper of a rule runs is the tail of its words. */
function toOwn(programs: string[][], read: string[][]): string[][] {
  const texts = read.map((words) => JSON.stringify(words).slice(1, -1));
  return programs.filter(
    (words) => !texts.some((text) => `,${text}`.endsWith(`,${JSON.stringify(words).slice(1, -1)}`)),
  );
}

/** `npm test` for `timeout 5 npm test`, where that is allowed. */
function listBehind(allowed: string[]): string[] {
  return allowed.flatMap((rule) => /^(?:timeout 5|env A=1) (.+)$/.exec(rule)?.[1] ?? []);
}
