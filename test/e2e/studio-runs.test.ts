import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createStudioPlace,
  readQuestion,
  type Studio,
  type StudioPlace,
  startStudio,
} from "../support/studio.ts";

const inbox = fileURLToPath(new URL("../../examples/inbox/inbox", import.meta.url));

let place: StudioPlace;
let studio: Studio;

beforeAll(async () => {
  place = createStudioPlace();
  studio = await startStudio(place);
});

afterAll(async () => {
  await studio?.stop();
  place?.remove();
});

/** A new thread on a messy folder of its own that waits for a yes to the plan. */
async function askToTidy(folder: string): Promise<string> {
  cpSync(inbox, join(place.workspace, folder), { recursive: true });
  const { thread_id } = await studio.client.threads.create();
  const input = { messages: [{ role: "user", content: `/file-organizer ${folder}` }] };
  await studio.client.runs.wait(thread_id, "agent", { input });
  return thread_id;
}

/** Answers as a client does that keeps no checkpoint in mind. */
async function answer(thread: string, resume: unknown): Promise<void> {
  await studio.client.runs.wait(thread, "agent", { command: { resume } });
}

function isTidy(folder: string): boolean {
  const [before, after] = [`${folder}/todo.txt`, `${folder}/documents/todo.txt`];
  const [isThere, isMoved] = [before, after].map((path) => existsSync(join(place.workspace, path)));
  if (isThere === isMoved) throw new Error(`todo.txt of ${folder} is in both places or in none.`);
  return isMoved === true;
}

async function lastWords(thread: string): Promise<string> {
  const { values } = await studio.client.threads.getState<{ messages: { content: string }[] }>(thread);
  return values.messages.at(-1)?.content ?? "";
}

