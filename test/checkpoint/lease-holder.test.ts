import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createLease } from "../../src/checkpoint/lease-holder.ts";

afterEach(() => {
  vi.useRealTimers();
});

const group = (pid: number) => ({ pid, startTime: "never" });

/** A store that answers when it is told to. */
function createSlowStore() {
  const asked: string[] = [];
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const ask = (what: () => string) => {
    asked.push(what());
    return new Promise<void>((resolve, reject) => answers.push({ resolve, reject }));
  };
  const lease = createLease("life", {
    beat: () => ask(() => "beat"),
    groups: (groups) => ask(() => `groups ${groups()}`),
    remove: () => ask(() => "remove"),
  });
  const answer = async (error?: Error) => {
    const next = answers.shift();
    if (error === undefined) next?.resolve();
    else next?.reject(error);
    await turn();
  };
  return { lease, asked, answer };
}

describe("a lease whose store is slow", () => {
  it("makes its notes one after the other, each of what is true by then, and is given back after them", async () => {
    const { lease, asked, answer } = createSlowStore();
    const first = lease.addGroup(group(2));
    void lease.addGroup(group(3));
    lease.removeGroup(group(2));
    const released = lease.release();
    await turn();
    // The first one is written when the second has come and the first is gone again.
    const noted = `groups ${JSON.stringify([group(3)])}`;
    expect(asked).toEqual([noted]);
    await answer();
    await first;
    await answer();
    await answer();
    expect(asked).toEqual([noted, noted, noted, "remove"]);
    await answer();
    await released;
  });

  it("beats again when the last beat was answered, not before", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { lease, asked, answer } = createSlowStore();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked).toEqual(["beat"]);
    await answer();
    expect(asked).toEqual(["beat"]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toEqual(["beat", "beat"]);
    void lease.release();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked).toEqual(["beat", "beat"]);
    await answer();
    expect(asked).toEqual(["beat", "beat", "remove"]);
    await answer();
  });

  it("goes on after a note that could not be made, and tells nobody", async () => {
    const { lease, asked, answer } = createSlowStore();
    const [one, two] = [lease.addGroup(group(2)), lease.addGroup(group(3))];
    await turn();
    await answer(new Error("no"));
    await one;
    expect(asked).toHaveLength(2);
    await answer();
    await two;
  });

  it("is given back once, however often that is asked", async () => {
    const { lease, asked, answer } = createSlowStore();
    const both = Promise.all([lease.release(), lease.release()]);
    await turn();
    await answer();
    await both;
    await lease.release();
    expect(asked).toEqual(["remove"]);
  });

  it("writes nothing for a process group that it does not know", async () => {
    const { lease, asked } = createSlowStore();
    lease.removeGroup(group(2));
    await turn();
    expect(asked).toEqual([]);
    void lease.release();
  });
});
