import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { type ScriptedTurn, startOpenAIServer } from "../support/openai-server.ts";
import { createWorkspace } from "../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });

/** A workspace with a CLI that talks to a scripted server; commands of `./step` are allowed by the settings. */
async function createScene(script: ScriptedTurn[]) {
  const server = await startOpenAIServer(script);
  onTestFinished(() => server.close());
  const workspace = createWorkspace({
    "skillgraph.json": JSON.stringify({ permissions: { allow: ["Bash(bash step.sh:*)"] } }),
    "step.sh": 'echo "$1 begun" >> log; sleep "$2"; echo "$1 done" >> log; echo "$1 was done"',
  });
  const cli = createCli(workspace);
  const flags = ["--trust", "--model", "test-model"];
  const env = { OPENAI_BASE_URL: server.url };
  return {
    server,
    workspace,
    start: (words: string[]) => cli.start([...words, ...flags], { env }),
    run: (words: string[]) => cli.run([...words, ...flags], { env }),
    lineCame: async (line: string) => {
      for (let tries = 0; tries < 500; tries += 1) {
        if (workspace.exists("log") && workspace.read("log").includes(line)) return;
        await wait(20);
      }
      throw new Error(`The line "${line}" did not come.`);
    },
  };
}

const twoSteps = { calls: [bash("s1", "bash step.sh first 0"), bash("s2", "bash step.sh second 30")] };

describe("kill -9 while a command runs", () => {
  it("finished commands do not run again, and the one that was running is asked about", async () => {
    const scene = await createScene([twoSteps, { text: "All done." }]);
    const process = scene.start(["run", "two steps", "--json"]);
    await scene.lineCame("second begun");
    process.child.kill("SIGKILL");
    await process.ended;

    const resumed = await scene.run(["resume", "--json"]);
    expect(resumed.code).toBe(3);
    const end = parseLines(resumed.stdout).at(-1) as unknown as {
      thread: string;
      request: { id: string; items: { kind: string; id: string }[] };
    };
    expect(end.request.items).toMatchObject([{ kind: "outcome", id: "s2" }]);
    expect(scene.workspace.read("log")).toBe("first begun\nfirst done\nsecond begun\n");

    const unanswered = await scene.run(["resume", end.thread, "--allow", "--json"]);
    expect(unanswered.code).toBe(3);

    const answered = await scene.run([
      "resume",
      end.thread,
      "--request",
      end.request.id,
      "--answer",
      "it was done",
    ]);
    expect(answered.code).toBe(0);
    expect(answered.stdout).toContain("All done.");
    const log = scene.workspace.read("log");
    expect(log.match(/first begun/g)).toHaveLength(1);
    expect(log.match(/second begun/g)).toHaveLength(1);
    const results = scene.server.requests[1]?.body.messages?.filter(({ role }) => role === "tool");
    expect(results?.map(({ content }) => String(content))).toEqual([
      expect.stringContaining("first was done"),
      expect.stringContaining("it was done"),
    ]);
    scene.server.assertDone();
  });

  it("what the dead run left running is ended before the thread goes on", async () => {
    // Long enough that a busy machine resumes before it has ended by itself.
    const scene = await createScene([{ calls: [bash("s1", "bash step.sh slow 15")] }, { text: "Skipped." }]);
    const process = scene.start(["run", "slow step"]);
    await scene.lineCame("slow begun");
    const begun = Date.now();
    process.child.kill("SIGKILL");
    await process.ended;
    const resumed = await scene.run(["resume"]);
    expect(resumed.code).toBe(3);
    await wait(begun + 15_500 - Date.now());
    expect(scene.workspace.read("log")).toBe("slow begun\n");
  });

  it("a retry runs the command again, once", async () => {
    const scene = await createScene([{ calls: [bash("s1", "bash step.sh slow")] }, { text: "Done." }]);
    // Long the first time, so that it has not ended by itself before the next run ends it.
    const script =
      'echo "$1 begun" >> log; [ "$(grep -c begun log)" = 1 ] && sleep 30; echo "$1 done" >> log';
    scene.workspace.write("step.sh", script);
    const process = scene.start(["run", "slow step"]);
    await scene.lineCame("slow begun");
    process.child.kill("SIGKILL");
    await process.ended;
    expect((await scene.run(["resume"])).code).toBe(3);
    expect((await scene.run(["resume", "--approve"])).code).toBe(0);
    expect(scene.workspace.read("log")).toBe("slow begun\nslow begun\nslow done\n");
    scene.server.assertDone();
  });

  it("a kill while the model answers loses nothing: the question is put again", async () => {
    const scene = await createScene([{ text: "Never seen.", delayMs: 20_000 }, { text: "Seen." }]);
    const process = scene.start(["run", "hello"]);
    while (scene.server.requests.length === 0) await wait(20);
    process.child.kill("SIGKILL");
    await process.ended;
    const resumed = await scene.run(["resume"]);
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stdout).toContain("Seen.");
  });
});

