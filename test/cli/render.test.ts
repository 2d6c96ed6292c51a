import { describe, expect, it } from "vitest";
import { createJsonRenderer, createTextRenderer } from "../../src/cli/render.ts";
import type { Progress } from "../../src/graph/state.ts";
import type { RunEnd, RuntimeEvent } from "../../src/runtime/threads/events.ts";
import { createTestScreen } from "../support/screen.ts";

const start: RuntimeEvent = {
  type: "run-start",
  thread: "t-1",
  model: "offline",
  modelReason: "no key is set",
};
const end: RunEnd = { type: "run-end", status: "finished", thread: "t-1", answer: "Done." };

function show(events: RuntimeEvent[], last?: RunEnd, isAsked = false, isKept = true) {
  const screen = createTestScreen();
  const renderer = createTextRenderer(screen);
  for (const event of events) renderer.show(event);
  if (last) renderer.finish(last, isKept ? "" : undefined, isAsked);
  return screen.read();
}

describe("the text renderer", () => {
  it("text goes to one stream, progress to the other", () => {
    const { out, err } = show(
      [
        start,
        { type: "skill-loaded", name: "tidy", path: "/x", digest: "d", tokens: 312, chosenBy: "person" },
        { type: "model-start", model: "offline" },
        { type: "text-delta", text: "I will " },
        { type: "text-delta", text: "look." },
        { type: "model-end", model: "offline", calls: 1 },
        { type: "tool-start", id: "a", tool: "Bash", input: { command: "ls" } },
        { type: "tool-end", id: "a", tool: "Bash", status: "success", output: "x" },
        { type: "tool-start", id: "b", tool: "Read", input: { path: "gone" } },
        { type: "tool-end", id: "b", tool: "Read", status: "error", output: "No file.\nNearest: x" },
        { type: "tool-denied", id: "c", tool: "Bash", reason: "a rule denies it" },
        { type: "text-delta", text: "Done." },
      ],
      end,
    );
    expect(out).toBe("I will look.\nDone.\n");
    expect(err.replace(/\d+\.\d s/g, "0.0 s")).toBe(
      "thread t-1\nmodel offline (no key is set)\n● skill tidy loaded (312 tokens)\n$ ls\n✓ 0.0 s\n→ Read gone\n" +
        "✗ 0.0 s No file. Nearest: x\n✗ Bash refused: a rule denies it\n",
    );
  });

  it("a command that failed shows its exit code, not a check mark", () => {
    const bash = (output: string): RuntimeEvent[] => [
      { type: "tool-start", id: "a", tool: "Bash", input: { command: "ls" } },
      { type: "tool-end", id: "a", tool: "Bash", status: "success", output },
    ];
    const end = (output: string) =>
      show(bash(output))
        .err.split("\n")[1]
        ?.replace(/\d+\.\d s/, "0.0 s");
    expect(end("ls: no such file\n[exit code 2]")).toBe("✗ exit code 2, 0.0 s");
    expect(end("[No output.]\n[exit code 1]\n")).toBe("✗ exit code 1, 0.0 s");
    expect(end("[ended by SIGKILL]")).toBe("✗ ended by SIGKILL, 0.0 s");
    expect(end("[No output.]\n[exit code 0]")).toBe("✓ 0.0 s");
    expect(end("[exit code 2]\nwas the text")).toBe("✓ 0.0 s");
    expect(end("a\n[Stopped at the time limit of 1,500 ms. All of it was ended.]")).toBe(
      "✗ stopped at the time limit of 1,500 ms, 0.0 s",
    );
    expect(end("no host\n[It ran in a sandbox (bwrap): no network.]\n[exit code 6]")).toBe(
      "✗ exit code 6, maybe because of the sandbox, 0.0 s",
    );
    expect(end("[It ran in a sandbox (bwrap): no network.]")).toBe("✓ 0.0 s");
  });

  it("an answer that was not streamed is printed, and one that was is not printed twice", () => {
    expect(show([start], end).out).toBe("Done.\n");
    expect(show([start, { type: "text-delta", text: "Done." }], end).out).toBe("Done.\n");
  });

  it("the stages of a wizard are told as they begin and end", () => {
    const stage = { skill: "release", stage: "plan" };
    const { out, err } = show([
      { type: "stage-start", ...stage, title: "Plan\nit", number: 2, total: 3 },
      { type: "stage-end", ...stage, result: "approved" },
      { type: "stage-end", ...stage, result: "rejected" },
      { type: "stage-end", ...stage, result: "stopped" },
    ]);
    expect(out).toBe("");
    expect(err).toBe(
      "▸ 2/3 plan · Plan it\n✓ stage plan approved\n↩ stage plan rejected\n■ stage plan stopped\n",
    );
  });

  it("how far a wizard has come is one line at each change, and no line says what another has said", () => {
    const at = (number: number, stage: string, status: Progress["status"], words: string): RuntimeEvent => {
      const line = `${number}/2 ${stage} · ${words}`;
      return { type: "progress", skill: "release", stage, title: "T", number, total: 2, status, line };
    };
    const begin = (number: number, stage: string, title: string): RuntimeEvent => {
      return { type: "stage-start", skill: "release", stage, title, number, total: 2 };
    };
    const end = (stage: string, result: "approved" | "stopped"): RuntimeEvent => {
      return { type: "stage-end", skill: "release", stage, result };
    };
    const { out, err } = show([
      begin(1, "plan", "Plan the release"),
      at(1, "plan", "working", "working"),
      at(1, "plan", "waiting", "waiting for you"),
      at(1, "plan", "working", "working"),
      at(1, "plan", "waiting", "waiting for you"),
      end("plan", "approved"),
      begin(2, "apply", "Apply"),
      at(2, "apply", "working", "working"),
      end("apply", "approved"),
      at(2, "apply", "finished", "done"),
      end("apply", "stopped"),
      at(2, "apply", "stopped", "stopped"),
    ]);
    expect(out).toBe("");
    expect(err.split("\n")).toEqual([
      "▸ 1/2 plan · Plan the release",
      "▸ 1/2 plan · waiting for you",
      "▸ 1/2 plan · working",
      "▸ 1/2 plan · waiting for you",
      "✓ stage plan approved",
      "▸ 2/2 apply · Apply",
      "✓ stage apply approved",
      "✓ 2/2 apply · done",
      "■ stage apply stopped",
      "",
    ]);
  });

  it("calls side by side are told apart", () => {
    const { err } = show([
      { type: "tool-start", id: "a", tool: "Read", input: { path: "a" } },
      { type: "tool-start", id: "b", tool: "Grep", input: { pattern: "b" } },
      { type: "tool-end", id: "b", tool: "Grep", status: "success", output: "" },
      { type: "tool-end", id: "a", tool: "Read", status: "success", output: "" },
    ]);
    expect(err).toMatch(/✓ Grep \d\.\d s\n✓ \d\.\d s\n$/);
  });

  it("what models and tools say cannot steer a terminal", () => {
    const { out, err } = show([
      { type: "text-delta", text: "\u001b[2J" },
      { type: "notice", text: "\u001b]0;x\u0007" },
      { type: "tool-denied", id: "a", tool: "\u001b[1m", reason: "\r" },
      { type: "stage-start", skill: "x", stage: "\r", title: "\u001b", number: 1, total: 1 },
      { type: "stage-end", skill: "x", stage: "\r", result: "stopped" },
      {
        ...{ type: "progress", skill: "x", stage: "\r", title: "", number: 1, total: 1, status: "waiting" },
        line: "1/1 \u001b[2J",
      },
    ]);
    expect(out + err).not.toMatch(/[\u001b\u0007\r]/);
  });

  it("the thread is named once, and a question that was asked is not shown again", () => {
    const items = [
      {
        kind: "call",
        id: "a",
        name: "Bash",
        args: { command: "ls" },
        description: "why",
        allowed: ["approve"],
      },
    ];
    const waiting = {
      type: "run-end",
      status: "waiting",
      thread: "t-1",
      request: { id: "req-1", items },
    } as never;
    expect(show([start, start]).err.match(/thread t-1/g)).toHaveLength(1);
    expect(show([start], waiting).out).toContain("$ ls");
    const { out } = show([start], waiting, true);
    expect(out).not.toContain("$ ls");
    expect(out).toContain("skillgraph resume t-1 --request req-1 --approve");
  });

  it("a thread that is gone with the process has no command that resumes it", () => {
    const items = [
      { kind: "call", id: "a", name: "Bash", args: {}, description: "why", allowed: ["approve"] },
    ];
    const told = /^(Stopped: before its end\n)?Threads in "memory:" are gone with this process[^\n]*\n$/;
    for (const status of ["waiting", "stopped", "failed"] as const) {
      const request = status === "waiting" ? { request: { id: "r", items } as never } : {};
      const { out, err } = show([], { type: "run-end", thread: "t-1", status, ...request }, false, false);
      expect(err).toMatch(told);
      expect(out + err).not.toContain("skillgraph resume");
    }
    expect(show([], end, false, false).err).toBe("");
  });

  it("a stop and a failure say how to go on", () => {
    const stop = { code: "step-limit", reason: "50 model calls were made" } as const;
    const stopped = show([], { type: "run-end", status: "stopped", thread: "t-1", stop });
    expect(stopped.err).toBe(
      "Stopped: 50 model calls were made\nThe thread is kept. Go on with: skillgraph resume t-1\n",
    );
    const error = { code: "model-failed", message: "No\nanswer." };
    const failed = show([], { type: "run-end", status: "failed", thread: "t-1", error });
    expect(failed.err).toMatch(/^skillgraph: No answer\.\nThe thread is kept/);
    expect(failed.out).toBe("");
  });
});

describe("the JSON renderer", () => {
  it("writes one event a line and nothing else", () => {
    const screen = createTestScreen();
    const renderer = createJsonRenderer(screen);
    for (const event of [start, end]) renderer.show(event);
    renderer.finish(end, "", false);
    expect(screen.read()).toEqual({ out: `${JSON.stringify(start)}\n${JSON.stringify(end)}\n`, err: "" });
  });
});
