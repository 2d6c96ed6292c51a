import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCheckpointer } from "../../src/checkpoint/index.ts";
import { makeFolder } from "./support.ts";
import { createTestGraph, onThread, readTexts, say } from "./test-graph.ts";

describe("openCheckpointer", () => {
  it("keeps threads in a file", async () => {
    const file = join(makeFolder(), ".skillgraph", "threads.db");
    const one = await openCheckpointer(`sqlite:${file}`);
    await createTestGraph(one.saver).invoke(say("a"), onThread("t"));
    await one.threads.setThreadInfo("t", { name: "n" });
    one.close();
    const two = await openCheckpointer(file);
    expect(await readTexts(createTestGraph(two.saver), "t")).toEqual(["a", "done"]);
    expect((await two.threads.listThreads()).map((entry) => entry.threadId)).toEqual(["t"]);
    expect(await two.threads.getThreadInfo("t")).toEqual({ name: "n" });
    two.close();
  });

  it("keeps threads in memory, each opening for itself", async () => {
    const one = await openCheckpointer("memory:");
    const two = await openCheckpointer("memory:");
    await createTestGraph(one.saver).invoke(say("a"), onThread("t"));
    expect(await one.threads.hasThread("t")).toBe(true);
    expect(await two.threads.hasThread("t")).toBe(false);
    await (await one.leases.acquire("t")).release();
    expect(existsSync(":memory:")).toBe(false);
    one.close();
    two.close();
  });

  it("takes the time to wait for a locked file", async () => {
    const file = join(makeFolder(), "threads.db");
    const one = await openCheckpointer(file);
    const two = await openCheckpointer(file, { busyTimeoutMs: 50 });
    const { openDatabase } = await import("../../src/checkpoint/sqlite/database.ts");
    const holder = await openDatabase(file);
    holder.exec("BEGIN IMMEDIATE");
    await expect(two.threads.setThreadInfo("t", { name: "n" })).rejects.toThrow(
      /locked by another process \(waited 0.05 s\)/,
    );
    holder.exec("ROLLBACK");
    for (const one_ of [one, two, holder]) one_.close();
  });

  it("refuses other places", async () => {
    await expect(openCheckpointer("redis://u:p@h/d")).rejects.toMatchObject({
      code: "checkpoint-url-invalid",
    });
  });
});