describe("kill -9 at any moment", () => {
  const moments = [
    "run-start",
    "checkpoint",
    "skill-routed",
    "skill-loaded",
    "model-start",
    "model-end",
    "tool-end",
  ];

  it.each(moments)("right after the event %s the thread is open, and goes on to its end", async (moment) => {
    const workspace = createWorkspace({
      "skills/steps/SKILL.md": [
        "---\nname: steps\ndescription: Steps.\nallowed-tools: Bash(bash step.sh:*)\n---",
        "```bash run\nbash step.sh one\n```",
        "```bash run\nbash step.sh two\n```",
      ].join("\n"),
      "step.sh": 'echo "$1" >> log; sleep 0.1',
    });
    const cli = createCli(workspace);
    const process = cli.start(["run", "/steps", "--trust", "--json"]);
    await process.waitFor(`"type":"${moment}"`);
    process.child.kill("SIGKILL");
    await process.ended;
    const { threads } = JSON.parse((await cli.run(["threads", "--json"])).stdout);
    expect(threads).toMatchObject([{ status: "stopped" }]);
    let resumed = await cli.run(["resume", "--trust", "--json"]);
    if (resumed.code === 3)
      resumed = await cli.run(["resume", "--trust", "--json", "--answer", "it was done"]);
    expect(resumed.code).toBe(0);
    const log = workspace.exists("log") ? workspace.read("log") : "";
    expect(["one\ntwo\n", "two\n"]).toContain(log);
  });
});

describe("an interrupt", () => {
  it("Ctrl-C ends the command with its children, exits 130 and leaves a thread that can be resumed", async () => {
    const scene = await createScene([{ calls: [bash("s1", "bash step.sh slow 4")] }, { text: "Skipped." }]);
    const process = scene.start(["run", "slow step"]);
    await scene.lineCame("slow begun");
    process.child.kill("SIGINT");
    const ended = await process.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout + ended.stderr).toMatch(/skillgraph resume [0-9a-f-]{36}/);
    await wait(4500);
    expect(scene.workspace.read("log")).toBe("slow begun\n");
    expect((await scene.run(["resume"])).code).toBe(3);
    expect((await scene.run(["resume", "--reject", "not needed"])).code).toBe(0);
    scene.server.assertDone();
  });
});

describe("two processes on one thread", () => {
  it("the second is told who holds it, and nothing is lost", async () => {
    const scene = await createScene([{ calls: [bash("s1", "bash step.sh slow 8")] }, { text: "Done." }]);
    const process = scene.start(["run", "slow step", "--json"]);
    await scene.lineCame("slow begun");
    const { thread } = parseLines(
      (await process.waitFor("run-start")).split("\n")[0] ?? "",
    )[0] as unknown as {
      thread: string;
    };
    const second = await scene.run(["resume", thread]);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(new RegExp(`in use by process ${process.child.pid}`));
    expect((await process.ended).code).toBe(0);
    expect(scene.workspace.read("log")).toBe("slow begun\nslow done\n");
    expect(existsSync(join(scene.workspace.folder, ".skillgraph/threads.db"))).toBe(true);
    scene.server.assertDone();
  });
});
