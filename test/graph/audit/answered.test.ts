import { expect, it } from "vitest";
import { describeAnswer } from "../../../src/graph/audit/answered.ts";
import type { AuditRecord } from "../../../src/graph/state.ts";

const record = (request: string | undefined, verdict: string, more: object = {}) =>
  ({
    at: "2026-11-30T10:03:04.567Z",
    id: "c",
    kind: "call",
    name: "Write",
    subject: "a",
    verdict,
    by: "person",
    reason: "",
    ...(request === undefined ? {} : { request }),
    ...more,
  }) as AuditRecord;

const records = [
  record("req-1", "approve", { who: "anna@host" }),
  record("req-1", "reject", { who: "anna@host" }),
  record("req-2", "edit"),
  record(undefined, "respond"),
  record("req-3", "deny", { by: "mode" }),
];

it("names who answered a request and how, all of its verdicts", () => {
  expect(describeAnswer(records, "req-1")).toBe("approve, reject by anna@host at 2026-11-30T10:03:04Z");
});

it("without a request it is the last one that a person answered", () => {
  expect(describeAnswer(records)).toBe("edit by a person at 2026-11-30T10:03:04Z");
});

it("a request that nobody answered has no answer", () => {
  expect(describeAnswer(records, "req-3")).toBeUndefined();
  expect(describeAnswer(records, "req-9")).toBeUndefined();
  expect(describeAnswer([])).toBeUndefined();
});
