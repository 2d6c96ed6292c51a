import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readThread, unloadSkill } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { listTexts, load, loadInOrder, ok, toFiles, tryWrites, writes } from "../support/several-skills.ts";
import { complete, listTools, readPrompt, stageText } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

describe("what two skills grant", () => {
  const paths = ["one/f", "two/f", "three/f"];
  const grants = (one: string, two: string, settings?: object) =>
    toFiles({ one: { "allowed-tools": one }, two: { "allowed-tools": two } }, settings);

  it.each([
    ["apart", "Write(one/**)", "Write(two/**)", ["ran", "ran", "asked"]],
    ["of different tools", "Write(one/**)", "Read Bash(ls:*)", ["ran", "asked", "asked"]],
    ["overlapping", "Write(*/f)", "Write(one/**)", ["ran", "ran", "ran"]],
    ["the same", "Write(one/**)", "Write(one/**)", ["ran", "asked", "asked"]],
    ["none and some", "", "Write(two/**)", ["asked", "ran", "asked"]],
  ])("adds up: %s", async (_title, one, two, fates) => {
    for (const order of ["one two", "two one"]) {
      const workspace = createWorkspace(grants(one, two));
      const { agent, server } = await createScriptedAgent(workspace, [ok, ok, writes(...paths), ok]);
      const thread = await loadInOrder(agent, order.split(" "));
      expect(await tryWrites(agent, workspace, thread, paths)).toEqual(fates);
      server.assertDone();
    }
  });

  it("adds up to one limit where the settings restrict", async () => {
    const workspace = createWorkspace(grants("Write(one/**)", "Read", { skills: { restrict: true } }));
    const glob = { calls: [{ id: "g", name: "Glob", arguments: { pattern: "*" } }] };
    const { agent, server } = await createScriptedAgent(workspace, [ok, writes("one/f"), ok, ok, glob, ok]);
    const thread = await loadInOrder(agent, ["two"]);
    expect(await tryWrites(agent, workspace, thread, ["one/f"])).toEqual(["refused"]);
    await loadInOrder(agent, ["one"], thread);
    await send(agent, "look", { thread });
    expect(readPrompt(server.requests[5])).toContain('"Glob" is not among the allowed tools of "two", "one"');
    server.assertDone();
  });

  it("ends for one when it is unloaded, and stays for the other", async () => {
    const workspace = createWorkspace(grants("Write(*/f)", "Write(two/**)"));
    const script = [ok, ok, writes("one/f", "two/f"), ok];
    const { agent, server } = await createScriptedAgent(workspace, script);
    const thread = await loadInOrder(agent, ["one", "two"]);
    await unloadSkill(agent, thread, "one");
    expect(await tryWrites(agent, workspace, thread, ["one/f", "two/f"])).toEqual(["asked", "ran"]);
    expect(listTexts(server.requests[2])).toEqual(["TEXT-two []"]);
    server.assertDone();
  });

  it("stays when the same skill is loaded again with other words, which replace the first", async () => {
    const workspace = createWorkspace(grants("Write(one/**)", "Write(two/**)"));
    const script = [ok, ok, ok, writes("one/f", "two/f"), ok];
    const { agent, server } = await createScriptedAgent(workspace, script);
    const thread = await loadInOrder(agent, ["one red", "two", "one blue"]);
    expect(await tryWrites(agent, workspace, thread, ["one/f", "two/f"])).toEqual(["ran", "ran"]);
    expect(listTexts(server.requests[3])).toEqual(["TEXT-two []", "TEXT-one [blue]"]);
    expect((await readThread(agent, thread)).skills.map(({ name }) => name)).toEqual(["two", "one"]);
    server.assertDone();
  });
});

