import { expect, it } from "vitest";
import { unwrapReply } from "../../../src/graph/review/unwrap-reply.ts";

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
