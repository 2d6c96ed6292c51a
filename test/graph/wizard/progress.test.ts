import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { interrupt, MemorySaver } from "@langchain/langgraph";
import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import type { Progress, State } from "../../../src/graph/state.ts";
import { findProgress } from "../../../src/graph/wizard/progress.ts";
import {
  listThreads,
  type ReviewReply,
  type RuntimeEvent,
  readThread,
  unloadSkill,
} from "../../../src/index.ts";
import { answer, createScriptedAgent, type RunResult, readState, send } from "../../support/agent.ts";
import type { ChatRequest } from "../../support/openai-server.ts";
import { complete, stageText, tripFiles } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const looked = { places: ["Rome"] };
const planned = { days: 2, route: "by train" };

function listLines(events: RuntimeEvent[]): string[] {
  return events.flatMap((event) => (event.type === "progress" ? [event.line] : []));
}

it("each change is told once, and the state, the thread, the list and the end of the run say the same", async () => {
  const { agent, reopen } = await createScriptedAgent(createWorkspace(tripFiles), [
    complete("s1", looked),
    { calls: [{ id: "b1", name: "Bash", arguments: { command: "touch x" } }] },
    complete("s2", planned),
    complete("s3"),
    { text: "Booked." },
  ]);
  const first = await send(agent, "/trip");
  const { thread } = first.end;
  expect(listLines(first.events)).toEqual(["1/3 look · working", "1/3 look · waiting for you"]);
  const waiting: Progress = {
    skill: "trip",
    stage: "look",
    title: "Look around",
    number: 1,
    total: 3,
    status: "waiting",
    line: "1/3 look · waiting for you",
  };
  expect(first.end.progress).toEqual(waiting);
  expect((await readState(agent, thread)).progress).toEqual(waiting);
  expect((await readThread(agent, thread)).progress).toEqual(waiting);
  expect((await listThreads(agent))[0]?.progress).toEqual(waiting);

  const later = await reopen();
  const second = await answer(later, thread, { reply: true });
  // A call that asks in the middle of a stage waits for a person, too.
  expect(listLines(second.events)).toEqual(["2/3 plan · working", "2/3 plan · waiting for you"]);
  expect(second.end.request?.items[0]?.kind).toBe("call");
  const third = await answer(later, thread, { reply: false });
  expect(listLines(third.events)).toEqual(["2/3 plan · working", "2/3 plan · waiting for you"]);
  const last = await answer(later, thread, { reply: true });
  expect(listLines(last.events)).toEqual(["3/3 apply · working", "3/3 apply · done"]);
  expect(last.end).toMatchObject({ status: "finished", progress: { status: "finished", number: 3 } });
});

it("an answer that does not fit asks again, and changes no progress", async () => {
  const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [complete("s1", looked)]);
  const { end } = await send(agent, "/trip");
  await expect(answer(agent, end.thread, { reply: { days: "?" } })).rejects.toMatchObject({
    code: "answer-invalid",
  });
  expect((await readThread(agent, end.thread)).progress?.status).toBe("waiting");
});

it("a stopped wizard says so, and a turn that ends with words at an open stage leaves it to the person", async () => {
  const script = [complete("s1", looked), { text: "Yes?" }, complete("s2", looked)];
  const { agent } = await createScriptedAgent(createWorkspace(tripFiles), script);
  const { end } = await send(agent, "/trip");
  const written = await send(agent, "wait", { thread: end.thread });
  expect(listLines(written.events)).toEqual(["1/3 look · working", "1/3 look · waiting for you"]);
  expect(written.end.progress?.status).toBe("waiting");
  expect((await listThreads(agent))[0]).toMatchObject({
    status: "finished",
    progress: { status: "waiting" },
  });
  const again = await send(agent, "now", { thread: end.thread });
  expect(again.end.progress?.line).toBe("1/3 look · waiting for you");
  const stopped = await answer(agent, end.thread, { reply: { goto: "__end__" } });
  expect(listLines(stopped.events)).toEqual(["1/3 look · stopped"]);
  expect((await readThread(agent, end.thread)).progress?.status).toBe("stopped");
});

