import { expect, it } from "vitest";
import { readJsonObject, unwrapReply } from "../../../src/graph/review/unwrap-reply.ts";

const request = "req-0123456789ab";

it("the request that the outermost layer names stays the one that the reply is for", () => {
  expect(unwrapReply({ request, resume: { goto: "plan" } }, [])).toEqual({
    request,
    reply: { goto: "plan" },
  });
  const inner = JSON.stringify({ request: "req-ba9876543210", goto: "plan" });
  expect(unwrapReply({ request, resume: inner }, [])).toMatchObject({ request });
});

it("what no thread can keep is refused in every layer, also in text", () => {
  const fault = { error: 'The reply holds the key "lc", which no thread can keep.' };
  expect(unwrapReply({ lc: 1 }, [])).toEqual(fault);
  expect(unwrapReply('{"decisions":[{"lc":1}]}', [])).toEqual(fault);
});

it("a reply may be nested forty levels deep, and have a million characters, its keys with it", () => {
  const nest = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], "x");
  expect(unwrapReply(nest(40), [])).toEqual({ reply: nest(40) });
  expect(unwrapReply(nest(41), [])).toEqual({ error: "The reply is nested more than 40 levels deep." });
  const tooLong = { error: expect.stringContaining("longer than 1048576 characters") };
  expect(unwrapReply({ ["k".repeat(1_048_570)]: 1 }, [])).toHaveProperty("reply");
  expect(unwrapReply({ ["k".repeat(1_048_576)]: 1 }, [])).toEqual(tooLong);
});

it("the end of the run stands alone: beside another decision it is none", () => {
  expect(unwrapReply(["__end__"], [])).toEqual({ reply: { goto: "__end__" } });
  expect(unwrapReply(["__end__", "yes"], [])).toEqual({ reply: ["__end__", "yes"] });
});

it("a value that only looks like the name of a request stays in the reply", () => {
  for (const name of ["req-2026", "req-0123456789abc", "req-0123456789AB"]) {
    expect(unwrapReply({ request: name, days: 2 }, [])).toEqual({ reply: { request: name, days: 2 } });
  }
});

it("an object as text within a reply is none where no thread can keep it", () => {
  expect(readJsonObject('{"days":2}')).toEqual({ days: 2 });
  expect(readJsonObject('{"days":{"lc":1}}')).toBeUndefined();
});
