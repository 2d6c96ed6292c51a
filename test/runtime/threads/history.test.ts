import { expect, it } from "vitest";
import { readHistory, readThread } from "../../../src/index.ts";
import { createScriptedAgent, send } from "../../support/agent.ts";
import { tripFiles } from "../../support/wizard.ts";
import { createWorkspace } from "../../support/workspace.ts";

it("the history of a thread calls whoever wrote to it a person", async () => {
  const { agent } = await createScriptedAgent(createWorkspace(), [{ text: "Hello." }]);
  const { end } = await send(agent, "good morning");
  const summaries = (await readHistory(agent, end.thread)).map(({ summary }) => summary);
  expect(summaries).toContain("person: good morning");
  expect(summaries.filter((summary) => summary.startsWith("human"))).toEqual([]);
});

it("a wizard that the options name is recorded as preset", async () => {
  const workspace = createWorkspace(tripFiles);
  const { agent } = await createScriptedAgent(workspace, [{ text: "Looking." }], { wizard: "trip" });
  const { end } = await send(agent, "somewhere warm");
  expect((await readThread(agent, end.thread)).loads).toMatchObject([
    { name: "trip", type: "loaded", way: "preset", by: "settings" },
  ]);
});
