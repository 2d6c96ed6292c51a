import { rmSync } from "node:fs";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { readThread, unloadSkill } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import type { ChatRequest, ScriptedTurn } from "../support/openai-server.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const BODY = "Count the words of a text with care.";
const counter = skillText({ name: "counter", description: "Counts words." }, BODY);

/** How often a text stands in the messages of a request. */
function countIn(request: ChatRequest | undefined, text: string): number {
  return JSON.stringify(request?.body.messages ?? []).split(text).length - 1;
}

function listSkillNames(request: ChatRequest | undefined): string {
  const tool = request?.body.tools?.find((candidate) => candidate.function.name === "Skill");
  return JSON.stringify(tool ?? "");
}

describe("loading a skill", () => {
  it("the model sees names and descriptions first, and the instructions after it asked for them", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [{ id: "c1", name: "Skill", arguments: { name: "counter" } }] },
      { text: "Done." },
    ]);
    const { end, events } = await send(agent, "count something");
    expect(end).toMatchObject({ status: "finished", answer: "Done." });
    expect(listSkillNames(server.requests[0])).toContain("Counts words.");
    expect(countIn(server.requests[0], BODY)).toBe(0);
    expect(countIn(server.requests[1], BODY)).toBe(1);
    expect(server.requests[1]?.body.messages?.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "user",
    ]);
    expect(countIn(server.requests[1], "Launching skill: counter")).toBe(1);
    expect(events.find(({ type }) => type === "skill-loaded")).toMatchObject({
      name: "counter",
      chosenBy: "model",
    });
    server.assertDone();
  });

  it("a typed /name loads without asking the model", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "Done." }]);
    await send(agent, "/counter a b");
    expect(countIn(server.requests[0], BODY)).toBe(1);
    server.assertDone();
  });

  it("a skill may lead to another, and both stay in force", async () => {
    const workspace = createWorkspace({
      "skills/counter/SKILL.md": counter,
      "skills/teller/SKILL.md": skillText(
        { name: "teller", description: "Tells." },
        "Then use the skill counter.",
      ),
    });
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [{ id: "c1", name: "Skill", arguments: { name: "counter" } }] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "/teller");
    expect(countIn(server.requests[1], "Then use the skill counter.")).toBe(1);
    expect(countIn(server.requests[1], BODY)).toBe(1);
    expect((await readThread(agent, end.thread)).skills.map(({ name }) => name)).toEqual([
      "teller",
      "counter",
    ]);
    server.assertDone();
  });

  it("B2: a body stands once in each request, however often the skill is asked for", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const load = (id: string) => ({ calls: [{ id, name: "Skill", arguments: { name: "counter" } }] });
    const { agent, server } = await createScriptedAgent(workspace, [
      load("c1"),
      load("c2"),
      { text: "One." },
      { text: "Two." },
      load("c3"),
      { text: "Three." },
    ]);
    const { end } = await send(agent, "count");
    await send(agent, "counter again", { thread: end.thread });
    await send(agent, "counter once more", { thread: end.thread });
    expect(server.requests.slice(1).map((request) => countIn(request, BODY))).toEqual([1, 1, 1, 1, 1]);
    expect(countIn(server.requests.at(-1), "Already active: counter")).toBe(2);
    server.assertDone();
  });

  it("B2: a changed file is loaded anew when it is asked for again, and the old text leaves", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "One." }, { text: "Two." }]);
    const { end } = await send(agent, "/counter");
    workspace.write(
      "skills/counter/SKILL.md",
      counter.replace(BODY, "Count the letters, and only the letters."),
    );
    const { events } = await send(agent, "/counter", { thread: end.thread });
    expect(events.some(({ type }) => type === "skill-drifted")).toBe(true);
    expect(countIn(server.requests[1], BODY)).toBe(0);
    expect(countIn(server.requests[1], "only the letters")).toBe(1);
    server.assertDone();
  });

  it("B3: a skill outlives trimming and a new process", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const turns = 12;
    const long = "x".repeat(60_000);
    const script = [{ text: "Loaded." }, ...Array.from({ length: turns }, () => ({ text: "ok" }))];
    const { agent, server, reopen } = await createScriptedAgent(workspace, script);
    const { end } = await send(agent, "/counter first words");
    for (let turn = 1; turn < turns; turn += 1) await send(agent, `${long} ${turn}`, { thread: end.thread });
    await send(await reopen(), "and now?", { thread: end.thread });
    expect(countIn(server.requests.at(-1), "/counter first words")).toBe(0);
    expect(countIn(server.requests.at(-1), BODY)).toBe(1);
    server.assertDone();
  });

  it("a new process finds every message by its id, and the skill's text at its place", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      { text: "One." },
      { text: "Two." },
      { text: "Three." },
    ]);
    const { end } = await send(agent, "hello");
    await send(agent, "/counter", { thread: end.thread });
    const other = await reopen();
    const { values } = await other.getState({ configurable: { thread_id: end.thread } });
    const ids = (values.messages as BaseMessage[]).map(({ id }) => id);
    expect(ids.every((id) => typeof id === "string" && id !== "")).toBe(true);
    expect(new Set(ids).size).toBe(4);
    await send(other, "and now?", { thread: end.thread });
    const texts = server.requests[2]?.body.messages?.map(({ content }) => String(content)) ?? [];
    expect(texts.findIndex((text) => text.includes(BODY))).toBe(texts.indexOf("/counter") + 1);
    server.assertDone();
  });

  it("an unloaded skill leaves the prompt", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "One." }, { text: "Two." }]);
    const { end } = await send(agent, "/counter");
    expect(await unloadSkill(agent, end.thread, "counter")).toBe(true);
    expect(await unloadSkill(agent, end.thread, "counter")).toBe(false);
    await send(agent, "again", { thread: end.thread });
    expect(countIn(server.requests[1], BODY)).toBe(0);
    server.assertDone();
  });

  it("an unknown name is answered with the nearest ones", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [{ id: "c1", name: "Skill", arguments: { name: "countre" } }] },
      { calls: [{ id: "c2", name: "counter", arguments: {} }] },
      { text: "Done." },
    ]);
    await send(agent, "count");
    expect(countIn(server.requests[1], 'No skill named \\"countre\\". Nearest: counter.')).toBe(1);
    expect(countIn(server.requests[2], "is a skill, not a tool")).toBe(1);
    server.assertDone();
  });

  it("turns that hold nothing but calls that cannot run end the run with the reason", async () => {
    const workspace = createWorkspace();
    const turn = (id: number) => ({ calls: [{ id: `c${id}`, name: "fly", arguments: {} }] });
    const { agent, server } = await createScriptedAgent(workspace, [1, 2, 3, 4, 5].map(turn));
    const { end } = await send(agent, "fly");
    expect(end).toMatchObject({ status: "stopped", stop: { code: "faulty-calls" } });
    server.assertDone();
  });
});

