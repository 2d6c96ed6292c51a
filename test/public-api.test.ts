import { expect, it } from "vitest";
import type { DecisionType, ReviewReply, RunContext, SkillAgentOptions, SkillRecord } from "../src/index.ts";
import * as api from "../src/index.ts";

it("the package exports these values and no others", () => {
  expect(Object.keys(api).sort()).toEqual([
    "SkillgraphError",
    "closeAgent",
    "createSkillAgent",
    "deleteThread",
    "findThread",
    "forkThread",
    "listThreads",
    "loadSettings",
    "openCatalog",
    "pruneThreads",
    "readHistory",
    "readModel",
    "readThread",
    "resumeThread",
    "startThread",
    "unloadSkill",
  ]);
});

it("a list that nobody may change is taken, and every shape of a reply has its type", () => {
  const rules = ["Read"] as const;
  const options: SkillAgentOptions = {
    skills: rules,
    permissions: { allow: rules, ask: rules, deny: rules },
  };
  const context: RunContext = { skills: rules };
  const type: DecisionType = "approve";
  const replies: ReviewReply[] = [
    { decisions: [{ type }, { type: "edit", edited_action: { args: {} } }, { type: "respond", value: 1 }] },
    { type: "reject", message: "no" },
    { goto: "plan" },
    { choice: "pin" },
    ...[true, "yes", 0, [1], { any: "values" }],
  ];
  // @ts-expect-error a reply is a value
  const none: ReviewReply = undefined;
  const record: SkillRecord["name"] = "x";
  expect([options.skills, context.skills, replies.length, none, record]).toEqual([
    rules,
    rules,
    9,
    undefined,
    "x",
  ]);
});
