import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSkillAgent,
  deleteThread,
  findThread,
  forkThread,
  listThreads,
  readHistory,
  readThread,
  type SkillAgent,
} from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace, skillText, type Workspace } from "../../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: id } });
const at = (thread: string, checkpoint?: string) => ({
  configurable: { thread_id: thread, ...(checkpoint === undefined ? {} : { checkpoint_id: checkpoint }) },
});
const append = "echo line >> log.txt";

/** Everything that the file holds of a thread, and nothing of any other. */
function readRows(workspace: Workspace, thread: string): string {
  const database = new Libsql(join(workspace.folder, ".skillgraph/threads.db"), { readonly: true });
  const lines = "line IN (SELECT key FROM line WHERE thread_id = ?)";
  const rows = [
    "SELECT * FROM line WHERE thread_id = ?",
    `SELECT * FROM checkpoint WHERE ${lines} ORDER BY key`,
    `SELECT * FROM pending WHERE checkpoint IN (SELECT key FROM checkpoint WHERE ${lines}) ORDER BY 1, 2, 3`,
    `SELECT key, hex(digest), type, hex(value) FROM blob WHERE ${lines} ORDER BY key`,
    "SELECT * FROM thread_info WHERE thread_id = ?",
  ].map((sql) => database.prepare(sql).all([thread]));
  database.close();
  return JSON.stringify(rows);
}

/** The newest checkpoint after which the given node runs. */
async function findBefore(agent: SkillAgent, thread: string, node: string): Promise<string> {
  const entry = (await readHistory(agent, thread)).find(({ next }) => next.includes(node));
  if (!entry) throw new Error(`No checkpoint before ${node}.`);
  return entry.checkpoint;
}

