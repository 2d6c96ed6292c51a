import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OpenAIServer, type ScriptedTurn, startOpenAIServer } from "../support/openai-server.ts";
import {
  createStudioPlace,
  readQuestion,
  type Studio,
  type StudioPlace,
  startStudio,
} from "../support/studio.ts";

const GREET = {
  "SKILL.md": "---\nname: greet\ndescription: Greets somebody. Use to greet.\n---\nGreets.\n",
  "stages/01-look.md": "---\ntitle: Look\n---\nLook who is there.\n",
  "stages/02-say.md": "---\ntitle: Say\n---\nSay hello.\n",
};

let place: StudioPlace;
let model: OpenAIServer;
let studio: Studio;

beforeAll(async () => {
  place = createStudioPlace();
  // The person's own skills are trusted.
  for (const [path, text] of Object.entries(GREET)) {
    const file = join(place.home, ".agents/skills/greet", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  model = await startOpenAIServer([
    { text: "Which version?" },
    complete("c1", "Ada is there."),
    complete("c2", "Ada and Grace are there."),
    complete("c3", "Said hello to both."),
    complete("c4", "Grace has left."),
    complete("c5", "Said hello to Ada."),
    { text: "Done." },
  ]);
  const env = { OPENAI_BASE_URL: model.url, SKILLGRAPH_MODEL: "test-model" };
  studio = await startStudio(place, { env });
});

afterAll(async () => {
  await studio?.stop();
  await model?.close();
  place?.remove();
});

function complete(id: string, summary: string): ScriptedTurn {
  return { calls: [{ id, name: "CompleteStage", arguments: { summary } }] };
}

function start(thread: string, assistant: string, context?: Record<string, unknown>) {
  const input = { messages: [{ role: "user", content: "Go on." }] };
  return studio.client.runs.wait(thread, assistant, { input, ...(context ? { context } : {}) });
}

async function newThread(): Promise<string> {
  return (await studio.client.threads.create()).thread_id;
}

interface Facts {
  active: { name: string; wizard?: { stage: string; status: string } }[];
  messages: { content: string }[];
}

async function readFacts(thread: string) {
  const { values } = await studio.client.threads.getState<Facts>(thread);
  return { ...values, at: values.active.map(({ name, wizard }) => [name, wizard?.stage, wizard?.status]) };
}

it("the assistant wizard works a new thread through its wizard", async () => {
  const thread = await newThread();
  await start(thread, "wizard");
  expect((await readFacts(thread)).at).toEqual([["release", "inspect", "working"]]);
});

it("the context names another one; its gates are answered like any question, also with the way back", async () => {
  const thread = await newThread();
  const answer = (resume: unknown) =>
    studio.client.runs.wait(thread, "wizard", { command: { resume }, context: { wizard: "greet" } });
  await start(thread, "wizard", { wizard: "greet" });
  expect(await readQuestion(studio.client, thread)).toMatchObject({
    items: [{ kind: "stage", name: "greet/look", stage: "look", title: "Look", number: 1, total: 2 }],
    action_requests: [{ name: "greet/look", description: expect.stringContaining("Ada is there.") }],
  });
  await answer({ decisions: [{ type: "reject", message: "Look again." }] });
  await answer("yes");
  expect(await readQuestion(studio.client, thread)).toMatchObject({
    items: [{ stage: "say", back: ["look", "say"] }],
  });
  await answer(42);
  expect((await readQuestion(studio.client, thread))?.errors).toHaveLength(1);
  await answer({ goto: "look" });
  expect(await readQuestion(studio.client, thread)).toMatchObject({ items: [{ stage: "look" }] });
  await answer(true);
  await answer({ decisions: [{ type: "approve" }] });
  const { at, messages } = await readFacts(thread);
  expect(at).toEqual([["greet", "say", "finished"]]);
  expect(messages.at(-1)?.content).toBe("Done.");
  model.assertDone();
});

it.each([
  ["a wizard that is not there", { wizard: "nope" }, /No skill named \\"nope\\"\. Known skills: greet/],
  ["a permission policy", { permissions: { allow: ["Bash"] } }, /permissions/],
])("%s in the context is refused by name, before any model call", async (_name, context, message) => {
  await expect(start(await newThread(), "agent", context)).rejects.toThrow(message);
  model.assertDone();
});
