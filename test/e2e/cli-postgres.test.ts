import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describePostgres } from "../checkpoint/stores.ts";
import { createCli, parseLines } from "../support/cli.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { createWorkspace } from "../support/workspace.ts";

let server: PostgresServer;

/** A repository with one tag and a feature since, and a CLI in it that keeps threads in PostgreSQL. */
function createRepository() {
  const workspace = createWorkspace({ "package.json": '{ "name": "demo-app", "version": "1.2.3" }\n' });
  const env = { PATH: process.env.PATH, HOME: workspace.home };
  const git = (...words: string[]) => execFileSync("git", words, { cwd: workspace.folder, env });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("add", ".");
  git("commit", "-qm", "feat: the beginning");
  git("tag", "v1.2.3");
  workspace.write("a.txt", "a");
  git("add", ".");
  git("commit", "-qm", "feat: list files by size");
  const url = server.toUrl();
  const { run } = createCli(workspace);
  const runThere = (...words: string[]) => run(words, { env: { SKILLGRAPH_CHECKPOINT: url } });
  return { workspace, url, run, runThere };
}

describePostgres("the CLI with threads in PostgreSQL", () => {
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it("runs a wizard, waits, is answered by new processes, forks, lists and deletes", async () => {
    const { workspace, runThere } = createRepository();
    const begun = await runThere("run", "/release", "--json");
    expect(begun).toMatchObject({ code: 3 });
    const gate = parseLines(begun.stdout).at(-1) as { thread: string; request: { id: string } } | undefined;
    const thread = String(gate?.thread);

    const plan = await runThere("resume", thread, "--request", String(gate?.request.id), "--approve");
    expect(plan.code).toBe(3);
    expect(plan.stdout).toContain("Stage 2 of 3 is complete");
    const late = await runThere("resume", thread, "--request", String(gate?.request.id), "--approve");
    expect(late.code).not.toBe(0);
    expect(late.code).not.toBe(3);

    const list = JSON.parse((await runThere("threads", "--waiting", "--json")).stdout);
    expect(list.threads).toEqual([expect.objectContaining({ thread, status: "waiting", stage: "plan" })]);
    const history = JSON.parse((await runThere("threads", "history", thread, "--json")).stdout);
    const fork = await runThere(
      "threads",
      "fork",
      thread,
      "--at",
      history.checkpoints[0].checkpoint,
      "--json",
    );
    expect(fork.code).toBe(0);
    const { thread: copy } = JSON.parse(fork.stdout);
    expect((await runThere("resume", copy, "--approve")).stdout).toContain("Stage 3");
    expect(JSON.parse((await runThere("threads", "show", thread, "--json")).stdout)).toMatchObject({
      status: "waiting",
    });

    const doctor = await runThere("doctor");
    expect(doctor.stdout).toMatch(/postgres:\/\/127\.0\.0\.1:\d+\/postgres, 2 threads, \d+ KiB/);
    expect((await runThere("threads", "rm", thread)).code).toBe(0);
    const left = JSON.parse((await runThere("threads", "--json")).stdout);
    expect(left.threads.map((entry: { thread: string }) => entry.thread)).toEqual([copy]);
    expect(existsSync(join(workspace.folder, ".skillgraph", "threads.db"))).toBe(false);
  }, 120_000);

  it("prints no password, neither in the command that goes on nor in an error", async () => {
    const { url, run } = createRepository();
    const { password } = new URL(url);
    const begun = await run(["run", "/release", "--checkpoint", url]);
    expect(begun.code).toBe(3);
    expect(begun.stdout).toMatch(
      /--checkpoint 'postgres:\/\/skillgraph:\*\*\*@127\.0\.0\.1:\d+\/postgres\?schema=s\d+'/,
    );
    const failed = await run(["threads", "--checkpoint", url.replace("/postgres?", "/nowhere?")]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /Checkpoints in "postgres:\/\/127\.0\.0\.1:\d+\/nowhere": there is no such database/,
    );
    for (const text of [begun.stdout, begun.stderr, failed.stderr]) {
      expect(text).not.toContain(password);
      expect(text).not.toContain(decodeURIComponent(password));
    }
  });

  it("doctor looks into an empty database and makes nothing in it", async () => {
    const { url, runThere } = createRepository();
    const schema = new URL(url).searchParams.get("schema");
    expect((await runThere("doctor")).stdout).toContain("whose tables the first run makes");
    expect(await server.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema)).toEqual([]);
  });
});