describe("a catalog of 1,000 skills", () => {
  it("the first request stays within the budget, and each name of it can still be loaded", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [
        `skills/topic-${index}/SKILL.md`,
        skillText(
          { name: `topic-${index}`, description: `Knows topic ${index}. ${"word ".repeat(40)}` },
          `BODY-${index}`,
        ),
      ]),
    );
    const { agent, server } = await createScriptedAgent(createWorkspace(many), [
      { text: "ok" },
      { text: "ok" },
    ]);
    await send(agent, "hello");
    expect(listSkillNames(server.requests[0]).length).toBeLessThan(16_700);
    expect(server.requests[0]?.bytes).toBeLessThan(25_000);
    expect(countIn(server.requests[0], "BODY-")).toBe(0);
    await send(agent, "/topic-999 please");
    expect(countIn(server.requests[1], "BODY-999")).toBe(1);
    server.assertDone();
  });
});

it("the settings can make the catalog's budget smaller", async () => {
  const workspace = createWorkspace({
    "skillgraph.json": JSON.stringify({ skills: { budget: 200 } }),
    "skills/counter/SKILL.md": skillText({ name: "counter", description: "Counts words. ".repeat(40) }, BODY),
  });
  const { agent, server } = await createScriptedAgent(workspace, [{ text: "ok" }]);
  await send(agent, "hello");
  expect(listSkillNames(server.requests[0])).toContain("counter");
  expect(listSkillNames(server.requests[0]).split("Counts words.").length).toBeLessThan(15);
  server.assertDone();
});

