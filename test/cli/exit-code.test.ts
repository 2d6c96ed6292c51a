import { describe, expect, it } from "vitest";
import { toErrorExitCode, toRunExitCode } from "../../src/cli/exit-code.ts";
import { type ErrorCode, SkillgraphError } from "../../src/errors.ts";

const base = { type: "run-end", thread: "t" } as const;

describe("toRunExitCode", () => {
  it.each([
    ["finished", { ...base, status: "finished" }, 0],
    ["declined by the person", { ...base, status: "finished", stop: { code: "declined", reason: "no" } }, 0],
    ["finished, told as failed", { ...base, status: "finished", outcome: "failed" }, 1],
    ["waiting", { ...base, status: "waiting" }, 3],
    ["at the step limit", { ...base, status: "stopped", stop: { code: "step-limit", reason: "" } }, 4],
    ["interrupted", { ...base, status: "stopped", stop: { code: "interrupted", reason: "" } }, 130],
    ["given up", { ...base, status: "stopped", stop: { code: "faulty-calls", reason: "" } }, 1],
    ["failed", { ...base, status: "failed", error: { code: "model-failed", message: "" } }, 1],
    [
      "failed by a wrong model name",
      { ...base, status: "failed", error: { code: "model-unknown", message: "" } },
      2,
    ],
  ] as const)("%s", (_name, end, code) => {
    expect(toRunExitCode(end)).toBe(code);
  });
});

describe("toErrorExitCode", () => {
  it.each<[ErrorCode, number]>([
    ["usage", 2],
    ["skill-unknown", 2],
    ["root-unknown", 2],
    ["checkpoint-url-invalid", 2],
    ["settings-invalid", 2],
    ["thread-unknown", 2],
    ["thread-ambiguous", 2],
    ["request-unknown", 2],
    ["answer-invalid", 2],
    ["nothing-pending", 1],
    ["thread-busy", 1],
    ["model-key-missing", 1],
    ["checkpoint-unavailable", 1],
  ])("%s is %i", (code, expected) => {
    expect(toErrorExitCode(new SkillgraphError(code, "x"))).toBe(expected);
  });

  it("is 1 for what nobody expected", () => {
    expect(toErrorExitCode(new TypeError("x"))).toBe(1);
    expect(toErrorExitCode("x")).toBe(1);
    expect(toErrorExitCode(new DOMException("stopped", "AbortError"))).toBe(130);
  });
});
