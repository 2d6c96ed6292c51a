import { statSync } from "node:fs";
import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { DeltaSnapshot, emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openTestSaver } from "../support.ts";
import { onThread } from "../test-graph.ts";

const metadata = { source: "loop", step: 0, parents: {} } as const;

function makeCheckpoint(values: Record<string, unknown>, versions: Record<string, number>, step = 0) {
  return { ...emptyCheckpoint(), id: uuid6(step), channel_values: values, channel_versions: versions };
}

describe("size", () => {
  it("E1: a channel of 100 KB that does not change is stored once, and a step adds less than 3 KB", async () => {
    const { saver, database } = await openTestSaver();
    const state = new StateSchema({ skill: z.string().default(""), count: z.number().default(0) });
    const graph = new StateGraph(state)
      .addNode("load", () => ({ skill: "x".repeat(100_000) }))
      .addNode("step", ({ count }) => ({ count: count + 1 }))
      .addEdge(START, "load")
      .addEdge("load", "step")
      .addConditionalEdges("step", ({ count }) => (count < 50 ? "step" : END), ["step", END])
      .compile({ checkpointer: saver });
    await graph.invoke({ count: 0 }, { ...onThread("t"), recursionLimit: 100 });
    const held = database.get<{ count: number }>(
      "SELECT count(*) AS count FROM blob WHERE length(value) > 50000",
    );
    expect(held?.count).toBe(1);
    expect((await graph.getState(onThread("t"))).values.skill).toHaveLength(100_000);
    const bytes = database.get<{ sum: number }>("SELECT sum(pgsize) AS sum FROM dbstat")?.sum ?? 0;
    expect(bytes - 100_000).toBeLessThan(50 * 3_000);
  });

  it("E1: 200 threads with the same skill grow evenly and give their room back when deleted", async () => {
    const { saver, database, file } = await openTestSaver();
    const sizes: number[] = [];
    for (let thread = 0; thread < 200; thread += 1) {
      const checkpoint = makeCheckpoint({ skill: `${"x".repeat(10_000)}` }, { skill: 1 });
      await saver.put(onThread(`t${thread}`), checkpoint, metadata, { skill: 1 });
      if (thread % 50 === 49) {
        database.get("PRAGMA wal_checkpoint(TRUNCATE)");
        sizes.push(statSync(file).size);
      }
    }
    expect(sizes[3]! - sizes[2]!).toBeLessThan(1.2 * (sizes[1]! - sizes[0]!));
    for (let thread = 0; thread < 200; thread += 1) await saver.deleteThread(`t${thread}`);
    database.get("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(statSync(file).size).toBeLessThan(100_000);
  });

  it("equal values of different checkpoints and writes share one copy", async () => {
    const { saver, database } = await openTestSaver();
    const text = "y".repeat(20_000);
    const first = await saver.put(onThread("t"), makeCheckpoint({ a: text }, { a: 1 }), metadata, { a: 1 });
    await saver.putWrites(first, [["a", text]], "task");
    await saver.put(first, makeCheckpoint({ a: text }, { a: 2 }, 1), metadata, { a: 2 });
    expect(
      database.get<{ count: number }>("SELECT count(*) AS count FROM blob WHERE length(value) > 9000")?.count,
    ).toBe(1);
  });
});

describe("delta channels", () => {
  it("a value that was last written 3,000 steps ago is found within half a second", async () => {
    const { saver, database } = await openTestSaver();
    const seed = new DeltaSnapshot(["old"]);
    let config = await saver.put(onThread("t"), makeCheckpoint({ texts: seed }, { texts: 1 }), metadata, {
      texts: 1,
    });
    await saver.putWrites(config, [["texts", ["new"]]], "task");
    database.exec("PRAGMA synchronous = OFF");
    for (let step = 1; step <= 3_000; step += 1) {
      config = await saver.put(config, makeCheckpoint({ count: step }, { count: step }, step), metadata, {
        count: step,
      });
      await saver.putWrites(config, [["count", step]], "task");
    }
    const started = performance.now();
    const history = await saver.getDeltaChannelHistory({ config, channels: ["texts", "never"] });
    expect(performance.now() - started).toBeLessThan(500);
    expect(history.texts).toEqual({ seed, writes: [["task", "texts", ["new"]]] });
    expect(history.never).toEqual({ writes: [] });
  });
});
