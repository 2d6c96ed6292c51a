import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { readDecision, toChoices } from "../../src/cli/line-decision.ts";
import { renderAnswers, renderRequest } from "../../src/cli/render-request.ts";
import { listUpgradeChoices, readUpgradeChoice } from "../../src/cli/render-upgrade.ts";
import { toReply } from "../../src/cli/reply.ts";
import { toReviewRequest } from "../../src/graph/review/request.ts";
import type { ActiveSkill } from "../../src/graph/skill-state.ts";

const stages = ["look", "plan", "apply"].map((id) => ({ id, title: `Title of ${id}`, needs: [] }));
const texts = { w: JSON.stringify({ intro: "", stages }) };
const colors = picocolors.createColors(false);

/** The question about a wizard that stood at a stage, and may go on as far as `plan`. */
function ask(at: string) {
  const displaced = { stage: at, why: `its stage "${at}" is gone` };
  const wizard = { digest: "w", anchor: "m", stage: "plan", status: "working", results: [], displaced };
  const active = [{ name: "trip", path: "/s/SKILL.md", wizard } as unknown as ActiveSkill];
  return toReviewRequest({ calls: [], wanted: [], active, reviewErrors: [], texts, drifts: [] });
}

describe("a wizard that lost its place, for people", () => {
  it("is shown with the reason and the stages at which it can go on", () => {
    expect(renderRequest(ask("book"), colors)).toContain(
      [
        "The wizard trip lost its place:",
        '  Its stage "book" is gone.',
        '  It cannot go on at "book".',
        "  It can go on at: look (Title of look), plan (Title of plan).",
      ].join("\n"),
    );
  });

  it.each([
    ["plan", ["--answer restart", "--goto look", "--goto plan", "--answer stop"]],
    ["book", ["--goto look", "--goto plan", "--answer stop"]],
  ])("at %s: the commands that answer it", (at, flags) => {
    const request = ask(at);
    const printed = renderAnswers("t", request);
    const found = [...printed.matchAll(/--request \S+ (--\S+ \S+)/g)].map(([, flag]) => flag);
    expect(found).toEqual(flags);
  });

  it("takes these flags", () => {
    const request = ask("plan");
    const restart = { decisions: [{ type: "respond", value: "restart" }] };
    expect(toReply({ answer: "restart" } as never, request)).toEqual(restart);
    expect(toReply({ goto: "look" } as never, request)).toEqual({ goto: "look" });
    expect(() => toReply({ goto: "apply" } as never, request)).toThrow("Choices: look, plan, __end__");
    expect(() => toReply({ approve: true } as never, request)).toThrow(
      /^A yes does not say where the wizard "trip" goes on: use --answer restart, --goto look, --goto plan, --answer stop\.$/,
    );
  });

  it.each([
    ["restart", { choice: "restart" }],
    ["goto look", { choice: "map", stage: "look" }],
    ["look", { choice: "map", stage: "look" }],
    ["stop", { choice: "stop" }],
    ["y", undefined],
    ["no", undefined],
    ["apply", undefined],
    ["goto apply", undefined],
    ["", undefined],
  ])("the line %j decides %j", (line, value) => {
    const decision = value && { type: "respond", value };
    expect(readDecision(ask("plan").items[0]!, line)).toEqual(decision);
  });

  it("every choice of the menu is an answer, and typed ones are named", () => {
    const item = ask("plan").items[0]!;
    const choices = listUpgradeChoices(item).map(({ value }) => readUpgradeChoice(item, value));
    expect(choices.map((choice) => choice && "value" in choice && choice.value)).toEqual([
      { choice: "restart" },
      { choice: "map", stage: "look" },
      { choice: "stop" },
    ]);
    expect(toChoices(item)).toBe("restart, goto look, goto plan, stop, or /later");
  });
});
