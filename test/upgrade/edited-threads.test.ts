import { describe, expect, it } from "vitest";
import { deleteThread, listThreads, readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import type { Workspace } from "../support/workspace.ts";
import { editStored, listStoredThreads, openStored } from "./support.ts";

const VERSION = "0.1.0";
const done = { text: "Done." };

function findStored(name: string): string {
  return listStoredThreads(VERSION).find((each) => each.name === name)?.thread ?? "";
}

/** Stored threads in which every state that holds a skill was edited. */
function openEdited(skill: string, change: (text: string) => string) {
  const workspace = openStored(VERSION);
  let edits = 0;
  editStored(workspace, (text) => {
    const isState = text.startsWith("[{") && text.includes(`"name":"${skill}"`) && text.includes('"anchor"');
    const edited = isState ? change(text) : text;
    if (edited !== text) edits += 1;
    return edited;
  });
  expect(edits).toBeGreaterThan(0);
  return workspace;
}

/** Puts the stages of all wizards where no thread looks for them. */
function loseStages(workspace: Workspace): void {
  editStored(workspace, (text) => text.replaceAll(/"([^"\\]+)":"\{\\"intro/g, '"lost-$1":"{\\"intro'));
}

describe("a stored thread with a state that is not quite ours", () => {
  it.each([
    [
      "a field that nobody knows",
      (text: string) => text.replaceAll('"chosenBy":', '"mood":{"good":[1]},"chosenBy":'),
    ],
    ["an optional field that is missing", (text: string) => text.replaceAll(/,"files":"[^"]*"/g, "")],
  ])("goes on with %s", async (_name, change) => {
    const { agent, server } = await createScriptedAgent(openEdited("counter", change), [done]);
    const { end } = await send(agent, "Go on.", { thread: findStored("finished") });
    expect(end.status).toBe("finished");
    server.assertDone();
  });

  it.each([
    [
      "a field of another kind",
      '"active.0.tokens"',
      (text: string) => text.replaceAll(/"tokens":\d+/g, '"tokens":"many"'),
    ],
    [
      "a needed field that is missing",
      '"active.0.path"',
      (text: string) => text.replaceAll(/"path":"[^"]*",/g, ""),
    ],
    [
      "a list where one is not",
      '"active.0.arguments"',
      (text: string) => text.replaceAll(/"arguments":"[^"]*"/g, '"arguments":[]'),
    ],
  ])("is refused with %s, which is named", async (_name, field, change) => {
    const thread = findStored("finished");
    const { agent } = await createScriptedAgent(openEdited("counter", change), []);
    const refused = {
      code: "thread-unreadable",
      message: expect.stringContaining(`Thread ${thread} cannot be read: ${field} of its state is wrong (`),
    };
    const message = { messages: [{ role: "user", content: "hi" }] };
    const config = { configurable: { thread_id: thread } };
    await expect(readThread(agent, thread)).rejects.toMatchObject(refused);
    await expect(send(agent, "Go on.", { thread })).rejects.toMatchObject(refused);
    await expect(answer(agent, thread)).rejects.toMatchObject(refused);
    await expect(agent.invoke(message as never, config)).rejects.toMatchObject(refused);
    const threads = await listThreads(agent);
    expect(threads.find((each) => each.thread === thread)).toMatchObject({
      status: "failed",
      fault: refused.message,
    });
    expect(threads.find((each) => each.thread === findStored("gate"))).toMatchObject({ status: "waiting" });
    await deleteThread(agent, thread);
  });
});

describe("a stored wizard whose stages cannot be read any more", () => {
  it("asks where it goes on, with the stages on disk, and takes no approval along", async () => {
    const workspace = openStored(VERSION);
    loseStages(workspace);
    const thread = findStored("killed");
    const { agent, server } = await createScriptedAgent(workspace, [done]);
    const asked = await answer(agent, thread);
    expect(asked.end.request?.items).toMatchObject([
      { kind: "upgrade", stage: "plan", back: ["look"], choices: ["map", "stop"] },
    ]);
    expect(asked.end.request?.items[0]?.notes?.[0]).toContain("The thread does not hold its stages any more");
    const { end } = await answer(agent, thread, { reply: { goto: "look" } });
    expect(end.status).toBe("finished");
    server.assertDone();
  });

  it("at its gate: the answer passes nothing", async () => {
    const workspace = openStored(VERSION);
    loseStages(workspace);
    const { agent, server } = await createScriptedAgent(workspace, []);
    const asked = await answer(agent, findStored("gate"), { reply: true });
    expect(asked.end.request?.items).toMatchObject([{ kind: "upgrade", stage: "look", back: ["look"] }]);
    server.assertDone();
  });
});
