import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const script = join(import.meta.dirname, "../../scripts/chaos.mjs");

/** Another sample in every run; a failure names its seed. */
async function runChaos(...words: string[]): Promise<string> {
  const seed = String(Math.floor(Math.random() * 1_000_000));
  const ended = await run(process.execPath, [script, ...words, "--seed", seed], { timeout: 220_000 }).catch(
    (error: { stdout: string; stderr: string }) => ({ stdout: `${error.stdout}\n${error.stderr}` }),
  );
  return ended.stdout;
}

it("a wizard that is killed at some checkpoint write or tool boundary ends as the quiet one, nothing twice", async () => {
  const said = await runChaos("kill", "--limit", "4", "--delay", "0", "--delay", "15", "--jobs", "2");
  expect(said).toContain("points tried 4");
  expect(said).toMatch(/differences 0 · repeated effects 0\n/);
}, 240_000);

it("E2, E3: eight processes on forty threads neither overlap nor fork a history nor lose an answer", async () => {
  const said = await runChaos("storm", "--seconds", "5");
  expect(said).toMatch(/marks [1-9]/);
  expect(said).toMatch(/answers taken [1-9]/);
  expect(said).toMatch(/faults 0\n/);
}, 240_000);
