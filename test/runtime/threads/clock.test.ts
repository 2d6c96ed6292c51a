import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findThread, listThreads, readHistory, readThread } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace } from "../../support/workspace.ts";

const DAY = 86_400_000;
const ask = (id: string) => ({ calls: [{ id, name: "AskUser", arguments: { question: `${id}?` } }] });

/** Moves the clock of this process by so many milliseconds from what it really is. */
function moveClock(byMs: number): void {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + byMs });
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  ["back", -DAY, DAY],
  ["forward and back", DAY, -DAY],
])("with the clock moved by a day, %s", (_name, first, second) => {
  it("answers keep their order, and the newest state is the one that was written last", async () => {
    const { agent, server, reopen } = await createScriptedAgent(createWorkspace(), [
      ask("q1"),
      ask("q2"),
      { text: "Done." },
    ]);
    const { end } = await send(agent, "ask");
    const { thread } = end;
    moveClock(first);
    const again = await answer(await reopen(), thread, { reply: "one", request: end.request?.id ?? "" });
    expect(again.end.request?.items).toMatchObject([{ id: "q2" }]);
    moveClock(second);
    const later = await reopen();
    await answer(later, thread, { reply: "two", request: again.end.request?.id ?? "" });
    moveClock(0);
    const facts = await readThread(later, thread);
    expect(facts.messages.map(({ text }) => text)).toEqual(["ask", "", "one", "", "two", "Done."]);
    expect(facts.decisions.filter(({ by }) => by === "person").map(({ id }) => id)).toEqual(["q1", "q2"]);
    const history = await readHistory(later, thread);
    expect(history[0]?.checkpoint).toBe(facts.checkpoint);
    expect(new Set(history.map(({ checkpoint }) => checkpoint)).size).toBe(history.length);
    await expect(answer(later, thread, { reply: "three", request: end.request?.id ?? "" })).rejects.toThrow(
      /was answered already: respond by /,
    );
    server.assertDone();
  });

  it("the newest thread is the one that was written last, and a lease is neither lost nor left", async () => {
    const slow = { id: "b1", name: "Bash", arguments: { command: "sleep 0.5" } };
    const { agent, reopen } = await createScriptedAgent(
      createWorkspace(),
      [ask("q1"), ask("q2"), { calls: [slow] }, ask("q3")],
      { permissions: { allow: ["Bash(sleep:*)"] } },
    );
    const one = (await send(agent, "first")).end.thread;
    moveClock(first);
    const two = (await send(agent, "second")).end.thread;
    expect((await listThreads(agent)).map(({ thread }) => thread)).toEqual([two, one]);
    expect(await findThread(agent)).toBe(two);
    const other = await reopen();
    const running = answer(agent, one, { reply: "go" });
    await wait(200);
    moveClock(second);
    await expect(answer(other, one, { reply: "go" })).rejects.toMatchObject({ code: "thread-busy" });
    await running;
    expect(await findThread(other)).toBe(one);
    expect(
      (await listThreads(other)).every(
        ({ status, running: isRunning }) => status === "waiting" && !isRunning,
      ),
    ).toBe(true);
  });
});