describe("B8: a slash", () => {
  const skills = {
    "skills/log-cleaner/SKILL.md": skillText({ name: "log-cleaner", description: "Cleans logs." }, "LONGER"),
    "skills/log/SKILL.md": skillText({ name: "log", description: "Logs." }, "SHORTER"),
  };

  it.each([
    ["/log-cleaner now", "LONGER"],
    ["/log now", "SHORTER"],
    ["$log now", "SHORTER"],
    ["  /log\nnow", "SHORTER"],
  ])("B8: %j loads the skill of exactly that name", async (text, body) => {
    const { agent, server } = await createScriptedAgent(createWorkspace(skills), [{ text: "ok" }]);
    await send(agent, text);
    expect(countIn(server.requests[0], body)).toBe(1);
    expect(countIn(server.requests[0], body === "LONGER" ? "SHORTER" : "LONGER")).toBe(0);
  });

  it("B8: a name with a blank in it is taken whole, and longer than its first word", async () => {
    const odd = {
      "skills/odd/SKILL.md": skillText({ name: "log reader", description: "Reads." }, "SPACED"),
      ...skills,
    };
    const { agent, server } = await createScriptedAgent(createWorkspace(odd), [
      { text: "ok" },
      { text: "ok" },
    ]);
    await send(agent, "/log reader today");
    await send(agent, "/log readers");
    expect(countIn(server.requests[0], "SPACED")).toBe(1);
    expect(countIn(server.requests[1], "SPACED")).toBe(0);
    expect(countIn(server.requests[1], "SHORTER")).toBe(1);
  });

  it.each([
    "see /etc/hosts and https://a.b/c",
    "polish this /log please",
    "/etc/hosts",
    "/logs",
    "/log-",
    "/log/cleaner",
    "/logfoo bar",
    "https://a.b/log",
    "$1 is cheap",
    "/",
    "/ log",
  ])("B8: %j is plain text", async (text) => {
    const { agent, server } = await createScriptedAgent(createWorkspace(skills), [{ text: "ok" }]);
    const { events } = await send(agent, text);
    expect(events.some(({ type }) => type === "skill-loaded")).toBe(false);
    expect(countIn(server.requests[0], "SHORTER")).toBe(0);
    expect(server.requests[0]?.body.messages?.at(-1)?.content).toBe(text);
  });
});

