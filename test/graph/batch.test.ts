import { expect, it } from "vitest";
import { needsMark, nextBatch } from "../../src/graph/batch.ts";
import type { PendingCall } from "../../src/graph/state.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";

const toolbox = createToolbox();
const call = (id: string, tool: string, status: PendingCall["status"] = "ready"): PendingCall => ({
  id,
  tool,
  input: {},
  status,
  reason: "",
});
const ids = (calls: PendingCall[]) => nextBatch(calls, toolbox).map(({ id }) => id);

it("neighbouring calls that only read run side by side, up to the first that does not", () => {
  expect(ids([call("a", "Read"), call("b", "Grep"), call("c", "Write"), call("d", "Read")])).toEqual([
    "a",
    "b",
  ]);
});

it("a call with an effect runs alone, in its place", () => {
  expect(ids([call("a", "Bash"), call("b", "Bash")])).toEqual(["a"]);
  expect(ids([call("a", "Read", "done"), call("b", "Bash"), call("c", "Read")])).toEqual(["b"]);
});

it("nothing ready is an empty batch", () => {
  expect(ids([call("a", "Read", "done"), call("b", "Bash", "ask")])).toEqual([]);
});

it("only a call that must not run twice is marked, and once", () => {
  expect(needsMark(call("a", "Bash"), toolbox)).toBe(true);
  expect(needsMark({ ...call("a", "Bash"), life: "x" }, toolbox)).toBe(false);
  expect(needsMark(call("a", "Read"), toolbox)).toBe(false);
});
