import { Command } from "@langchain/langgraph";
import { expect, it, vi } from "vitest";
import { deleteThread, forkThread, listThreads, readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { complete, tripFiles } from "../support/wizard.ts";
import { createWorkspace } from "../support/workspace.ts";

const writer = vi.hoisted(() => ({ version: 3 }));

vi.mock("../../src/graph/upgrade/version.ts", async (load) => {
  const known = await load<object>();
  return Object.defineProperty({ ...known }, "GRAPH_VERSION", { get: () => writer.version });
});

it("a thread of a newer version is refused by name, stays as it is, and can be read and removed", async () => {
  const { agent, server, reopen } = await createScriptedAgent(createWorkspace(tripFiles), [
    complete("s1", { places: ["Rome"] }),
  ]);
  writer.version = 3;
  const { end } = await send(agent, "/trip");
  const { thread } = end;
  writer.version = 1;
  const later = await reopen();
  const config = { configurable: { thread_id: thread } };
  const before = await readThread(later, thread);
  expect(before).toMatchObject({ version: 3, status: "waiting", request: { id: end.request?.id } });
  const refused = {
    code: "thread-newer",
    message: `Thread ${thread} was written by a newer skillgraph (graph version 3, this one knows 1); update skillgraph.`,
  };
  const message = { messages: [{ role: "user", content: "hi" }] };
  const attempts: (() => Promise<unknown>)[] = [
    () => answer(later, thread, { reply: true }),
    () => answer(later, thread, { reply: { goto: "__end__" } }),
    () => send(later, "hi", { thread }),
    () => forkThread(later, thread, before.checkpoint ?? ""),
    () => later.invoke(message as never, config),
    () => later.invoke(new Command({ resume: true }) as never, config),
    () => later.invoke(null as never, config),
    () => later.updateState(config, message),
  ];
  for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject(refused);
  expect(await readThread(later, thread)).toEqual(before);
  expect(await listThreads(later)).toMatchObject([{ thread, status: "waiting" }]);
  await deleteThread(later, thread);
  expect(await listThreads(later)).toEqual([]);
  server.assertDone();
});
