import { expect, it } from "vitest";
import { readReply } from "../../../src/graph/review/reply.ts";
import type { ReviewItem } from "../../../src/graph/review/review-item.ts";

const first: ReviewItem = {
  kind: "call",
  id: "c1",
  name: "Write",
  args: { path: "a" },
  description: "",
  allowed: ["approve", "edit", "reject"],
};
const second: ReviewItem = { ...first, id: "c2" };
const question: ReviewItem = { ...first, kind: "question", id: "q1", allowed: ["respond", "reject"] };

it("a reply by id that leaves out an item before answers none: it would be taken for that one's", () => {
  const yes = { type: "approve" };
  expect(readReply({ c2: yes }, [first, second])).toHaveProperty("errors");
  expect(readReply({ c1: yes }, [first, second])).toEqual({ decisions: [yes] });
  expect(readReply({ c2: false, c1: yes }, [first, second])).toEqual({
    decisions: [yes, { type: "reject" }],
  });
});

it("a list of words is the answer to a question, and a word for each item elsewhere", () => {
  expect(readReply(["yes", "no"], [question])).toEqual({
    decisions: [{ type: "respond", value: ["yes", "no"] }],
  });
  expect(readReply(["yes", "no"], [first, second])).toEqual({
    decisions: [{ type: "approve" }, { type: "reject" }],
  });
});

it("bare values for a stage name nothing but its fields, or they open no gate", () => {
  const stage: ReviewItem = { ...first, kind: "stage", name: "trip/plan", args: { days: 3 } };
  expect(readReply({ days: 4 }, [stage])).toEqual({ decisions: [{ type: "edit", args: { days: 4 } }] });
  expect(readReply({ days: 4, comment: "shorter" }, [stage])).toHaveProperty("errors");
});

it("a reply that names another request than the open one is refused", () => {
  const [open, other] = ["req-0123456789ab", "req-ba9876543210"];
  const reply = { request: other, resume: { decisions: [{ type: "approve" }] } };
  expect(readReply(reply, [first], open)).toEqual({
    errors: [`The reply is for request "${other}", which is not open. Open: "${open}".`],
  });
  expect(readReply({ ...reply, request: open }, [first], open)).toEqual({
    decisions: [{ type: "approve" }],
  });
});
