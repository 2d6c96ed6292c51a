import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { afterAct, afterObserve, afterReview, afterRoute } from "../../src/graph/edges.ts";
import type { PendingCall, State } from "../../src/graph/state.ts";

const call = (status: PendingCall["status"]): PendingCall => ({
  id: status,
  tool: "Bash",
  input: {},
  status,
  reason: "",
});
const wanted = { name: "a", arguments: "", chosenBy: "model" as const };
const consent = { ...wanted, consent: "untrusted" };
const drift = { name: "a", path: "/a/SKILL.md", digest: "d", files: [], difference: "" };
const lost = {
  name: "trip",
  wizard: { digest: "w", stage: "plan", status: "working", displaced: { stage: "x", why: "" } },
} as unknown as State["active"][number];
const texts = { w: JSON.stringify({ stages: [{ id: "plan" }] }) };
const named = { ...wanted, name: "trip", chosenBy: "person" as const, way: "name" as const };
const asking = new AIMessage({ content: "", tool_calls: [{ id: "c", name: "Bash", args: {} }] });

function state(part: Partial<State>): State {
  return {
    messages: [],
    texts: {},
    version: 0,
    progress: null,
    active: [],
    wanted: [],
    calls: [],
    decision: null,
    reviewErrors: [],
    draft: null,
    stop: null,
    run: { life: "life", modelCalls: 0, faultyTurns: 0 },
    usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0 },
    recent: [],
    loads: [],
    unlocked: [],
    drifts: [],
    audit: [],
    ...part,
  };
}

describe("the edges", () => {
  it.each<[Partial<State>, string]>([
    [{}, "nothing to load"],
    [{ wanted: [wanted] }, "a skill is wanted"],
    [{ wanted: [wanted, consent] }, "a person must agree"],
    [{ wanted: [wanted, consent], drifts: [drift] }, "a skill changed"],
    [{ texts, active: [lost], wanted: [consent] }, "a skill changed"],
    [{ texts, active: [lost], wanted: [named] }, "a skill is wanted"],
  ])("route with %j: %s", (part, label) => expect(afterRoute(state(part))).toBe(label));

  it.each<[string, Partial<State>, string]>([
    ["an answer", { messages: [new AIMessage("hi")] }, "answered"],
    ["no message", {}, "answered"],
    ["a person's message", { messages: [new HumanMessage("hi")] }, "answered"],
    ["a call that is allowed", { messages: [asking], calls: [call("ready")] }, "calls to run"],
    ["a call that is refused", { messages: [asking], calls: [call("settled")] }, "calls to run"],
    ["one that asks", { messages: [asking], calls: [call("ready"), call("ask")] }, "a person must decide"],
  ])("act with %s: %#", (_name, part, label) => expect(afterAct(state(part))).toBe(label));

  it("act gives back a run that has not looked at changed skills", () => {
    const run = { life: "", modelCalls: 0, faultyTurns: 0 };
    expect(afterAct(state({ messages: [asking], run }))).toBe("a skill changed");
  });

  it.each<[PendingCall["status"][], string]>([
    [["done"], "results are in"],
    [["done", "ready"], "more to run"],
    [["unknown", "ready"], "a person must decide"],
    [["ask"], "a person must decide"],
  ])("observe with %j: %s", (statuses, label) =>
    expect(afterObserve(state({ calls: statuses.map(call) }))).toBe(label),
  );

  it("observe leaves what was begun at another place to route", () => {
    expect(afterObserve(state({ active: [lost], calls: [call("ready")] }))).toBe("results are in");
  });

  it("observe ends a run that stopped, once every call has its result", () => {
    const stop = { code: "step-limit" as const, reason: "" };
    expect(afterObserve(state({ calls: [call("done")], stop }))).toBe("stopped");
    expect(afterObserve(state({ calls: [call("ready")], stop }))).toBe("more to run");
  });

  it.each<[Partial<State>, string]>([
    [{ calls: [call("ready")] }, "decided"],
    [{ calls: [call("ready"), call("ask")] }, "ask again"],
    [{ calls: [call("ready")], reviewErrors: ["no"] }, "ask again"],
    [{ wanted: [wanted] }, "load it"],
    [{ wanted: [consent] }, "ask again"],
    [{}, "declined"],
    [{ drifts: [{ ...drift, choice: "pin" }, drift] }, "ask again"],
    [{ drifts: [{ ...drift, choice: "pin" }], wanted: [wanted] }, "a changed skill is decided"],
    [{ texts, active: [lost] }, "ask again"],
    [{ active: [lost], calls: [call("gate")] }, "a changed skill is decided"],
    [{ drifts: [drift], stop: { code: "declined", reason: "" } }, "stopped"],
    [{ stop: { code: "declined", reason: "" } }, "stopped"],
  ])("review with %j: %s", (part, label) => expect(afterReview(state(part))).toBe(label));
});
