import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { type ScriptedTurn, startOpenAIServer } from "../support/openai-server.ts";
import { GRANT, prepareTricks, trickFiles, tricks } from "../support/tricks.ts";
import { createWorkspace } from "../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });

async function createScene(files: Record<string, string>, script: ScriptedTurn[]) {
  const server = await startOpenAIServer(script);
  onTestFinished(() => server.close());
  const workspace = createWorkspace(files);
  const cli = createCli(workspace);
  const flags = ["--model", "test-model", "--trust"];
  const options = { env: { OPENAI_BASE_URL: server.url }, timeoutMs: 60_000 };
  return {
    server,
    workspace,
    start: (words: string[]) => cli.start([...words, ...flags], options),
    run: (words: string[]) => cli.run([...words, ...flags], options),
    show: (words: string[]) => cli.run(["threads", "show", ...words]),
  };
}

describe("threads show --decisions", () => {
  it(`names the rule for each trick under ${GRANT}, and none of them has run`, async () => {
    const calls = tricks.map(({ call }, index) => ({ id: `t${index}`, ...call }));
    const scene = await createScene(trickFiles, [
      { calls: [...calls, bash("ok", "git status --short")] },
      { text: "I give up." },
    ]);
    prepareTricks(scene.workspace);
    const { code, stdout } = await scene.run(["run", "/looker", "--deny", "--json", "--max-steps", "9"]);
    expect(code).toBe(0);
    const events = parseLines(stdout);
    const started = events.filter(({ type }) => type === "tool-start").map(({ id }) => id);
    expect(started).toEqual(["ok"]);
    expect(scene.workspace.exists("P")).toBe(false);
    const decided = events.filter(({ type }) => type === "call-decided");
    expect(decided).toHaveLength(tricks.length + 1);

    const thread = String(events[0]?.thread);
    const table = await scene.show([thread, "--decisions"]);
    expect(table).toMatchObject({ code: 0, stderr: "" });
    // For whoever wants to read what was tried, and why it was refused.
    if (process.env.SHOW_TRANSCRIPT) process.stdout.write(`${stdout}\n${table.stdout}`);
    const [head, ...lines] = table.stdout.trimEnd().split("\n");
    expect(head).toMatch(/^when +verdict +who +for +subject +why$/);
    expect(lines).toHaveLength(tricks.length + 1);
    for (const [index, { name, names }] of tricks.entries()) {
      expect(lines[index], name).toMatch(/^\S+Z {2}deny /);
      expect(lines[index], name).toContain(names);
    }
    expect(lines.at(-1)).toMatch(/ allow +Bash\(git status:\*\) of looker +Bash +git status --short /);

    const { stdout: json } = await scene.show([thread, "--decisions", "--json"]);
    expect(JSON.parse(json).decisions).toEqual(decided.map(({ type: _type, ...record }) => record));
    scene.server.assertDone();
  });

  it("tells a person's answers, in another process, and nothing that moves the cursor", async () => {
    const hidden = "printf '\u001b[2Kx\u202e' > b.txt";
    const scene = await createScene({}, [
      { calls: [bash("b1", hidden), bash("b2", "touch P")] },
      { text: "Ok." },
    ]);
    const { code, stdout } = await scene.run(["run", "go", "--json"]);
    expect(code).toBe(3);
    const thread = String(parseLines(stdout)[0]?.thread);
    const empty = await scene.show([thread, "--usage", "--decisions"]);
    expect(empty).toMatchObject({ code: 2, stdout: "" });
    expect(empty.stderr).toContain("Only one of --usage, --decisions can be used");
    expect((await scene.run(["resume", thread, "--reject", "not now"])).code).toBe(0);
    const table = await scene.show([thread, "--decisions"]);
    expect(table.stdout).not.toMatch(/[\u001b\u202e]/);
    expect(table.stdout.match(/ ask /g)).toHaveLength(2);
    expect(table.stdout.match(/ reject +\S+@\S+ .*the person said no: not now/g)).toHaveLength(2);
    scene.server.assertDone();
  });

  it("says it when there is nothing to show", async () => {
    const scene = await createScene({}, [{ text: "Hello." }]);
    const { stdout } = await scene.run(["run", "hello", "--json"]);
    const shown = await scene.show([String(parseLines(stdout)[0]?.thread), "--decisions"]);
    expect(shown).toEqual({ code: 0, stdout: "", stderr: "Nothing was decided on this thread yet.\n" });
  });

  it("names each decision once after kill -9 in the middle of a call", async () => {
    const settings = JSON.stringify({ permissions: { allow: ["Bash(bash step.sh:*)"] } });
    const scene = await createScene(
      { "skillgraph.json": settings, "step.sh": 'echo "$1" >> log; sleep "$2"' },
      [
        { calls: [bash("s1", "bash step.sh first 0"), bash("s2", "bash step.sh second 30")] },
        { text: "Ok." },
      ],
    );
    const { child, ended } = scene.start(["run", "two steps", "--json"]);
    for (let tries = 0; tries < 1000; tries += 1) {
      if (scene.workspace.exists("log") && scene.workspace.read("log").includes("second")) break;
      await wait(20);
    }
    child.kill("SIGKILL");
    await ended;
    expect((await scene.run(["resume"])).code).toBe(3);
    expect((await scene.run(["resume", "--answer", "it was done"])).code).toBe(0);
    const { threads } = JSON.parse((await createCli(scene.workspace).run(["threads", "--json"])).stdout);
    const { stdout } = await scene.show([threads[0].thread, "--json"]);
    const { decisions } = JSON.parse(stdout) as { decisions: Record<string, string>[] };
    expect(decisions.map(({ id, kind, verdict, by }) => [id, kind, verdict, by])).toEqual([
      ["s1", "call", "allow", "rules"],
      ["s2", "call", "allow", "rules"],
      ["s2", "outcome", "respond", "person"],
    ]);
    scene.server.assertDone();
  });
}, 90_000);