it("a thread without a wizard has none, and a wizard that is unloaded is stopped", async () => {
  const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [
    { text: "Hello." },
    { text: "Where to?" },
  ]);
  const { end, events } = await send(agent, "hello");
  expect(listLines(events)).toEqual([]);
  expect((await readState(agent, end.thread)).progress).toBeNull();
  expect(await readThread(agent, end.thread)).not.toHaveProperty("progress");
  await send(agent, "/trip", { thread: end.thread });
  expect(await unloadSkill(agent, end.thread, "trip")).toBe(true);
  expect((await readState(agent, end.thread)).progress?.line).toBe("1/3 look · stopped");
});

it("a wizard that is finished stays so when it is unloaded", async () => {
  const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [
    complete("s1", looked),
    complete("s2", planned),
    complete("s3"),
    { text: "Booked." },
    { text: "You are welcome." },
  ]);
  const { thread } = (await send(agent, "/trip")).end;
  await answer(agent, thread, { reply: true });
  expect((await answer(agent, thread, { reply: true })).end.progress?.line).toBe("3/3 apply · done");
  expect(await unloadSkill(agent, thread, "trip")).toBe(true);
  await send(agent, "thank you", { thread });
  expect((await readState(agent, thread)).progress?.line ?? "none").not.toContain("stopped");
});

it("of two wizards the one that is worked on is told, and then the other again", async () => {
  const workspace = createWorkspace({
    ...tripFiles,
    "skills/pack/SKILL.md": skillText({ name: "pack", description: "Packs." }, "Pack."),
    "skills/pack/stages/01-bags.md": stageText(["title: Bags"], "BAGS"),
  });
  const { agent } = await createScriptedAgent(workspace, [
    complete("s1", looked),
    complete("p1"),
    complete("s2", looked),
  ]);
  const { end } = await send(agent, "/trip");
  const packing = await send(agent, "/pack", { thread: end.thread });
  expect(listLines(packing.events)).toEqual([
    "1/3 look · working",
    "1/1 bags · working",
    "1/1 bags · waiting for you",
  ]);
  const after = await answer(agent, end.thread, { reply: true });
  expect(listLines(after.events)).toEqual(["1/3 look · working", "1/3 look · waiting for you"]);
});

it("in the mode deny a skill that is refused in the person's place is no question", async () => {
  const given = Object.fromEntries(
    Object.entries(tripFiles).map(([path, text]) => [path.replace("skills/", "given/"), text]),
  );
  const other = skillText({ name: "other", description: "Another one." }, "OTHER");
  const workspace = createWorkspace({ ...given, "skills/other/SKILL.md": other });
  const { agent } = await createScriptedAgent(workspace, [{ text: "Where to?" }], {
    skills: [join(workspace.folder, "given")],
    trust: false,
    permissions: { mode: "deny" },
  });
  const { end } = await send(agent, "/trip");
  const next = await send(agent, "/other", { thread: end.thread });
  expect(next.end.answer).toContain('The skill "other" was not loaded');
  expect(next.end.progress?.line).toBe("1/3 look · waiting for you");
  const before: string[] = [];
  for await (const { next: nodes, values } of agent.getStateHistory({
    configurable: { thread_id: end.thread },
  }))
    if (nodes.includes("review")) before.push((values as State).progress?.status ?? "none");
  expect(before).toEqual(["working"]);
});

it("in the mode deny a call that still waits from before is a question", async () => {
  const { agent, reopen } = await createScriptedAgent(createWorkspace(tripFiles), [
    complete("s1", looked),
    complete("s2", planned),
  ]);
  const { end } = await send(agent, "/trip");
  const strict = await reopen({ permissions: { mode: "deny" } });
  const next = await answer(strict, end.thread, { reply: true });
  expect(listLines(next.events)).toEqual(["2/3 plan · working", "2/3 plan · waiting for you"]);
  expect((await readState(strict, end.thread)).progress?.status).toBe("waiting");
});

it("a question that a caller's own tool asks is told by the run, the thread and the list", async () => {
  const confirm = tool(async () => String(interrupt("Really?")), { name: "confirm", schema: z.object({}) });
  const { agent } = await createScriptedAgent(
    createWorkspace(tripFiles),
    [{ calls: [{ id: "k1", name: "confirm", arguments: {} }] }, { text: "Well." }],
    { tools: [confirm], permissions: { allow: ["confirm"] } },
  );
  const { end, events } = await send(agent, "/trip");
  expect(listLines(events)).toEqual(["1/3 look · working", "1/3 look · waiting for you"]);
  expect(end.progress?.status).toBe("waiting");
  expect((await listThreads(agent))[0]?.progress?.status).toBe("waiting");
  const next = await answer(agent, end.thread, { reply: "yes" });
  expect(listLines(next.events)).toEqual(["1/3 look · waiting for you"]);
});

