import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { readReply } from "../../../src/graph/review/reply.ts";
import type { ReviewItem } from "../../../src/graph/review/review-item.ts";
import { readThread } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { complete, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const createForm = (...fields: string[]): ReviewItem => ({
  kind: "stage",
  id: "s1",
  name: "ask/facts",
  gate: "form",
  args: Object.fromEntries(fields.map((field) => [field, ""])),
  description: "",
  allowed: ["edit", "respond", "reject"],
  form: {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
  },
});
const one = createForm("who");
const two = createForm("who", "when");
const free: ReviewItem = { ...two, args: {}, form: { type: "object" } };
const gate: ReviewItem = { ...two, gate: "approve", allowed: ["approve", "edit", "reject"] };

describe("a reply that was meant to fill a form in, and does not", () => {
  it.each<[unknown, ReviewItem]>([
    ["ann", two],
    ["whoo=ann", two],
    ["whoo = ann", one],
    ["who=ann", one],
    ['{"who": ann}', one],
    ['{"whoo":"ann"}', one],
    [{ whoo: "ann" }, one],
    [{ who: "ann", whn: "today" }, two],
    [{ type: "respond", value: "whoo=ann" }, two],
    [{ type: "respond", value: { whoo: "ann" } }, two],
    [{ type: "edit", edited_action: { name: "x", args: { whoo: "ann" } } }, two],
    [{ decisions: ["ann"] }, two],
  ])("%j is asked again with the fields", (reply, item) => {
    const fields = item === two ? "who, when" : "who";
    expect(readReply(reply, [item])).toEqual({
      errors: [
        expect.stringContaining(`does not fill in the form of ask/facts; send an object with ${fields}, or`),
      ],
    });
  });

  it("words at a form without named fields are asked about only where they look like values", () => {
    expect(readReply("whoo=ann", [free])).toHaveProperty("errors");
    expect(readReply({ type: "respond", value: { any: 1 } }, [free])).toHaveProperty("decisions");
  });
});

describe("a reply to a form that is taken", () => {
  it.each<[unknown, ReviewItem, object]>([
    [{ who: "ann" }, two, { type: "respond", value: { who: "ann" } }],
    ['{"who":"ann"}', two, { type: "respond", value: { who: "ann" } }],
    [{ type: "respond", value: {} }, two, { type: "respond", value: {} }],
    [
      { type: "respond", value: { who: "ann", more: 1 } },
      two,
      { type: "respond", value: { who: "ann", more: 1 } },
    ],
    ["no", two, { type: "reject" }],
    [{ type: "reject", message: "whoo=ann" }, two, { type: "reject", message: "whoo=ann" }],
    // Agent Inbox has no other way to say no with a reason.
    [{ type: "response", args: "ask Bob first" }, two, { type: "reject", message: "ask Bob first" }],
    ["ask Bob first", one, { type: "reject", message: "ask Bob first" }],
    ["set who=ann, please", one, { type: "reject", message: "set who=ann, please" }],
    ["ann", gate, { type: "reject", message: "ann" }],
    ["who=ann", gate, { type: "reject", message: "who=ann" }],
  ])("%j", (reply, item, decision) => {
    expect(readReply(reply, [item])).toEqual({ decisions: [decision] });
  });
});

it("a bare string at a form does not send the stage back", async () => {
  const workspace = createWorkspace({
    "skills/ask/SKILL.md": skillText({ name: "ask", description: "Asks." }, "INTRO"),
    "skills/ask/stages/1-facts.md": stageText(
      [
        "title: Facts",
        "gate: form",
        "form: {type: object, properties: {who: {type: string}, when: {type: string}}}",
      ],
      "FACTS",
    ),
  });
  const { agent, server } = await createScriptedAgent(workspace, [complete("s1"), { text: "Done." }]);
  const { end } = await send(agent, "/ask");
  // A server passes on what a client sends.
  await agent.invoke(new Command({ resume: "ann" }) as never, { configurable: { thread_id: end.thread } });
  const { request } = await readThread(agent, end.thread);
  expect(request?.id).toBe(end.request?.id);
  expect(request?.errors?.[0]).toContain("send an object with who, when");
  expect((await answer(agent, end.thread, { reply: { who: "ann" } })).end.status).toBe("finished");
  server.assertDone();
});
