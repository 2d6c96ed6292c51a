import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permissions/command/read-command.ts";
import { decideBash } from "../support.ts";
import { CORPUS } from "./corpus.ts";
import type { Entry } from "./entry.ts";
import { GRANTS, listUncovered, toPolicy } from "./grants.ts";
import { BASH, createStubShell, type RealRun, type StubShell } from "./stub-shell.ts";

const LANES = 3;

interface Judged extends Entry {
  decided: string;
  reason: string;
  run: RealRun;
}

describe.skipIf(BASH === undefined)("the corpus against a real bash (skipped where there is none)", () => {
  let shells: StubShell[] = [];
  let judged: Judged[] = [];

  beforeAll(async () => {
    shells = Array.from({ length: LANES }, createStubShell);
    judged = await judgeAll(shells);
  }, 180_000);
  afterAll(() => {
    for (const shell of shells) shell.remove();
  });

  it("holds at least 250 commands, no two alike, and at least 80 that are allowed", () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(250);
    expect(new Set(CORPUS.map(({ command }) => command)).size).toBe(CORPUS.length);
    expect(CORPUS.filter(({ verdict }) => verdict === "allow").length).toBeGreaterThanOrEqual(80);
  });

  it("gets the verdicts that it states", () => {
    const others = judged.filter(({ verdict, decided }) => verdict !== decided);
    expect(others.map(({ command, decided, reason }) => ({ command, decided, reason }))).toEqual([]);
  });

  it("has 0 bypasses: whatever is allowed does nothing that no rule covers", () => {
    const bypasses = judged.filter((item) => item.decided === "allow" && beyond(item).length > 0);
    expect(bypasses.map((item) => ({ command: item.command, did: beyond(item) }))).toEqual([]);
  });

  it("reads what is allowed as bash does: no program got other words than were decided about", () => {
    const allowed = judged.filter(
      ({ command, decided }) => decided === "allow" && !command.startsWith("timeout"),
    );
    const others = allowed.map(({ command, run }) => {
      const read = readCommand(command).commands.map(({ words }) => JSON.stringify(words));
      return { command, ran: run.programs.filter((words) => !read.includes(JSON.stringify(words))) };
    });
    expect(others.filter(({ ran }) => ran.length > 0)).toEqual([]);
  });

  it("sees what is asked about or refused do it, so that the stubs would tell of a bypass", () => {
    const seen = judged.filter((item) => item.decided !== "allow" && beyond(item).length > 0);
    expect(seen.length).toBeGreaterThanOrEqual(200);
  });

  it("asks needlessly only where a reason is given", () => {
    const needless = judged.filter(isNeedless);
    const withoutReason = needless.filter(({ needless: reason }) => reason === undefined);
    const stale = judged.filter((item) => item.needless !== undefined && !isNeedless(item));
    printReport(judged, needless);
    expect(withoutReason.map(({ command, run }) => ({ command, run }))).toEqual([]);
    expect(stale.map(({ command, run }) => ({ command, run }))).toEqual([]);
  });
});

async function judgeAll(shells: StubShell[]): Promise<Judged[]> {
  const waiting = [...CORPUS.entries()];
  const judged: Judged[] = [];
  const work = async (shell: StubShell): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, entry] = next;
      const { workspace, home } = shell;
      const decision = decideBash(entry.command, GRANTS, toPolicy(workspace, home), workspace);
      const run = await shell.run(entry.command);
      judged[index] = { ...entry, decided: decision.verdict, reason: decision.reason, run };
    }
  };
  await Promise.all(shells.map(work));
  return judged;
}

function beyond({ run, files }: Judged): string[] {
  return listUncovered(run, files);
}

function isNeedless(item: Judged): boolean {
  return item.decided === "ask" && item.quiet === undefined && beyond(item).length === 0;
}

function printReport(judged: Judged[], needless: Judged[]): void {
  const count = (verdict: string): number => judged.filter(({ decided }) => decided === verdict).length;
  const bypasses = judged.filter((item) => item.decided === "allow" && beyond(item).length > 0).length;
  const lines = needless.map(
    ({ command, needless: reason }) =>
      `  asks needlessly: ${JSON.stringify(command)}: ${reason ?? "no reason"}`,
  );
  const sum = `${judged.length} commands: ${count("allow")} allowed, ${count("ask")} asked, ${count("deny")} refused`;
  console.log([...lines, `${sum}; bypasses ${bypasses}; needless asks ${needless.length}`].join("\n"));
}