describe("what a skill grants", () => {
  it("A2: a header that cannot be read grants nothing", async () => {
    const workspace = createWorkspace({
      "skills/invoices/SKILL.md": skillText(
        {
          name: "invoices",
          description: "Checks invoices. Use when: a total looks wrong",
          "allowed-tools": "Read",
        },
        "Check.",
      ),
    });
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [{ id: "c1", name: "Write", arguments: { path: "P", content: "x" } }] },
    ]);
    const { end } = await send(agent, "/invoices");
    expect(end.status).toBe("waiting");
    expect(end.request?.items[0]).toMatchObject({ kind: "call", name: "Write" });
    expect(workspace.exists("P")).toBe(false);
    server.assertDone();
  });

  it("grants begin with the turn after the skill is loaded", async () => {
    const workspace = createWorkspace({
      "skills/writer/SKILL.md": skillText(
        { name: "writer", description: "Writes.", "allowed-tools": "Write" },
        "Write.",
      ),
    });
    const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: "x" } });
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [{ id: "c1", name: "Skill", arguments: { name: "writer" } }, write("early")] },
      { calls: [write("late")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "write");
    expect(end.request?.items.map(({ id }) => id)).toEqual(["early"]);
    const after = await answer(agent, end.thread, { reply: false });
    expect(after.end.status).toBe("finished");
    expect([workspace.exists("early"), workspace.exists("late")]).toEqual([false, true]);
    server.assertDone();
  });

  it("a skill of an untrusted folder loads after consent and grants nothing", async () => {
    const workspace = createWorkspace({
      "skills/writer/SKILL.md": skillText(
        { name: "writer", description: "Writes.", "allowed-tools": "Write" },
        BODY,
      ),
    });
    const script = [{ calls: [{ id: "w1", name: "Write", arguments: { path: "P", content: "x" } }] }];
    const { agent, server } = await createScriptedAgent(workspace, script, { trust: false });
    const { end } = await send(agent, "/writer");
    expect(end.request?.items).toMatchObject([{ kind: "skill", name: "writer" }]);
    expect(server.requests).toHaveLength(0);
    const after = await answer(agent, end.thread, { reply: true });
    expect(countIn(server.requests[0], BODY)).toBe(1);
    expect(after.end.request?.items).toMatchObject([{ kind: "call", name: "Write" }]);
    server.assertDone();
  });

  it("a declined skill is not loaded, and the run ends in words", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const { agent, server } = await createScriptedAgent(workspace, [], { trust: false });
    const { end } = await send(agent, "/counter");
    const after = await answer(agent, end.thread, { reply: { type: "reject", message: "not now" } });
    expect(after.end.status).toBe("finished");
    expect(after.end.answer).toContain("not loaded");
    server.assertDone();
  });

  it("a skill that went before it was loaded: the model is told the names that this run offers, and no others", async () => {
    const workspace = createWorkspace(
      Object.fromEntries(
        ["alpha", "beta", "gamma"].map((name) => [
          `skills/${name}/SKILL.md`,
          skillText({ name, description: "S." }, BODY),
        ]),
      ),
    );
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [{ id: "c1", name: "Skill", arguments: { name: "alpha" } }] }, { text: "Without." }],
      { trust: false },
    );
    const context = { skills: ["alpha", "beta"] };
    const { end } = await send(agent, "go", { context });
    rmSync(join(workspace.folder, "skills/alpha"), { recursive: true });
    // Its files are others than those that were shown, so it is asked once more.
    await answer(agent, end.thread, { reply: true, context });
    expect((await answer(agent, end.thread, { reply: true, context })).end.answer).toBe("Without.");
    const told = JSON.stringify(server.requests[1]?.body.messages?.find(({ role }) => role === "tool"));
    expect(told).toMatch(/No skill named .*alpha.*beta/);
    expect(told).not.toContain("gamma");
  });

  describe("of several skills that a message names", () => {
    const files = Object.fromEntries(
      ["a", "b", "c"].map((name) => [
        `skills/${name}/SKILL.md`,
        skillText({ name, description: "S." }, `TEXT OF ${name}`),
      ]),
    );
    const open = async (replies: boolean[], script: ScriptedTurn[], message = "/a and $b") => {
      const { agent, server } = await createScriptedAgent(createWorkspace(files), script, { trust: false });
      let result = await send(agent, message);
      for (const reply of replies) {
        expect(result.end.request?.items[0]?.kind).toBe("skill");
        result = await answer(agent, result.end.thread, { reply });
      }
      server.assertDone();
      const sent = server.requests[0];
      return {
        ...result,
        loaded: ["a", "b", "c"].filter((name) => countIn(sent, `TEXT OF ${name}`) === 1),
        sent,
      };
    };

    it.each<[boolean[], string[], string]>([
      [[true, false], ["a"], "b"],
      [[false, true], ["b"], "a"],
    ])(
      "with the answers %j only the refused one is left out, and the run goes on",
      async (replies, names, no) => {
        const { end, events, loaded, sent } = await open(replies, [{ text: "Done." }]);
        expect(end).toMatchObject({ status: "finished", answer: "Done." });
        expect(loaded).toEqual(names);
        const text = `The skill "${no}" was not loaded: `;
        expect(JSON.stringify(sent?.body.messages)).toContain(JSON.stringify(text).slice(1, -1));
        if (!replies.at(-1)) {
          expect(events).toContainEqual({ type: "notice", text: expect.stringContaining(text) });
        }
      },
    );

    it("each is asked about, and the run ends in words when none is wanted", async () => {
      const { end } = await open([false, false], []);
      expect(end).toMatchObject({ status: "finished", stop: { code: "declined" } });
      expect(end.answer).toContain('"b" was not loaded');
    });

    it("the agreed one is loaded where two are refused", async () => {
      const { loaded } = await open([false, true, false], [{ text: "Done." }], "/a and $b and $c");
      expect(loaded).toEqual(["b"]);
    });

    it("the mode that refuses questions loads those that need none", async () => {
      const workspace = createWorkspace(files);
      workspace.write("mine/own/SKILL.md", skillText({ name: "own", description: "O." }, "TEXT OF own"));
      const { agent, server } = await createScriptedAgent(workspace, [{ text: "Done." }], {
        trust: false,
        skills: [join(workspace.folder, "mine")],
        permissions: { mode: "deny" },
      });
      expect((await send(agent, "/own and $a")).end.answer).toBe("Done.");
      expect(countIn(server.requests[0], "TEXT OF own")).toBe(1);
      server.assertDone();
    });

    it("none is loaded when the wizard that was pinned is refused, and the answer says so", async () => {
      const workspace = createWorkspace({
        ...files,
        "skills/wiz/SKILL.md": skillText({ name: "wiz", description: "W." }, "Intro."),
        "skills/wiz/stages/01-one.md": "---\ntitle: One\n---\nDo it.",
      });
      const { agent, server } = await createScriptedAgent(workspace, [], { trust: false, wizard: "wiz" });
      const { end } = await send(agent, "go with $a");
      const after = await answer(agent, end.thread, { reply: false });
      expect(after.end).toMatchObject({ status: "finished", stop: { code: "declined" } });
      expect(after.end.answer).toContain('Not loaded either: "a".');
      server.assertDone();
    });
  });

  it("a declined skill of the model's choice is answered, and the model goes on", async () => {
    const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
    const script = [
      { calls: [{ id: "c1", name: "Skill", arguments: { name: "counter" } }] },
      { text: "Without, then." },
    ];
    const { agent, server } = await createScriptedAgent(workspace, script, { trust: false });
    const { end } = await send(agent, "count");
    const after = await answer(agent, end.thread, { reply: false });
    expect(after.end.answer).toBe("Without, then.");
    expect(countIn(server.requests[1], BODY)).toBe(0);
    server.assertDone();
  });
});

