import { describe, expect, it } from "vitest";
import { renderRecord, renderThread } from "../../src/cli/render-threads.ts";
import type { ThreadSummary } from "../../src/runtime/threads/list-threads.ts";
import { failedGate, planGate } from "../support/stage-items.ts";

const base: ThreadSummary = { thread: "t-1", status: "finished", updatedAt: "2026-01-02T03:04:05.000Z" };

function withItems(items: object[]): ThreadSummary {
  return { ...base, status: "waiting", request: { id: "r", items } as never };
}

const call = { kind: "call", id: "a", name: "Bash", args: { command: "rm -r x" }, description: "why" };

describe("a thread in a list", () => {
  it("is one line with the first words of its task", () => {
    expect(renderThread(base)).toBe("t-1  finished  2026-01-02T03:04:05.000Z\n");
    const task = `Sort\nthe ${"very ".repeat(20)}full inbox`;
    const line = renderThread({ ...base, skill: "tidy", name: "Mine", task });
    expect(line).toMatch(/^t-1 {2}finished {2}\S+ {2}tidy {2}"Mine" {2}Sort the (very ){8}…\n$/);
    expect(line.trimEnd().split("  ").at(-1)).toHaveLength(50);
  });

  it("names the stage of its wizard", () => {
    expect(renderThread({ ...base, skill: "release", stage: "plan" })).toMatch(/ {2}release\/plan\n$/);
  });

  it("says how far its wizard has come, before what it asks", () => {
    const progress = {
      ...{ skill: "release", stage: "plan", title: "Plan", number: 2, total: 3, status: "waiting" as const },
      line: "2/3 plan · waiting for you",
    };
    expect(renderThread({ ...withItems([planGate]), progress })).toMatch(
      /^t-1 .*\n {2}2\/3 plan · waiting for you\n {2}asks: Stage 2 of 3 is complete.*\n$/,
    );
    expect(renderThread({ ...base, progress: { ...progress, line: "\u001b[2J" } })).not.toContain("\u001b");
  });

  it("tells that it runs right now", () => {
    expect(renderThread({ ...base, status: "stopped", running: true })).toMatch(/^t-1 {2}running {3}2026/);
  });

  it.each([
    [[call], "$ rm -r x"],
    [[call, call, call], "$ rm -r x (and 2 more)"],
    [[{ ...call, kind: "outcome" }], "$ rm -r x (its end is not known)"],
    [[{ ...call, kind: "question", name: "AskUser", description: "Which\nfolder?" }], "Which folder?"],
    [
      [{ ...call, kind: "skill", name: "tidy", description: 'Load the skill "tidy"?' }],
      'Load the skill "tidy"?',
    ],
    [[planGate], "Stage 2 of 3 is complete: Plan (skill release): Three changes."],
    [[failedGate], "Stage 2 of 3 could not be completed: Plan (skill release)"],
  ])("%# tells what it asks", (items, asked) => {
    expect(renderThread(withItems(items))).toMatch(/^t-1 {2}waiting .*\n {2}asks: .*\n$/);
    expect(renderThread(withItems(items))).toContain(`  asks: ${asked}\n`);
  });

  it("a question in words of a caller's own is told, too", () => {
    expect(renderThread({ ...base, status: "waiting", request: "Well?" as never })).toContain(
      "  asks: for an answer\n",
    );
  });

  it("what models and people wrote cannot steer a terminal", () => {
    const item = { ...call, kind: "question", description: "\u001b[2J" };
    expect(renderThread({ ...withItems([item]), task: "\u001b]0;x\u0007", name: "\r" })).not.toMatch(
      /[\u001b\u0007\r]/,
    );
  });
});

describe("what happened to a skill", () => {
  it("is one line with its cost, who did it, and how", () => {
    const record = {
      type: "loaded",
      name: "tidy",
      digest: "d",
      tokens: 22,
      by: "model",
      way: "read",
    } as const;
    expect(renderRecord(record)).toBe("loaded: tidy (22 tokens; by the model; by reading its SKILL.md)");
    expect(renderRecord({ ...record, type: "unloaded", way: undefined, by: "person", version: "1.10" })).toBe(
      "unloaded: tidy (version 1.10; 22 tokens less; by the person)",
    );
  });
});
