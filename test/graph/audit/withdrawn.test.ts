import { describe, expect, it } from "vitest";
import { readThread } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace } from "../../support/workspace.ts";

const write = (id: string, path: string) => ({ id, name: "Write", arguments: { path, content: "x" } });
const question = { id: "q1", name: "AskUser", arguments: { question: "Which one?" } };

describe("what becomes of a question", () => {
  it("that a changed call asks once more is kept behind the change", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [
      { calls: [write("w1", "a")] },
      { text: "Done." },
    ]);
    const { thread } = (await send(agent, "go")).end;
    const changed = { type: "edit", args: { path: ".env", content: "y" } };
    const again = await answer(agent, thread, { reply: changed });
    expect(again.end.status).toBe("waiting");
    await answer(agent, thread, { reply: true });
    const { decisions } = await readThread(agent, thread);
    expect(decisions).toMatchObject([
      { verdict: "ask", by: "rules", subject: "a" },
      { verdict: "edit", by: "person", subject: ".env" },
      { verdict: "ask", by: "rules", subject: ".env", reason: expect.stringContaining("protected") },
      { verdict: "approve", by: "person", subject: ".env" },
    ]);
  });

  it("that a new message withdraws is kept, for each that was open and for no other", async () => {
    const calls = [write("w1", "a"), { ...question }, { id: "r1", name: "Read", arguments: { path: "b" } }];
    const { agent } = await createScriptedAgent(createWorkspace(), [{ calls }, { text: "Done." }]);
    const { thread } = (await send(agent, "go")).end;
    const { events } = await send(agent, "something else", { thread });
    const { decisions } = await readThread(agent, thread);
    const reason = "a new message came instead of an answer";
    const withdrawn = decisions.filter(({ verdict }) => verdict === "reject");
    expect(withdrawn).toMatchObject([
      { id: "w1", kind: "call", name: "Write", subject: "a", by: "person", reason },
      { id: "q1", kind: "question", name: "AskUser", subject: "Which one?", by: "person", reason },
    ]);
    expect(events.filter(({ type }) => type === "call-decided")).toMatchObject(withdrawn);
  });
});
