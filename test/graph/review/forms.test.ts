import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { closeAgent, type ReviewItem, readThread } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { complete, readPrompt, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const form = {
  type: "object",
  required: ["level", "day", "rounds"],
  properties: {
    level: {
      oneOf: [
        { const: "minor", title: "New features" },
        { const: "major", title: "Breaking" },
      ],
    },
    day: { type: "string", format: "date" },
    areas: { type: "array", uniqueItems: true, items: { enum: ["docs", "code", "tests"] } },
    final: { type: "boolean", default: false },
    rounds: { type: "integer", minimum: 1 },
  },
};
const typed = { level: "Breaking", day: " 2026-11-30 ", areas: "docs, code", final: "true", rounds: "3" };
const meant = { level: "major", day: "2026-11-30", areas: ["docs", "code"], final: true, rounds: 3 };
const wrong = { level: "huge", day: "2026-02-30", areas: "docs, tests", rounds: "0" };

function createFormWorkspace(gate: object) {
  const header = Object.entries(gate).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return createWorkspace({
    "skills/ask/SKILL.md": skillText({ name: "ask", description: "Asks." }, "INTRO"),
    "skills/ask/stages/1-facts.md": stageText(["title: Facts", "gate: form", ...header], "FACTS"),
    "skills/ask/stages/2-use.md": stageText(
      ["title: Use", "gate: none"],
      "USE {facts.level}{facts.answer.level}",
    ),
  });
}

const askForm = {
  calls: [{ id: "q1", name: "AskUser", arguments: { question: "Which release?", form } }],
};

type Opened = Awaited<ReturnType<typeof createScriptedAgent>> & { thread: string; id: string | undefined };

/** Each kind of form, open, with the model's turns that follow. */
const forms: Record<string, () => Promise<Opened>> = {
  "a form beside the output": async () =>
    open(createFormWorkspace({ form }), [complete("s1"), complete("s2")]),
  "an output as the form": async () =>
    open(createFormWorkspace({ output: form }), [complete("s1", {}), complete("s2")]),
  "a question with a form": async () => open(createWorkspace(), [askForm]),
};

async function open(
  workspace: ReturnType<typeof createWorkspace>,
  turns: Parameters<typeof createScriptedAgent>[1],
): Promise<Opened> {
  const scripted = await createScriptedAgent(workspace, [...turns, { text: "Done." }]);
  const { end } = await send(scripted.agent, turns[0] === askForm ? "go" : "/ask");
  return { ...scripted, thread: end.thread, id: end.request?.id };
}

async function readItem({ agent, thread, id }: Opened): Promise<ReviewItem> {
  const { request } = await readThread(agent, thread);
  expect(request?.id).toBe(id);
  if (!request?.items[0]) throw new Error("Nothing is asked.");
  return request.items[0];
}

const listDefaults = ({ gate, args, form: shown }: ReviewItem) =>
  gate === "form"
    ? args
    : Object.fromEntries(
        Object.entries((shown?.properties ?? {}) as Record<string, { default?: unknown }>).map(
          ([name, field]) => [name, field.default],
        ),
      );

describe.each(Object.entries(forms))("%s", (_name, openForm) => {
  it("takes what a person typed as what its schema wants", async () => {
    const opened = await openForm();
    const { end } = await answer(opened.agent, opened.thread, { reply: { type: "respond", value: typed } });
    expect(end.status).toBe("finished");
    const prompt = opened.server.requests.map(readPrompt).join("\n");
    for (const value of Object.values(meant)) expect(prompt).toContain(JSON.stringify(value));
    opened.server.assertDone();
  });

  it("says at each field why it does not fit, keeps what does, and asks no model", async () => {
    const opened = await openForm();
    const requests = opened.server.requests.length;
    await answer(opened.agent, opened.thread, { reply: { type: "respond", value: wrong } });
    const item = await readItem(opened);
    expect(Object.keys(item.fieldErrors ?? {}).sort()).toEqual(["day", "level", "rounds"]);
    expect(item.fieldErrors?.rounds).toContain(">= 1");
    expect(item.fieldErrors?.day).toContain("date");
    expect(listDefaults(item)).toMatchObject({ areas: ["docs", "tests"], final: false });
    expect(JSON.stringify(listDefaults(item))).not.toContain("huge");
    expect((await readThread(opened.agent, opened.thread)).request?.errors?.[0]).toContain('"rounds"');
    expect(opened.server.requests).toHaveLength(requests);

    // Still wrong in one, with a word that is no answer between.
    await answer(opened.agent, opened.thread, {
      reply: { type: "respond", value: { level: "minor", day: "soon", rounds: 2 } },
    });
    expect(Object.keys((await readItem(opened)).fieldErrors ?? {})).toEqual(["day"]);
    await opened.agent.invoke(new Command({ resume: { decision: "perhaps" } }) as never, {
      configurable: { thread_id: opened.thread },
    });
    expect(listDefaults(await readItem(opened))).toMatchObject({ level: "minor", rounds: 2 });

    const { end } = await answer(opened.agent, opened.thread, {
      reply: { type: "respond", value: { day: "2026-11-30" } },
    });
    expect(end.status).toBe("finished");
    const prompt = opened.server.requests.map(readPrompt).join("\n");
    expect(prompt).toContain('"tests"');
    expect(prompt).toContain("2026-11-30");
    const { values } = await opened.agent.getState({ configurable: { thread_id: opened.thread } });
    expect(values.draft).toBeNull();
    opened.server.assertDone();
  });
});

it("an edit of an output says at the field why it does not fit, and the output stays as it was shown", async () => {
  const output = { type: "object", properties: { days: { type: "integer" }, route: { type: "string" } } };
  const workspace = createWorkspace({
    "skills/ask/SKILL.md": skillText({ name: "ask", description: "Asks." }, "INTRO"),
    "skills/ask/stages/1-plan.md": stageText([`output: ${JSON.stringify(output)}`], "PLAN"),
  });
  const { agent } = await createScriptedAgent(workspace, [complete("s1", { days: 2, route: "train" })]);
  const { end } = await send(agent, "/ask");
  await answer(agent, end.thread, { reply: { route: "bus", days: "many" } });
  const item = (await readThread(agent, end.thread)).request?.items[0];
  expect(item).toMatchObject({ args: { days: 2, route: "train" } });
  expect(item?.fieldErrors).toEqual({ days: 'must be integer, got "many"' });
});

it("a question with more than 16 fields is refused to the model, with the reason", async () => {
  const properties = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`f${index}`, {}]));
  const call = {
    id: "q1",
    name: "AskUser",
    arguments: { question: "All?", form: { type: "object", properties } },
  };
  const { agent, server } = await createScriptedAgent(createWorkspace(), [
    { calls: [call] },
    { text: "Oh." },
  ]);
  expect((await send(agent, "go")).end.status).toBe("finished");
  expect(readPrompt(server.requests[1])).toContain("A form has at most 16 fields, not 17.");
});

