import { expect, it, vi } from "vitest";
import { tellWhenSlow } from "../../src/checkpoint/slow-wait.ts";
import { watchSlowWaits } from "../../src/cli/slow-waits.ts";

it("a database that is waited for is told once in a while, on one line and without escape sequences", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const told: string[] = [];
    const unwatch = watchSlowWaits((text) => told.push(text));
    const take = async (ms: number, place = "threads.db") => {
      const work = tellWhenSlow(place, () => new Promise<void>((resolve) => setTimeout(resolve, ms)));
      await vi.advanceTimersByTimeAsync(ms);
      await work;
    };
    vi.advanceTimersByTime(60_000);
    await take(1_900);
    expect(told).toEqual([]);
    await take(2_100, "\u001b[31mteam\n@host");
    await take(10_000);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^Waiting for the checkpoints in "[^\n]*team[^\n]*@host" …\n$/);
    expect(told[0]).not.toContain("\u001b");
    await take(30_000);
    await take(2_100);
    expect(told).toHaveLength(2);
    unwatch();
    await take(40_000);
    expect(told).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

it("work that fails is not told afterwards", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const told: string[] = [];
    const unwatch = watchSlowWaits((text) => told.push(text));
    await expect(tellWhenSlow("threads.db", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(told).toEqual([]);
    unwatch();
  } finally {
    vi.useRealTimers();
  }
});
