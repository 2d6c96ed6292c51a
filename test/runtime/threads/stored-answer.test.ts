import { Command, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { readThread } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { complete, tripFiles } from "../../support/wizard.ts";
import { createWorkspace } from "../../support/workspace.ts";

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

describe("a new message after an answer that was kept before a crash", () => {
  const write = { id: "w1", name: "Write", arguments: { path: "w1", content: "x" } };
  const question = { id: "q1", name: "AskUser", arguments: { question: "Which one?" } };

  async function breakAndWrite(call: typeof write | typeof question, reply: unknown) {
    const saver = new BreakingSaver();
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [call] }, { text: "Something else." }],
      { checkpointer: saver },
    );
    const { thread } = (await send(agent, "go")).end;
    saver.isArmed = true;
    await answer(agent, thread, { reply, by: "ada" });
    saver.isArmed = false;
    const { events, end } = await send(agent, "something else", { thread, by: "eve" });
    expect(end.status).toBe("finished");
    const told = server.requests[1]?.body.messages?.find(({ role }) => role === "tool")?.content;
    const { decisions } = await readThread(agent, thread);
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    return { workspace, told, last: decisions.at(-1), notices };
  }

  it("D12: does not carry out the call that was approved, says so, and the yes stays on record", async () => {
    const { workspace, told, last, notices } = await breakAndWrite(write, true);
    expect(workspace.exists("w1")).toBe(false);
    expect(told).toMatch(/^It may have happened: the run ended before its end was seen, and a new message/);
    expect(notices).toEqual(["1 open call was cancelled by the new message."]);
    expect(last).toMatchObject({ id: "w1", verdict: "approve", who: "ada" });
  });

  it("D12: leaves a no what it was, with its words", async () => {
    const reply = { decisions: [{ type: "reject", message: "Never there." }] };
    const { workspace, told, last, notices } = await breakAndWrite(write, reply);
    expect(workspace.exists("w1")).toBe(false);
    expect(told).toContain("They said: Never there.");
    expect(notices).toEqual([]);
    expect(last).toMatchObject({ id: "w1", verdict: "reject", who: "ada" });
  });

  it("D12: comes after the answer to a question, which the model reads", async () => {
    const { told, last, notices } = await breakAndWrite(question, "the blue one");
    expect(told).toBe("the blue one");
    expect(notices).toEqual([]);
    expect(last).toMatchObject({ id: "q1", verdict: "respond", who: "ada" });
  });

  it("D12: finds the gate open that was approved", async () => {
    const { agent, thread } = await breakAfterAnswer();
    const { end } = await send(agent, "go on", { thread });
    expect(end.progress?.line).toBe("2/3 plan · waiting for you");
    const { decisions } = await readThread(agent, thread);
    expect(decisions.filter(({ id }) => id === "s1").map(({ verdict }) => verdict)).toEqual([
      "allow",
      "approve",
    ]);
  });
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