describe("forkThread", () => {
  it("D12: from before an approval it asks again, and the original branch is untouched", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [bash("b1", append)] },
      { text: "Done." },
      { text: "The fork is done." },
    ]);
    const { end } = await send(agent, "append");
    await answer(agent, end.thread, { reply: true });
    expect(workspace.read("log.txt")).toBe("line\n");
    const before = readRows(workspace, end.thread);

    const fork = await forkThread(agent, end.thread, await findBefore(agent, end.thread, "review"));
    expect(fork).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    const facts = await readThread(agent, fork);
    expect(facts.status).toBe("waiting");
    expect(facts.request?.items).toMatchObject([{ kind: "call", id: "b1", name: "Bash" }]);
    expect(workspace.read("log.txt")).toBe("line\n");
    expect(server.requests).toHaveLength(2);

    const after = await answer(agent, fork, { reply: { type: "reject", message: "not twice" } });
    expect(after.end).toMatchObject({ status: "finished", thread: fork, answer: "The fork is done." });
    expect(String(server.requests[2]?.body.messages?.at(-1)?.content)).toContain("not twice");
    expect(workspace.read("log.txt")).toBe("line\n");
    expect(readRows(workspace, end.thread)).toBe(before);
    expect((await readThread(agent, end.thread)).answer).toBe("Done.");
    server.assertDone();
  });

  it("a question that is still open stays open on the original, and each thread takes its own answer", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [{ id: "q1", name: "AskUser", arguments: { question: "Which?" } }] },
      { text: "Fork." },
      { text: "Original." },
    ]);
    const { end } = await send(agent, "ask", { name: "naming" });
    const before = readRows(workspace, end.thread);
    const fork = await forkThread(agent, end.thread, await findBefore(agent, end.thread, "review"));
    expect(readRows(workspace, end.thread)).toBe(before);
    const [original, copy] = await Promise.all(
      [end.thread, fork].map((thread) => agent.getState(at(thread))),
    );
    const idOf = (snapshot: typeof original) => snapshot?.tasks[0]?.interrupts[0]?.id;
    expect(idOf(original)).toEqual(expect.any(String));
    expect(idOf(copy)).not.toBe(idOf(original));
    expect((await listThreads(agent)).map(({ thread, status, name }) => [thread, status, name])).toEqual([
      [fork, "waiting", "naming"],
      [end.thread, "waiting", "naming"],
    ]);
    expect((await answer(agent, fork, { reply: "this" })).end.answer).toBe("Fork.");
    expect((await answer(agent, end.thread, { reply: "that" })).end.answer).toBe("Original.");
    const said = (index: number) => server.requests[index]?.body.messages?.at(-1)?.content;
    expect([said(1), said(2)]).toEqual(["this", "that"]);
    server.assertDone();
  });

  it("a call that was approved and had not begun is asked about again", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [bash("b1", append)] },
      { text: "Done." },
      { text: "Fork." },
    ]);
    const { end } = await send(agent, "append");
    await answer(agent, end.thread, { reply: true });
    const approved = (await readHistory(agent, end.thread)).findLast(({ next }) => next.includes("observe"));
    const fork = await forkThread(agent, end.thread, approved?.checkpoint ?? "");
    const went = await answer(agent, fork);
    expect(went.end.request?.items).toMatchObject([{ kind: "call", id: "b1" }]);
    await answer(agent, fork, { reply: false });
    expect(workspace.read("log.txt")).toBe("line\n");
    server.assertDone();
  });

  it("a call that had begun is asked about as one whose outcome is not known", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash append.sh")] }, { text: "Done." }, { text: "Fork." }],
      { permissions: { allow: ["Bash(bash append.sh)"] } },
    );
    workspace.write("append.sh", append);
    const { end } = await send(agent, "append");
    const begun = await findBefore(agent, end.thread, "observe");
    const fork = await forkThread(agent, end.thread, begun);
    const went = await answer(agent, fork);
    expect(went.end.request?.items).toMatchObject([{ kind: "outcome", id: "b1" }]);
    await answer(agent, fork, { reply: { type: "respond", value: "it did" } });
    expect(workspace.read("log.txt")).toBe("line\n");
    server.assertDone();
  });

  it("a call that was marked and never entered is not run with its old approval", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(workspace, [{ calls: [bash("b1", append)] }]);
    const { end } = await send(agent, "append");
    const stopped = { ...at(end.thread), interruptBefore: ["observe" as const] };
    await agent.invoke(new Command({ resume: true }), stopped);
    await agent.invoke(null, stopped);
    const { values, next } = await agent.getState(at(end.thread));
    expect([next, values.calls[0]?.life]).toEqual([["observe"], expect.any(String)]);
    const fork = await forkThread(agent, end.thread, await findBefore(agent, end.thread, "observe"));
    expect((await answer(agent, fork)).end.request?.items).toMatchObject([{ kind: "outcome", id: "b1" }]);
    expect(workspace.exists("log.txt")).toBe(false);
  });

  it("what a caller's tool was answered before is not given to it again", async () => {
    const workspace = createWorkspace();
    const log = join(workspace.folder, "log.txt");
    const confirm = tool(
      async () => {
        appendFileSync(log, `${String(interrupt("Really?"))}\n`);
        return "noted";
      },
      { name: "confirm", description: "Asks.", schema: z.object({}) },
    );
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [{ id: "c1", name: "confirm", arguments: {} }] }, { text: "Done." }],
      { tools: [confirm], permissions: { allow: ["confirm"] } },
    );
    const { end } = await send(agent, "confirm");
    await answer(agent, end.thread, { reply: "yes" });
    expect(workspace.read("log.txt")).toBe("yes\n");
    for (const { checkpoint, next } of await readHistory(agent, end.thread)) {
      if (!next.includes("observe")) continue;
      const fork = await forkThread(agent, end.thread, checkpoint);
      const { request } = (await answer(agent, fork)).end;
      const asked = request?.items[0]?.kind;
      expect(["outcome", "question"]).toContain(asked);
      if (asked !== "outcome") continue;
      const again = await answer(agent, fork, { reply: true });
      expect(again.end.request?.items[0]?.description).toBe("Really?");
    }
    expect(workspace.read("log.txt")).toBe("yes\n");
    server.assertDone();
  });

  it("a message that came along with the old answer is not taken along", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(workspace, [{ calls: [write("w1")] }, { text: "Done." }]);
    const { end } = await send(agent, "write");
    const update = { messages: [{ role: "user", content: "and hurry" }] };
    await agent.invoke(new Command({ resume: true, update }), at(end.thread));
    const fork = await forkThread(agent, end.thread, await findBefore(agent, end.thread, "review"));
    const { messages } = await readThread(agent, fork);
    expect(messages.map(({ role }) => role)).toEqual(["person", "model"]);
  });

  it("every checkpoint of a thread with a skill can be forked, with the same state and the same next node", async () => {
    const workspace = createWorkspace({
      "skills/note/SKILL.md": skillText({ name: "note", description: "Notes." }, "Write it down."),
    });
    const { agent } = await createScriptedAgent(workspace, [
      { calls: [{ id: "r1", name: "Read", arguments: { path: "skills/note/SKILL.md" } }] },
      { calls: [bash("b1", append)] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "/note this");
    await answer(agent, end.thread, { reply: true });
    const before = readRows(workspace, end.thread);
    const entries = await readHistory(agent, end.thread);
    expect(entries.length).toBeGreaterThan(8);
    for (const { checkpoint, next } of entries) {
      const source = await agent.getState(at(end.thread, checkpoint));
      const fork = await forkThread(agent, end.thread, checkpoint);
      const copy = await agent.getState(at(fork));
      expect(copy.next).toEqual(next);
      expect(copy.values.messages).toEqual(source.values.messages);
      expect(copy.values.texts).toEqual(source.values.texts);
      expect(copy.values.active).toEqual(source.values.active);
      expect(copy.metadata).toMatchObject({ source: "fork", step: source.metadata?.step, thread_id: fork });
      expect(await readHistory(agent, fork)).toHaveLength(1);
    }
    expect(readRows(workspace, end.thread)).toBe(before);
  });

  it("a fork of a finished thread goes on by itself, and can be deleted without its own fork", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { text: "One." },
      { text: "Two." },
      { text: "Three." },
    ]);
    const { end } = await send(agent, "first");
    const [last] = await readHistory(agent, end.thread);
    const fork = await forkThread(agent, end.thread, last?.checkpoint ?? "");
    await send(agent, "second", { thread: fork });
    expect((await readThread(agent, fork)).messages.map(({ text }) => text)).toEqual([
      "first",
      "One.",
      "second",
      "Two.",
    ]);
    expect((await readThread(agent, end.thread)).messages).toHaveLength(2);
    const second = await forkThread(agent, fork, (await readHistory(agent, fork))[0]?.checkpoint ?? "");
    await deleteThread(agent, fork);
    await send(agent, "third", { thread: second });
    expect(server.requests[2]?.body.messages?.map(({ content }) => content).slice(1)).toEqual([
      "first",
      "One.",
      "second",
      "Two.",
      "third",
    ]);
    server.assertDone();
  });

  it("the gate of a stage is open again on the fork, with what was handed over", async () => {
    const workspace = createWorkspace({
      "skills/steps/SKILL.md": skillText({ name: "steps", description: "Steps." }, "Intro."),
      "skills/steps/stages/01-plan.md": "---\ntitle: Plan\n---\nPlan.\n",
      "skills/steps/stages/02-apply.md": "---\ntitle: Apply\ngate: none\n---\nApply.\n",
    });
    const complete = (id: string, summary: string) => ({ id, name: "CompleteStage", arguments: { summary } });
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [complete("c1", "planned")] },
      { calls: [complete("c2", "applied")] },
      { text: "Done." },
      { calls: [complete("c3", "planned better")] },
    ]);
    const { end } = await send(agent, "/steps");
    expect(end.request?.items).toMatchObject([{ kind: "stage", stage: "plan", summary: "planned" }]);
    expect((await answer(agent, end.thread, { reply: true })).end.answer).toBe("Done.");
    const before = readRows(workspace, end.thread);
    const fork = await forkThread(agent, end.thread, await findBefore(agent, end.thread, "review"));
    const { request } = await readThread(agent, fork);
    expect(request?.items).toMatchObject([{ kind: "stage", stage: "plan", summary: "planned" }]);
    const again = await answer(agent, fork, { reply: { type: "reject", message: "better" } });
    expect(again.end.request?.items).toMatchObject([{ kind: "stage", summary: "planned better" }]);
    expect(readRows(workspace, end.thread)).toBe(before);
    server.assertDone();
  });

  it("a unique beginning is enough; anything else is an error that lists checkpoints", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(workspace, [{ text: "One." }]);
    const { end } = await send(agent, "first");
    const [newest] = await readHistory(agent, end.thread);
    const id = newest?.checkpoint ?? "";
    await expect(forkThread(agent, end.thread, id.slice(0, -6))).resolves.toMatch(/^[0-9a-f-]{36}$/);
    const list = `Newest checkpoints: ${id}, `;
    for (const wrong of ["zzz", "", `${id}0`]) {
      await expect(forkThread(agent, end.thread, wrong)).rejects.toMatchObject({
        code: "checkpoint-unknown",
        message: expect.stringContaining(list),
      });
    }
    await expect(forkThread(agent, end.thread, id.slice(0, 4))).rejects.toMatchObject({
      code: "checkpoint-ambiguous",
      message: expect.stringContaining(`"${id.slice(0, 4)}" begins `),
    });
    await expect(forkThread(agent, "gone", id)).rejects.toMatchObject({ code: "thread-unknown" });
    expect(await findThread(agent, end.thread)).toBe(end.thread);
  });

  it("a saver of the caller's own serves too, and an agent without one says so", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(
      workspace,
      [{ calls: [write("w1")] }, { text: "Done." }, { text: "Fork." }],
      { checkpointer: new MemorySaver() },
    );
    const { end } = await send(agent, "write");
    await answer(agent, end.thread, { reply: true });
    const fork = await forkThread(agent, end.thread, await findBefore(agent, end.thread, "review"));
    expect((await readThread(agent, fork)).request?.items).toMatchObject([{ id: "w1" }]);
    expect((await answer(agent, fork, { reply: false })).end.answer).toBe("Fork.");
    await expect(forkThread(agent, "gone", "x")).rejects.toMatchObject({ code: "thread-unknown" });
    const bare = await createSkillAgent({ cwd: workspace.folder, model: "offline", checkpointer: false });
    await expect(forkThread(bare, end.thread, "x")).rejects.toMatchObject({ code: "usage" });
  });
});
