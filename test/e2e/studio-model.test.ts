import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OpenAIServer, startOpenAIServer } from "../support/openai-server.ts";
import {
  createStudioPlace,
  listServers,
  readQuestion,
  type Studio,
  type StudioPlace,
  startStudio,
} from "../support/studio.ts";

/** A line of a source file that the graph imports, and what the agent makes of it. */
const TARGET = { path: "src/graph/edges.ts", from: "import ", to: "import  " };

let place: StudioPlace;
let model: OpenAIServer;
let studio: Studio;
let thread: string;

const edit = {
  file_path: TARGET.path,
  old_string: TARGET.from,
  new_string: TARGET.to,
  replace_all: true,
};

beforeAll(async () => {
  place = createStudioPlace();
  model = await startOpenAIServer(
    [
      { calls: [{ id: "e1", name: "Edit", arguments: edit }] },
      { text: "Edited." },
      { calls: [{ id: "w1", name: "Bash", arguments: { command: "echo line >> log" } }] },
      { text: "Written." },
    ],
    { apiKey: "sk-shell" },
  );
  // The clone is trusted, so that its .env is read.
  const trust = join(place.home, ".config/skillgraph/trust.json");
  mkdirSync(dirname(trust), { recursive: true });
  writeFileSync(trust, JSON.stringify({ folders: [place.clone] }));
  writeFileSync(join(place.clone, ".env"), "OPENAI_API_KEY=sk-file\nOPENAI_BASE_URL=http://127.0.0.1:9/v1\n");
  studio = await start();
  thread = (await studio.client.threads.create()).thread_id;
});

afterAll(async () => {
  await studio?.stop();
  await model?.close();
  place?.remove();
});

/** A server whose agent works on the very clone that it runs from. */
function start(): Promise<Studio> {
  const env = { OPENAI_API_KEY: "sk-shell", OPENAI_BASE_URL: model.url, SKILLGRAPH_MODEL: "test-model" };
  return startStudio(place, { words: ["--cwd", place.clone], env });
}

function ask(text: string) {
  return studio.client.runs.wait(thread, "agent", { input: { messages: [{ role: "user", content: text }] } });
}

function answerYes() {
  return studio.client.runs.wait(thread, "agent", { command: { resume: true } });
}

it("the key of the shell is used, and a .env file does not override it", async () => {
  await ask("Edit it.");
  expect(await readQuestion(studio.client, thread)).toMatchObject({ items: [{ name: "Edit" }] });
  expect(model.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-shell"]);
});

it("an agent that edits what the server runs from does not restart the server under itself", async () => {
  const before = listServers(place);
  await answerYes();
  expect(readFileSync(join(place.clone, TARGET.path), "utf8")).toContain(TARGET.to);
  const { values } = await studio.client.threads.getState<{ messages: { content: string }[] }>(thread);
  expect(values.messages.at(-1)?.content).toBe("Edited.");
  expect(listServers(place)).toEqual(before);
  expect(studio.stderr().match(/Server running at/g)).toHaveLength(1);
});

it("a server that is stopped at once keeps its threads, and the next one goes on where it was", async () => {
  await ask("Write it.");
  expect(await studio.stop("SIGINT")).toBe(0);
  expect(listServers(place)).toEqual([]);
  await expect(fetch(studio.url)).rejects.toThrow();
  studio = await start();
  expect(await readQuestion(studio.client, thread)).toMatchObject({ items: [{ name: "Bash" }] });
  await answerYes();
  expect(readFileSync(join(place.clone, "log"), "utf8")).toBe("line\n");
  model.assertDone();
});

it("neither key is in what the server kept or printed", async () => {
  const { values, metadata } = await studio.client.threads.getState(thread);
  expect(JSON.stringify([values, metadata])).not.toMatch(/sk-(shell|file)/);
  expect(studio.stdout() + studio.stderr()).not.toMatch(/sk-(shell|file)/);
});
