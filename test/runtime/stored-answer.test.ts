import { Command, MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { complete, tripFiles } from "../support/wizard.ts";
import { createWorkspace } from "../support/workspace.ts";

/** Breaks where the answer's step is kept and the checkpoint after it is not. */
class BreakingSaver extends MemorySaver {
  isArmed = false;
  override async put(...parts: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
    if (this.isArmed) throw new Error("The database is gone.");
    return super.put(...parts);
  }
}

async function breakAfterAnswer() {
  const saver = new BreakingSaver();
  const { agent, server } = await createScriptedAgent(
    createWorkspace(tripFiles),
    [complete("s1", { places: ["Bern"] }), complete("s2", { days: 2, route: "a-b" })],
    { checkpointer: saver },
  );
  const { thread, request } = (await send(agent, "/trip")).end;
  saver.isArmed = true;
  expect((await answer(agent, thread, { reply: true })).end.status).toBe("failed");
  saver.isArmed = false;
  expect(server.requests).toHaveLength(1);
  return { agent, thread, request: request?.id ?? "" };
}

it("an answer that was kept before a crash is no open question any more", async () => {
  const { agent, thread } = await breakAfterAnswer();
  expect(await readThread(agent, thread)).toMatchObject({
    status: "stopped",
    progress: { line: "2/3 plan · stopped" },
  });
  expect(await readThread(agent, thread)).not.toHaveProperty("request");
  const next = await answer(agent, thread, {});
  expect(next.end).toMatchObject({ status: "waiting", progress: { line: "2/3 plan · waiting for you" } });
});

it("a second answer after such a crash is refused with who gave the first one", async () => {
  const { agent, thread, request } = await breakAfterAnswer();
  const no = { type: "reject" as const, message: "No." };
  await expect(answer(agent, thread, { reply: { decisions: [no] }, request })).rejects.toMatchObject({
    code: "nothing-pending",
    message: expect.stringMatching(
      `^Request "${request}" on thread ${thread} was answered already: approve by `,
    ),
  });
  await expect(answer(agent, thread, { reply: { decisions: [no] } })).rejects.toMatchObject({
    code: "nothing-pending",
    message: expect.stringMatching(/The last one was: approve by .+ Resume it without an answer to go on\.$/),
  });
  const config = { configurable: { thread_id: thread } };
  await expect(agent.invoke(new Command({ resume: { decisions: [no] } }), config)).rejects.toMatchObject({
    code: "nothing-pending",
    message: expect.stringContaining("approve by "),
  });
  expect((await answer(agent, thread, {})).end.progress?.line).toBe("2/3 plan · waiting for you");
});
