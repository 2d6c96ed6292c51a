import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildChild } from "./children.ts";
import { describeStores } from "./stores.ts";
import { makeFolder } from "./support.ts";
import { createTestGraph, onThread, readTexts, say } from "./test-graph.ts";

let start: Awaited<ReturnType<typeof buildChild>>;

beforeAll(async () => {
  start = await buildChild();
});

describeStores(({ open }) => {
  describe("several processes on one place", () => {
    it("E3: of two that run one thread, the late one ends in thread-conflict and nothing of the other is lost", async () => {
      const { saver, place } = await open();
      const graph = createTestGraph(saver, (last) => `to ${last}`);
      await graph.invoke(say("zero"), onThread("t"));
      const children = [start("turn", place, "t", "a", 300), start("turn", place, "t", "b", 300)];
      const ends: (string | undefined)[] = [];
      for (const child of children) {
        await child.readLine();
        ends.push(await child.readLine());
      }
      const texts = await readTexts(graph, "t");
      const won = ends.indexOf("done");
      // They may have come one after the other; then nobody was late.
      if (ends.every((line) => line === "done")) expect(texts).toHaveLength(6);
      else {
        expect(ends[1 - won]).toMatch(/^failed thread-conflict Thread "t" went on without this run/);
        expect(texts.slice(0, 2)).toEqual(["zero", "to zero"]);
        // The winner may have begun after the other's message was stored; it went on from there and had read it.
        expect(texts.slice(-2)).toEqual(["ab"[won], `to ${"ab"[won]}`]);
        expect(texts).not.toContain(`to ${"ba"[won]}`);
      }
    });

    it("E3: a process that slept while this one went on is refused", async () => {
      const { saver, place } = await open();
      const graph = createTestGraph(saver, (last) => `to ${last}`);
      await graph.invoke(say("zero"), onThread("t"));
      const child = start("turn", place, "t", "late", 1_000);
      await child.readLine();
      await expect
        .poll(async () => (await graph.getState(onThread("t"))).next, { timeout: 5_000 })
        .toEqual(["second"]);
      await graph.invoke(say("quick"), onThread("t"));
      expect(await child.readLine()).toMatch(/^failed thread-conflict/);
      const texts = await readTexts(graph, "t");
      expect(texts.slice(-2)).toEqual(["quick", "to quick"]);
      expect(texts).not.toContain("to late");
    });

    it("E2: waits for a process that holds the place, without stopping, and loses no step", async () => {
      const { saver, place } = await open();
      const graph = createTestGraph(saver, (last) => `to ${last}`);
      await graph.invoke(say("a"), onThread("t"));
      const child = start("lock", place, 1_500);
      await child.readLine();
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
      }, 20);
      const started = performance.now();
      await graph.invoke(say("b"), onThread("t"));
      clearInterval(timer);
      expect(performance.now() - started).toBeGreaterThan(800);
      expect(ticks).toBeGreaterThan(20);
      expect(await readTexts(graph, "t")).toEqual(["a", "to a", "b", "to b"]);
    });

    it("E2: three that write threads of their own at once lose nothing", async () => {
      const { saver, place } = await open();
      const children = ["x", "y", "z"].map((thread) => start("turns", place, thread, 10));
      for (const child of children) {
        let line = await child.readLine();
        while (line?.startsWith("turn ")) line = await child.readLine();
        expect(line).toBe("done");
      }
      const graph = createTestGraph(saver);
      for (const thread of ["x", "y", "z"]) expect(await readTexts(graph, thread)).toHaveLength(20);
    });

    it("loses no finished turn when it is killed in the middle of the next", async () => {
      const { saver, place } = await open();
      const child = start("turns", place, "t", 10_000);
      let line = await child.readLine();
      while (line !== undefined && line !== "turn 5") line = await child.readLine();
      await child.kill();
      const graph = createTestGraph(saver, (last) => `to ${last}`);
      const expected = Array.from({ length: 6 }, (_, turn) => [`q${turn}`, `to q${turn}`]).flat();
      expect((await readTexts(graph, "t")).slice(0, 12)).toEqual(expected);
      if ((await graph.getState(onThread("t"))).next.length > 0) await graph.invoke(null, onThread("t"));
      await graph.invoke(say("after"), onThread("t"));
      expect((await readTexts(graph, "t")).slice(-2)).toEqual(["after", "to after"]);
    });

    it("E7: an effect that was finished when the process was killed is not repeated", async () => {
      const folder = makeFolder();
      const [{ place }, log] = [await open(), join(folder, "log")];
      const killed = start("parallel", place, "t", log);
      expect(await killed.readLine()).toBe("asking");
      await killed.kill();
      const resumed = start("parallel", place, "t", log, "yes");
      expect(JSON.parse((await resumed.readLine()) ?? "")).toMatchObject({ effect: "acted", answer: "yes" });
      expect(readFileSync(log, "utf8")).toBe("acted\n");
    });
  });
});
