import { describe, expect, it } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const note = skillText(
  { name: "note", description: "Notes a word.", "argument-hint": "<word>" },
  'Note it.\n\n```bash run\necho "$1" >> log.txt\n```',
);

/** A thread that asked once, was answered, and is done. */
async function makeThread() {
  const workspace = createWorkspace({ "skills/note/SKILL.md": note });
  const { run } = createCli(workspace);
  const asked = parseLines((await run(["run", "/note one", "--trust", "--json"])).stdout).at(-1);
  const thread = String(asked?.thread);
  expect(asked?.status).toBe("waiting");
  await run(["resume", thread, "--approve", "--trust"]);
  const history = JSON.parse((await run(["threads", "history", thread, "--json"])).stdout);
  const entries: { checkpoint: string; next: string[] }[] = history.checkpoints;
  const before = entries.find(({ next }) => next.includes("review"))?.checkpoint ?? "";
  return { workspace, run, thread, before };
}

describe("skillgraph threads fork", () => {
  it("D12: asks again on a new thread, and the old one is as it was", async () => {
    const { workspace, run, thread, before } = await makeThread();
    expect(workspace.read("log.txt")).toBe("one\n");
    const old = await run(["threads", "show", thread, "--json"]);
    const { code, stdout, stderr } = await run(["threads", "fork", thread, "--at", before]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const fork = /^Thread (\S+) goes on from checkpoint (\S+) of thread (\S+)\.\n/.exec(stdout);
    expect(fork?.slice(2)).toEqual([before, thread]);
    expect(stdout).toContain('echo "one" >> log.txt'.replaceAll('"', ""));
    expect(stdout).toContain(`skillgraph resume ${fork?.[1]} --request req-`);
    expect(workspace.read("log.txt")).toBe("one\n");
    expect((await run(["resume", String(fork?.[1]), "--reject", "no", "--trust"])).stdout).not.toBe("");
    expect(workspace.read("log.txt")).toBe("one\n");
    expect((await run(["threads", "show", thread, "--json"])).stdout).toBe(old.stdout);
  });

  it("--json names both threads, and a unique beginning of the checkpoint is enough", async () => {
    const { run, thread, before } = await makeThread();
    const words = ["threads", "fork", thread.slice(0, 8), "--at", before.slice(0, -4), "--json"];
    const { code, stdout } = await run(words);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      thread: expect.not.stringMatching(thread),
      status: "waiting",
      forkOf: { thread, checkpoint: before },
      request: { items: [{ kind: "call", name: "Bash" }] },
    });
  });

  it("a checkpoint that is not there exits 2 and lists the newest", async () => {
    const { run, thread, before } = await makeThread();
    const { code, stdout, stderr } = await run(["threads", "fork", thread, "--at", "zzz"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^skillgraph: No checkpoint "zzz" of thread \S+\. Newest checkpoints: [^\n]+\n$/);
    expect((await run(["threads", "fork", thread])).code).toBe(2);
    const gone = await run(["threads", "fork", "gone", "--at", before]);
    expect(gone.stderr).toMatch(/^skillgraph: No thread "gone"\./);
  });
});