describe("what one skill denies", () => {
  const orders = [
    [["wide", "strict"]],
    [["strict", "wide"]],
    [["strict", "wide", "strict"]],
    [["wide", "strict", "wide"]],
  ];
  const files = toFiles({
    wide: { "allowed-tools": "Write Bash" },
    strict: { "allowed-tools": "Write(b/**)", "disallowed-tools": "Write(a/**) Bash(touch:*)" },
  });

  it.each(orders)("no other skill grants: loaded as %j", async (order) => {
    const workspace = createWorkspace(files);
    const touch = { id: "t", name: "Bash", arguments: { command: "ls; touch touched" } };
    const turn = { calls: [...(writes("a/f", "b/f", "c/f").calls ?? []), touch] };
    const { agent, server } = await createScriptedAgent(workspace, [...order.map(() => ok), turn, ok]);
    const thread = await loadInOrder(agent, order);
    const fates = await tryWrites(agent, workspace, thread, ["a/f", "b/f", "c/f", "touched"]);
    expect(fates).toEqual(["refused", "ran", "ran", "refused"]);
    server.assertDone();
  });

  it("holds for a grant that it makes itself, and for the mode that allows what would ask", async () => {
    const both = toFiles({ odd: { "allowed-tools": "Write", "disallowed-tools": "Write(a/**)" }, two: {} });
    const workspace = createWorkspace(both);
    const script = [ok, ok, writes("a/f", "b/f"), ok];
    const { agent, server } = await createScriptedAgent(workspace, script, {
      permissions: { mode: "allow" },
    });
    const thread = await loadInOrder(agent, ["odd", "two"]);
    expect(await tryWrites(agent, workspace, thread, ["a/f", "b/f"])).toEqual(["refused", "ran"]);
    server.assertDone();
  });

  it("holds after a resume in a new process, and ends when a person unloads it", async () => {
    const workspace = createWorkspace(files);
    const script = [ok, ok, writes("a/f", "b/f"), ok, writes("a/f"), ok];
    const { agent, server, reopen } = await createScriptedAgent(workspace, script);
    const thread = await loadInOrder(agent, ["strict", "wide"]);
    const other = await reopen();
    expect(await tryWrites(other, workspace, thread, ["a/f", "b/f"])).toEqual(["refused", "ran"]);
    expect(listTexts(server.requests[2])).toEqual(["TEXT-strict []", "TEXT-wide []"]);
    await unloadSkill(other, thread, "strict");
    expect(await tryWrites(other, workspace, thread, ["a/f"])).toEqual(["ran"]);
    server.assertDone();
  });

  it("holds of a skill that a person let in from a folder that is not trusted, whose grants do not", async () => {
    const workspace = createWorkspace(files);
    const trusted = skillText({ name: "own", description: "Writes.", "allowed-tools": "Write(a/**)" }, "OWN");
    workspace.write("../home/own/own/SKILL.md", trusted);
    const script = [ok, ok, writes("a/f", "b/f"), ok];
    const { agent, server } = await createScriptedAgent(workspace, script, {
      trust: false,
      skills: [join(workspace.home, "own")],
    });
    const { end } = await send(agent, "/strict");
    await answer(agent, end.thread, { reply: true });
    const thread = await loadInOrder(agent, ["own"], end.thread);
    expect(await tryWrites(agent, workspace, thread, ["a/f", "b/f"])).toEqual(["refused", "asked"]);
    server.assertDone();
  });

  it("holds for the calls beside the one that loads it, and the model cannot unload it", async () => {
    const workspace = createWorkspace(files);
    const unload = { id: "u", name: "UnloadSkill", arguments: { name: "strict" } };
    const turns = [load("strict"), unload].map((call) => ({ calls: [call, ...(writes("a/f").calls ?? [])] }));
    const { agent, server } = await createScriptedAgent(workspace, [ok, ...turns, writes("a/f", "b/f"), ok]);
    const thread = await loadInOrder(agent, ["wide"]);
    expect(await tryWrites(agent, workspace, thread, ["a/f", "b/f"])).toEqual(["refused", "ran"]);
    expect(readPrompt(server.requests[3])).toContain("Only a person can unload it");
    server.assertDone();
  });

  it("holds from the next turn on when one turn loads both", async () => {
    const workspace = createWorkspace(files);
    const both = { calls: [load("wide"), load("strict")] };
    const { agent, server } = await createScriptedAgent(workspace, [both, writes("a/f", "b/f"), ok]);
    const { end } = await send(agent, "use both");
    expect(end.status).toBe("finished");
    expect([workspace.exists("a/f"), workspace.exists("b/f")]).toEqual([false, true]);
    server.assertDone();
  });
});

