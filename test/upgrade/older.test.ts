import { beforeEach, describe, expect, it, vi } from "vitest";
import { readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { complete, readPrompt, tripFiles } from "../support/wizard.ts";
import { createWorkspace } from "../support/workspace.ts";

const program = vi.hoisted(() => ({ version: 1 }));

/** A program of which every version puts wizards elsewhere. */
vi.mock("../../src/graph/upgrade/version.ts", () => ({
  get GRAPH_VERSION() {
    return program.version;
  },
  isOutgrown: (version: number) => version < program.version,
  isNewer: (version: number) => version > program.version,
  assertKnownVersion: () => undefined,
}));

const done = { text: "Done." };
const looked = { places: ["Rome"] };
const WHY = "Another version of skillgraph began it, whose stages may mean something else.";

beforeEach(() => {
  program.version = 1;
});

describe("a wizard under way on a thread of an older version", () => {
  it("at its gate: the answer passes nothing, and a person says where it goes on", async () => {
    const script = [complete("s1", looked), complete("s2", looked)];
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), script);
    const { end } = await send(agent, "/trip");
    program.version = 2;
    const asked = await answer(agent, end.thread, { reply: true, request: end.request?.id ?? "" });
    expect(asked.end.request?.items).toMatchObject([
      { kind: "upgrade", stage: "look", choices: ["restart", "map", "stop"], back: ["look"] },
    ]);
    expect(asked.end.request?.items[0]?.notes?.[0]).toBe(WHY);
    expect(server.requests).toHaveLength(1);
    const next = await answer(agent, end.thread, { reply: "restart" });
    expect(next.end.request?.items[0]).toMatchObject({ kind: "stage", stage: "look" });
    expect((await readThread(agent, end.thread)).version).toBe(2);
    server.assertDone();
  });

  it("between its stages: what was approved stays, and no later stage can be named", async () => {
    const script = [complete("s1", looked), { status: 400 }, done];
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), script);
    const { end } = await send(agent, "/trip");
    expect((await answer(agent, end.thread, { reply: true })).end.status).toBe("failed");
    program.version = 2;
    const asked = await answer(agent, end.thread);
    expect(asked.end.request?.items[0]).toMatchObject({
      kind: "upgrade",
      stage: "plan",
      back: ["look", "plan"],
    });
    expect(server.requests).toHaveLength(2);
    await answer(agent, end.thread, { reply: { choice: "restart" } });
    expect(readPrompt(server.requests[2])).toContain("PLAN: make a route.");
    expect(readPrompt(server.requests[2])).toContain("Rome");
    server.assertDone();
  });

  it("a new message does not slip past", async () => {
    const script = [complete("s1", looked), done];
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), script);
    const { end } = await send(agent, "/trip");
    program.version = 2;
    const asked = await send(agent, "go on", { thread: end.thread });
    expect(asked.end.request?.items[0]?.kind).toBe("upgrade");
    expect(server.requests).toHaveLength(1);
    await answer(agent, end.thread, { reply: { goto: "look" } });
    server.assertDone();
  });

  it("in the middle of a call: it is not run, and the model is told", async () => {
    const write = { calls: [{ id: "w1", name: "Write", arguments: { path: "made", content: "x" } }] };
    const workspace = createWorkspace(tripFiles);
    const { agent, server } = await createScriptedAgent(workspace, [write, done]);
    const { end } = await send(agent, "/trip");
    expect(end.request?.items[0]?.kind).toBe("call");
    program.version = 2;
    const asked = await answer(agent, end.thread, { reply: true });
    expect(asked.end.request?.items[0]?.kind).toBe("upgrade");
    await answer(agent, end.thread, { reply: "restart" });
    expect(workspace.exists("made")).toBe(false);
    server.assertDone();
  });
});

describe("a thread of an older version without a place", () => {
  it("that is finished is taken over silently", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(), [done, done]);
    const { end } = await send(agent, "hi");
    program.version = 2;
    const next = await send(agent, "and now?", { thread: end.thread });
    expect(next.end.status).toBe("finished");
    expect(next.events.some(({ type }) => type === "notice")).toBe(false);
    expect((await readThread(agent, end.thread)).version).toBe(2);
    server.assertDone();
  });

  it("that waits at a call takes the answer", async () => {
    const write = { calls: [{ id: "w1", name: "Write", arguments: { path: "made", content: "x" } }] };
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [write, done]);
    const { end } = await send(agent, "write");
    program.version = 2;
    expect((await answer(agent, end.thread, { reply: true })).end.status).toBe("finished");
    expect(workspace.exists("made")).toBe(true);
    server.assertDone();
  });
});