describe("a skill's model", () => {
  it.each([
    ["sonnet", { sonnet: "big-model" }, "big-model", false],
    ["inherit", {}, "test-model", false],
    ["unheard-of", {}, "test-model", true],
  ])("%s with the aliases %j is %s", async (wanted, models, used, told) => {
    const workspace = createWorkspace({
      "skillgraph.json": JSON.stringify({ models }),
      "skills/counter/SKILL.md": skillText({ name: "counter", description: "Counts.", model: wanted }, BODY),
    });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "ok" }]);
    const { events } = await send(agent, "/counter");
    expect(server.requests[0]?.body.model).toBe(used);
    expect(events.some((event) => event.type === "notice" && event.text.includes(wanted))).toBe(told);
    server.assertDone();
  });
});

it("a skill that the model writes in the middle of a run can be loaded in it", async () => {
  const workspace = createWorkspace({ "skills/counter/SKILL.md": counter });
  const path = "skills/fresh/SKILL.md";
  const content = skillText({ name: "fresh", description: "Is new." }, "FRESH TEXT");
  const { agent, server } = await createScriptedAgent(workspace, [
    { calls: [{ id: "w1", name: "Write", arguments: { path, content } }] },
    { calls: [{ id: "k1", name: "Skill", arguments: { name: "fresh" } }] },
    { text: "Done." },
  ]);
  const { end } = await send(agent, "write a skill and use it");
  const after = await answer(agent, end.thread, { reply: true });
  expect(after.end.answer).toBe("Done.");
  expect(countIn(server.requests[2], "Launching skill: fresh")).toBe(1);
});
