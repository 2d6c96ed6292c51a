import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { readAgentFacts } from "../../../src/runtime/agent.ts";
import { createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace } from "../../support/workspace.ts";

const CALLS = 50;

/** Text that does not repeat, so that nothing is saved by luck. */
function makeText(seed: string, length: number): string {
  let text = "";
  for (let part = 0; text.length < length; part += 1)
    text += createHash("sha256").update(`${seed}/${part}`).digest("base64");
  return text.slice(0, length);
}

it("E1: 50 calls while a skill of 100 KB is active add at most 300 KB, their results of 1 KB each included", async () => {
  const header = "---\nname: big\ndescription: Knows all rules. Use when asked for them.\n---\n\n";
  const notes = Array.from({ length: CALLS }, (_, index) => [
    `note-${index}.md`,
    makeText(`note ${index}`, 1_000),
  ]);
  const workspace = createWorkspace({
    "skills/big/SKILL.md": header + makeText("skill", 100_000),
    ...Object.fromEntries(notes),
  });
  const reads = notes.map(([path], index) => ({
    calls: [{ id: `r${index}`, name: "Read", arguments: { path } }],
  }));
  const { agent } = await createScriptedAgent(workspace, [{ text: "Ready." }, ...reads, { text: "Read." }], {
    maxSteps: CALLS + 1,
  });
  const readSize = async () => (await readAgentFacts(agent).store?.threads.readSize())?.bytes ?? Number.NaN;
  const { end: first } = await send(agent, "/big begin");
  const before = await readSize();
  const { end } = await send(agent, "read all notes", { thread: first.thread });
  expect(end).toMatchObject({ status: "finished", answer: "Read." });
  const { values } = await agent.getState({ configurable: { thread_id: first.thread } });
  expect(values.messages.filter((message: { type: string }) => message.type === "tool")).toHaveLength(CALLS);
  expect(values.active.map((skill: { name: string }) => skill.name)).toEqual(["big"]);
  expect((await readSize()) - before).toBeLessThan(300_000);
}, 120_000);