describe("an answer that is sent to the graph itself", () => {
  const nest = (levels: number): unknown => (levels === 0 ? 1 : { a: nest(levels - 1) });

  it("is refused where no thread can keep it, and the question stays open", async () => {
    const opened = await open(createFormWorkspace({ form }), [complete("s1"), complete("s2")]);
    const config = { configurable: { thread_id: opened.thread } };
    for (const value of [
      nest(60),
      { lc: 1, type: "constructor", id: ["x"], kwargs: {} },
      "x".repeat(20_000_000),
    ]) {
      const started = performance.now();
      const sent = opened.agent.invoke(new Command({ resume: { level: value } }) as never, config);
      await expect(sent).rejects.toMatchObject({ code: "answer-invalid" });
      expect(performance.now() - started).toBeLessThan(1000);
    }
    await readItem(opened);
    const { end } = await answer(opened.agent, opened.thread, { reply: meant });
    expect(end.status).toBe("finished");
  });

  it.each(Object.entries(forms))("ends by Mark resolved: %s", async (_name, openForm) => {
    const opened = await openForm();
    const config = { configurable: { thread_id: opened.thread } };
    await opened.agent.invoke(new Command({ goto: "__end__" }) as never, config);
    const facts = await readThread(opened.agent, opened.thread);
    expect(facts.request).toBeUndefined();
    expect(facts.status).not.toBe("waiting");
  });

  it("ends by Mark as Resolved of Agent Inbox, and the thread goes on with a message", async () => {
    const opened = await open(createFormWorkspace({ form }), [complete("s1")]);
    const config = { configurable: { thread_id: opened.thread } };
    await opened.agent.updateState(config, null as never, "__end__");
    expect((await readThread(opened.agent, opened.thread)).request).toBeUndefined();
    const { end } = await send(opened.agent, "And now?", { thread: opened.thread });
    expect(end).toMatchObject({ status: "finished", answer: "Done." });
    opened.server.assertDone();
  });

  it("is kept a few times however many steps follow", async () => {
    const reads = ["r1", "r2", "r3", "r4"].map((id) => ({
      calls: [{ id, name: "Read", arguments: { path: "a.txt" } }],
    }));
    const workspace = createWorkspace({ "a.txt": "A" });
    const { agent } = await createScriptedAgent(workspace, [
      { calls: [{ id: "q1", name: "AskUser", arguments: { question: "What?" } }] },
      ...reads,
      { text: "Done." },
    ]);
    const { end } = await send(agent, "go");
    const text = "answer ".repeat(30_000);
    expect((await answer(agent, end.thread, { reply: text })).end.status).toBe("finished");
    await closeAgent(agent);
    const files = ["threads.db", "threads.db-wal"].map((name) => join(workspace.folder, ".skillgraph", name));
    const kept = files.filter((path) => existsSync(path)).map((path) => readFileSync(path, "latin1"));
    const copies = kept.join("").split("answer answer answer ").length / 10_000;
    expect(copies).toBeGreaterThan(0.5);
    expect(copies).toBeLessThan(4.5);
  });
});