describe("the texts of several skills", () => {
  const files = toFiles({ a: {}, b: {}, c: {} });

  it("stand in the order of the calls of one turn, after all its results", async () => {
    const turn = { calls: [load("b"), load("a", "k2", "x"), load("c")] };
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [turn, ok]);
    await send(agent, "all");
    const [, , , ...last] = server.requests[1]?.body.messages ?? [];
    expect(last.map(({ role }) => role)).toEqual(["tool", "tool", "tool", "user", "user", "user"]);
    expect(listTexts(server.requests[1])).toEqual(["TEXT-b []", "TEXT-a [x]", "TEXT-c []"]);
    server.assertDone();
  });

  it("one skill twice in a turn: the last words count, and both calls are answered", async () => {
    const turn = { calls: [load("a", "k1", "x"), load("b"), load("a", "k2", "y")] };
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [turn, ok]);
    await send(agent, "all");
    expect(listTexts(server.requests[1]).sort()).toEqual(["TEXT-a [y]", "TEXT-b []"]);
    expect(readPrompt(server.requests[1]).match(/Launching skill: a/g)).toHaveLength(2);
    server.assertDone();
  });

  it("a person's reload moves a text to its new place, the model's repetition leaves it", async () => {
    const script = [ok, ok, { calls: [load("a")] }, ok, ok, ok];
    const { agent, server, reopen } = await createScriptedAgent(createWorkspace(files), script);
    const thread = await loadInOrder(agent, ["a", "b"]);
    await send(agent, "a again", { thread });
    expect(listTexts(server.requests[3])).toEqual(["TEXT-a []", "TEXT-b []"]);
    await loadInOrder(await reopen(), ["a"], thread);
    expect(listTexts(server.requests[4])).toEqual(["TEXT-b []", "TEXT-a []"]);
    await send(await reopen(), "on", { thread });
    expect(listTexts(server.requests[5])).toEqual(["TEXT-b []", "TEXT-a []"]);
    server.assertDone();
  });
});

describe("the models of several skills", () => {
  const settings = { models: { big: "big-model", small: "small-model" } };
  const files = toFiles({ big: { model: "big" }, small: { model: "small" }, plain: {} }, settings);

  it.each([
    [["big", "small"], "small-model"],
    [["small", "big"], "big-model"],
    [["big", "plain"], "big-model"],
    [["plain", "small"], "small-model"],
    [["big", "small", "big"], "big-model"],
  ])("the last that names one is used: loaded as %j", async (order, model) => {
    const script = [...order.map(() => ok), ok];
    const { agent, server, reopen } = await createScriptedAgent(createWorkspace(files), script);
    const thread = await loadInOrder(agent, order);
    await send(await reopen(), "on", { thread });
    expect(server.requests.slice(-2).map(({ body }) => body.model)).toEqual([model, model]);
  });

  it("the one before it is used again when it is unloaded", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [ok, ok, ok, ok]);
    const thread = await loadInOrder(agent, ["big", "small"]);
    for (const name of ["small", "big"]) {
      await unloadSkill(agent, thread, name);
      await send(agent, "on", { thread });
    }
    expect(server.requests.slice(2).map(({ body }) => body.model)).toEqual(["big-model", "test-model"]);
  });
});

describe("a skill beside a wizard", () => {
  const files = (restrict: boolean) => ({
    ...toFiles({ wide: { "allowed-tools": "Write" }, trip: { "allowed-tools": "Write(own/**)" } }),
    "skills/trip/stages/1-look.md": stageText(["allowed-tools: Read", `restrict: ${restrict}`], "LOOK"),
  });

  it.each([[["wide", "trip"]], [["trip", "wide"]]])(
    "loaded as %j grants what no stage limits",
    async (order) => {
      const workspace = createWorkspace(files(false));
      const { agent, server } = await createScriptedAgent(workspace, [ok, ok, writes("f", "own/f"), ok]);
      const thread = await loadInOrder(agent, order);
      expect(await tryWrites(agent, workspace, thread, ["f", "own/f"])).toEqual(["ran", "ran"]);
      server.assertDone();
    },
  );

  it.each([[["wide", "trip"]], [["trip", "wide"]]])(
    "loaded as %j does not widen a stage that restricts",
    async (order) => {
      const workspace = createWorkspace(files(true));
      const script = [ok, ok, writes("f", "own/f"), ok, complete("s1"), writes("f"), ok];
      const { agent, server } = await createScriptedAgent(workspace, script);
      const thread = await loadInOrder(agent, order);
      expect(await tryWrites(agent, workspace, thread, ["f", "own/f"])).toEqual(["refused", "refused"]);
      expect(listTools(server.requests[2])).not.toContain("Write");
      const { end } = await send(agent, "go on", { thread });
      expect(end.request?.items[0]?.kind).toBe("stage");
      await answer(agent, thread, { reply: true });
      expect([workspace.exists("f"), listTools(server.requests[5]).includes("Write")]).toEqual([true, true]);
      server.assertDone();
    },
  );
});