it("a wizard whose stage the thread does not hold stands where it was seen last", () => {
  const before: Progress = {
    ...{ skill: "trip", stage: "gone", title: "Gone", number: 2, total: 3 },
    ...{ status: "working", line: "2/3 gone · working" },
  };
  const active = [{ name: "trip", wizard: { digest: "d", stage: "gone", status: "working" } }] as never;
  expect(findProgress({ active, texts: {}, progress: before }, true)?.line).toBe(
    "2/3 gone · waiting for you",
  );
  expect(findProgress({ active, texts: {} }, true)).toBeNull();
});

const order = ["look", "plan", "apply"];
const turns = {
  fit: (id: string, request: ChatRequest) => {
    const tool = request.body.tools?.find((each) => each.function.name === "CompleteStage");
    const schema = JSON.stringify(tool ?? "");
    if (!tool) return { text: "Done." };
    return complete(
      id,
      schema.includes('"places"') ? looked : schema.includes('"days"') ? planned : undefined,
    );
  },
  misfit: (id: string) => complete(id, { wrong: true }),
  question: (id: string) => ({ calls: [{ id, name: "AskUser", arguments: { question: "Which?" } }] }),
  call: (id: string) => ({ calls: [{ id, name: "Bash", arguments: { command: "touch x" } }] }),
  words: () => ({ text: "Well." }),
};
type TurnName = keyof typeof turns;
const replies: Record<string, ReviewReply | undefined> = {
  yes: true,
  no: false,
  back: { goto: "look" },
  end: { goto: "__end__" },
  message: undefined,
};

/** What progress is to say, from the wizard and the open question alone. */
function expectProgress({ active }: State, { end }: RunResult): Partial<Progress> {
  const wizard = active.find(({ name }) => name === "trip")?.wizard;
  if (!wizard) return { status: "stopped" };
  const number = order.indexOf(wizard.stage) + 1;
  const isOver = end.request !== undefined || end.status === "finished";
  const status = wizard.status === "finished" ? "finished" : isOver ? "waiting" : "working";
  const words = { finished: "done", waiting: "waiting for you", working: "working" }[status];
  return {
    skill: "trip",
    stage: wizard.stage,
    number,
    total: 3,
    status,
    line: `${number}/3 ${wizard.stage} · ${words}`,
  };
}

it("on random ways through a wizard, progress says what the wizard and the open question say", async () => {
  const step = fc.record({
    turns: fc.array(fc.constantFrom<TurnName>("fit", "misfit", "question", "call", "words"), {
      maxLength: 2,
    }),
    reply: fc.constantFrom("yes", "yes", "yes", "yes", "no", "back", "end", "message"),
  });
  const seen = new Set<string>();
  const saver = new MemorySaver();
  let plan: TurnName[] = [];
  let count = 0;
  const turn = (request: ChatRequest) => {
    count += 1;
    return turns[plan.shift() ?? "fit"](`c${count}`, request);
  };
  const script = Array.from({ length: 600 }, () => turn);
  const { agent } = await createScriptedAgent(createWorkspace(tripFiles), script, { checkpointer: saver });
  const walk = async (steps: { turns: TurnName[]; reply: string }[]) => {
    let result: RunResult | undefined;
    for (const { turns: next, reply } of steps) {
      plan = [...next];
      const before = result;
      const value = replies[reply];
      const thread = before?.end.thread;
      if (!before || thread === undefined) result = await send(agent, "/trip");
      else if (before.end.request === undefined || value === undefined) {
        result = await send(agent, "go on", { thread });
      } else result = await answer(agent, thread, { reply: value }).catch(() => before);
      const state = await readState(agent, result.end.thread);
      expect(state.progress).toMatchObject(expectProgress(state, result));
      expect((await readThread(agent, result.end.thread)).progress).toEqual(state.progress);
      const last = listLines(result.events).at(-1);
      if (last !== undefined) expect(last).toBe(state.progress?.line);
      seen.add(state.progress?.status ?? "none");
      if (state.active.length === 0) return;
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), walk), {
    numRuns: 16,
    seed: 7,
  });
  expect([...seen].sort()).toEqual(["finished", "stopped", "waiting"]);
}, 120_000);
