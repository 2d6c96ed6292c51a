import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { openTestSaver } from "../support.ts";
import { onThread } from "../test-graph.ts";

const metadata = { source: "loop", step: 0, parents: {} } as const;

function makeCheckpoint(values: Record<string, unknown>, versions: Record<string, number>, step = 0) {
  return { ...emptyCheckpoint(), id: uuid6(step), channel_values: values, channel_versions: versions };
}

describe("values", () => {
  it.each([
    ["an unknown class", { lc: 1, type: "constructor", id: ["foo", "Bar"], kwargs: {} }],
    ["a class that refuses its data", { lc: 2, type: "constructor", id: ["Map"], args: [7] }],
  ])(
    "E5: a thread broken by data shaped like %s says so by name and can be listed and deleted",
    async (_name, data) => {
      const { saver, database } = await openTestSaver();
      const good = await saver.put(onThread("t"), makeCheckpoint({ a: 1 }, { a: 1 }), metadata, { a: 1 });
      await saver.put(good, makeCheckpoint({ a: 2 }, { a: 2 }, 1), metadata, { a: 2 });
      database.run("UPDATE blob SET value = ? WHERE value = '2'", JSON.stringify(data));
      const read = saver.getTuple(onThread("t"));
      const error = await read.then(
        () => undefined,
        (reason) => reason,
      );
      if (error !== undefined) {
        expect(error).toMatchObject({
          code: "thread-unreadable",
          message: expect.stringContaining('"t"'),
        });
      }
      expect((await saver.getTuple(good))?.checkpoint.channel_values).toEqual({ a: 1 });
      await saver.deleteThread("t");
      expect(await saver.getTuple(onThread("t"))).toBeUndefined();
    },
  );

  it("a value that is no JSON is named with its thread and channel", async () => {
    const { saver, database } = await openTestSaver();
    await saver.put(onThread("t"), makeCheckpoint({ a: 2 }, { a: 2 }), metadata, { a: 2 });
    database.run("UPDATE blob SET value = '{' WHERE type = 'json'");
    await expect(saver.getTuple(onThread("t"))).rejects.toMatchObject({
      code: "thread-unreadable",
      message: expect.stringMatching(
        /^Checkpoint .* of thread "t" cannot be read: the value of "a" is broken/,
      ),
    });
    await saver.deleteThread("t");
    expect(database.all("SELECT * FROM blob")).toEqual([]);
  });
});
