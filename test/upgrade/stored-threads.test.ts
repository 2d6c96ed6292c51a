import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GRAPH_VERSION } from "../../src/graph/upgrade/version.ts";
import { listThreads, readHistory, readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { listStoredThreads, listStoredVersions, openStored, type StoredThread } from "./support.ts";

/** What answers each kind of question; anything else takes a yes. */
const REPLIES = new Map<string, unknown>([
  ["question", "the first one"],
  ["form", { days: 4 }],
  ["drift", "refresh"],
  ["outcome", { type: "respond", value: "it happened" }],
]);

const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version = ""]) => version);

it("threads of every released version are stored", () => {
  expect(released).not.toEqual([]);
  expect(listStoredVersions()).toEqual(expect.arrayContaining(released));
});

describe.each(listStoredVersions())("a thread of version %s", (version) => {
  const threads = listStoredThreads(version);

  it("is listed as it was left", async () => {
    const { agent } = await createScriptedAgent(openStored(version), []);
    const listed = await listThreads(agent);
    const found = listed.map(({ thread, status, request }) => ({
      thread,
      status,
      kind: request?.items[0]?.kind,
    }));
    const stored = threads.map(({ thread, status, kind }) => ({ thread, status, kind }));
    expect(found).toEqual(expect.arrayContaining(stored));
    expect(found).toHaveLength(stored.length);
  });

  it.each(threads)("goes on: $name", async ({ name, thread, status, kind, messages }) => {
    const workspace = openStored(version);
    const script = [{ text: "Done." }];
    const { agent, server, reopen } = await createScriptedAgent(workspace, script);
    const before = await readThread(agent, thread);
    expect(before.messages).toHaveLength(messages);
    const { end } = await goOn(agent, { name, thread, status, kind, messages } as StoredThread);
    expect(end).toMatchObject({ status: "finished", answer: "Done." });
    const after = await readThread(await reopen(), thread);
    expect(after.messages.slice(0, messages)).toEqual(before.messages);
    expect(after.decisions.slice(0, before.decisions.length)).toEqual(before.decisions);
    expect(after).toMatchObject({
      version: GRAPH_VERSION,
      skills: before.skills.map(({ name }) => ({ name })),
    });
    expect((await readHistory(agent, thread)).length).toBeGreaterThan(1);
    server.assertDone();
  });
});

function goOn(agent: Parameters<typeof send>[0], { name, thread, status, kind }: StoredThread) {
  if (status === "finished") return send(agent, "Go on.", { thread });
  if (status === "stopped") return answer(agent, thread);
  return answer(agent, thread, { reply: REPLIES.get(name) ?? REPLIES.get(kind ?? "") ?? true });
}