describe("a run without a key", () => {
  it("stops at the question, with bundled skills that nobody had to trust", async () => {
    const thread = await askToTidy("first");
    expect(await readQuestion(studio.client, thread)).toMatchObject({
      items: [
        { kind: "call", name: "Bash", skill: "file-organizer", allowed: ["approve", "edit", "reject"] },
      ],
      action_requests: [{ name: "Bash" }],
      review_configs: [{ action_name: "Bash", allowed_decisions: ["approve", "edit", "reject"] }],
    });
    expect((await studio.client.threads.get(thread)).status).toBe("interrupted");
    expect(isTidy("first")).toBe(false);
  });

  it("keeps a state of plain facts, without settings and keys", async () => {
    const thread = await askToTidy("facts");
    const { values, metadata } = await studio.client.threads.getState<Record<string, unknown>>(thread);
    expect(values.active).toMatchObject([{ name: "file-organizer", chosenBy: "person" }]);
    expect(values.calls).toMatchObject([{ tool: "Bash", status: "ask" }]);
    expect(JSON.stringify([values, metadata])).not.toMatch(/api.?key|OPENAI|"permissions":\{/);
  });
});

it("a model that has no key fails at its first call, by name, and the server goes on", async () => {
  const { thread_id } = await studio.client.threads.create();
  const input = { messages: [{ role: "user", content: "hello" }] };
  const run = (model: string) => studio.client.runs.wait(thread_id, "agent", { input, context: { model } });
  await expect(run("gpt-5-mini")).rejects.toThrow(/gpt-5-mini.*OPENAI_API_KEY/);
  await run("offline");
  expect(await lastWords(thread_id)).not.toBe("hello");
});

describe.concurrent("an answer", () => {
  const edited = (folder: string) => ({
    command: `node ${join(place.clone, "skills/file-organizer/scripts/apply.mjs")} ${folder}`,
  });
  const yes: [string, (folder: string) => unknown][] = [
    ["true", () => true],
    ['"true"', () => "true"],
    ['"yes"', () => "yes"],
    ['{"resume":"yes"}', () => ({ resume: "yes" })],
    ["decisions", () => ({ decisions: [{ type: "approve" }] })],
    ["decisions as text", () => '{"decisions":[{"type":"approve"}]}'],
    ["an old list", () => [{ type: "accept", args: null }]],
    [
      "an edit",
      (folder) => ({ decisions: [{ type: "edit", edited_action: { name: "Bash", args: edited(folder) } }] }),
    ],
    [
      "an edit in camel case",
      (folder) => ({ decisions: [{ type: "edit", editedAction: { name: "Bash", args: edited(folder) } }] }),
    ],
    ["an edit in plain words", (folder) => ({ decision: "edit", value: edited(folder) })],
    ["an old edit", (folder) => [{ type: "edit", args: { action: "Bash", args: edited(folder) } }]],
  ];

  it.each(yes.map(([name, reply], index) => [name, reply, `yes-${index}`] as const))(
    "%s is a yes: the files are moved",
    async (_name, reply, folder) => {
      const thread = await askToTidy(folder);
      await answer(thread, reply(folder));
      expect(await readQuestion(studio.client, thread)).toBeUndefined();
      expect((await studio.client.threads.get(thread)).status).toBe("idle");
      expect(isTidy(folder)).toBe(true);
    },
  );

  const no: [string, unknown][] = [
    ["false", false],
    ['"no"', "no"],
    ["a rejection", { decisions: [{ type: "reject", message: "Keep it as it is." }] }],
    ["an old one", [{ type: "ignore", args: null }]],
    ["the only no of Agent Inbox", [{ type: "response", args: "Keep it as it is." }]],
  ];
  it.each(no.map(([name, reply], index) => [name, reply, `no-${index}`] as const))(
    "%s is a no: nothing moves and the run goes on",
    async (_name, reply, folder) => {
      const thread = await askToTidy(folder);
      await answer(thread, reply);
      expect(await readQuestion(studio.client, thread)).toBeUndefined();
      expect(isTidy(folder)).toBe(false);
      expect(await lastWords(thread)).not.toBe("");
    },
  );

  it("that is none is asked again with the reason, whatever its type, and the thread still waits", async () => {
    const thread = await askToTidy("nonsense");
    const first = await readQuestion(studio.client, thread);
    const nonsense = [
      0,
      42,
      "",
      [],
      {},
      [1, 2],
      { decisions: [] },
      { decisions: "approve" },
      { decisions: [{ type: "dance" }] },
      { decisions: [{ type: "approve" }, { type: "approve" }] },
      { decisions: [{ type: "edit", edited_action: { args: { command: 7 } } }] },
      { decision: "dance", value: { command: "ls" } },
      { approved: true },
    ];
    for (const reply of nonsense) {
      await answer(thread, reply);
      const asked = await readQuestion(studio.client, thread);
      expect(asked?.errors, JSON.stringify(reply)).toHaveLength(1);
      expect(asked?.items).toEqual(first?.items);
      expect((await studio.client.threads.get(thread)).status).toBe("interrupted");
    }
    expect(isTidy("nonsense")).toBe(false);
    await answer(thread, true);
    expect(isTidy("nonsense")).toBe(true);
  });
});

it("D7: of two answers at once one is taken, and a late one is refused and told by whom it was answered", async () => {
  const thread = await askToTidy("twice");
  const request = (await readQuestion(studio.client, thread))?.id;
  const both = await Promise.allSettled([answer(thread, true), answer(thread, true)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(isTidy("twice")).toBe(true);
  const said = await lastWords(thread);
  for (const late of [true, { request, type: "approve" }]) {
    await expect(answer(thread, late)).rejects.toThrow(
      /Nothing waits on thread .* was: approve by \S+@\S+ at /,
    );
  }
  expect(await lastWords(thread)).toBe(said);
  const input = { messages: [{ role: "user", content: "hello" }] };
  await studio.client.runs.wait(thread, "agent", { input });
  expect((await studio.client.threads.get(thread)).status).toBe("idle");
});

it("D7: a second answer that has to queue is refused when its turn comes", async () => {
  const thread = await askToTidy("queued");
  const send = (resume: unknown) =>
    studio.client.runs.wait(thread, "agent", { command: { resume }, multitaskStrategy: "enqueue" });
  const both = await Promise.allSettled([send(true), send(false)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await readQuestion(studio.client, thread)).toBeUndefined();
});

it("null is nothing to the server, and the question stays open", async () => {
  const thread = await askToTidy("null");
  await expect(answer(thread, null)).rejects.toThrow(/EmptyInputError/);
  expect(await readQuestion(studio.client, thread)).toMatchObject({ items: [{ kind: "call" }] });
  await answer(thread, true);
  expect(isTidy("null")).toBe(true);
});

it("a chat client that marks the thread as resolved ends the run, and the call is not carried out", async () => {
  const thread = await askToTidy("resolved");
  await studio.client.runs.wait(thread, "agent", { input: {}, command: { goto: "__end__" } });
  expect(await readQuestion(studio.client, thread)).toBeUndefined();
  expect((await studio.client.threads.get(thread)).status).toBe("idle");
  expect(await lastWords(thread)).toBe("The person ended this here.");
  expect(isTidy("resolved")).toBe(false);
});

describe("the past", () => {
  it("a fork from before the question asks it again, and the first branch stays as it was", async () => {
    const thread = await askToTidy("fork");
    await answer(thread, false);
    const said = await lastWords(thread);
    const history = await studio.client.threads.getHistory(thread, { limit: 50 });
    const before = history.find(({ next }) => next[0] === "review")!;
    expect(before.tasks[0]?.interrupts).toHaveLength(1);
    await studio.client.runs.wait(thread, "agent", { input: null, checkpoint: before.checkpoint });
    expect(await readQuestion(studio.client, thread)).toMatchObject({ items: [{ kind: "call" }] });
    expect(isTidy("fork")).toBe(false);
    await answer(thread, true);
    expect(isTidy("fork")).toBe(true);
    const old = await studio.client.threads.getState<{ messages: { content: string }[] }>(
      thread,
      history[0]?.checkpoint ?? "",
    );
    expect(old.values.messages.at(-1)?.content).toBe(said);
  });

  it("a no after a fork is a no, though the first branch was approved", async () => {
    const thread = await askToTidy("no-after-yes");
    const asked = await studio.client.threads.getState(thread);
    await answer(thread, true);
    expect(isTidy("no-after-yes")).toBe(true);
    rmSync(join(place.workspace, "no-after-yes"), { recursive: true });
    cpSync(inbox, join(place.workspace, "no-after-yes"), { recursive: true });
    await studio.client.runs.wait(thread, "agent", { input: null, checkpoint: asked.checkpoint });
    await answer(thread, false);
    expect(isTidy("no-after-yes")).toBe(false);
    const late = { command: { resume: false }, checkpoint: asked.checkpoint };
    await expect(studio.client.runs.wait(thread, "agent", late)).rejects.toThrow(/was answered already/);
    expect(isTidy("no-after-yes")).toBe(false);
  });

  it("a thread needs an id that is a UUID, which the server says", async () => {
    await expect(studio.client.threads.create({ threadId: "my-run" })).rejects.toThrow(/uuid/i);
  });
});
