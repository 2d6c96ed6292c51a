import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { openCheckpointer } from "../../../src/checkpoint/index.ts";
import { startCutNetwork } from "../../support/cut-network.ts";
import { describePostgres, getServer, makePostgresPlace } from "../stores.ts";
import { onThread } from "../test-graph.ts";

const metadata = { source: "loop", step: 0, parents: {} } as const;

afterEach(() => {
  vi.useRealTimers();
});

describePostgres("a network that is cut without a word", () => {
  async function openBehindNetwork(busyTimeoutMs: number) {
    const place = await makePostgresPlace();
    const network = await startCutNetwork((await getServer()).port);
    onTestFinished(() => network.close());
    const url = new URL(place);
    url.port = String(network.port);
    // The tables are made by one with more patience.
    const direct = await openCheckpointer(place);
    const store = await openCheckpointer(url.href, { busyTimeoutMs });
    onTestFinished(async () => {
      await store.close();
      await direct.close();
    });
    const schema = url.searchParams.get("schema");
    const readHolders = async () => (await getServer()).query(`SELECT FROM "${schema}".skillgraph_lease`);
    return { ...store, network, direct, readHolders };
  }

  it("makes reading, writing and giving back fail by name, and nothing is held once it is mended", async () => {
    const { saver, threads, leases, network, direct } = await openBehindNetwork(1_500);
    await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    const lease = await leases.acquire("t");
    network.cut();
    const settled = await Promise.allSettled([
      saver.getTuple(onThread("t")),
      saver.put(onThread("u"), emptyCheckpoint(), metadata, {}),
      lease.release(),
    ]);
    const message = `Checkpoints in "postgres://127.0.0.1:${network.port}/postgres": the connection was lost`;
    for (const { status, reason } of settled as PromiseRejectedResult[]) {
      expect(status).toBe("rejected");
      expect(reason).toMatchObject({
        code: "checkpoint-unavailable",
        message: expect.stringContaining(message),
      });
    }
    expect(await direct.leases.isHeld("t")).toBe(false);
    network.mend();
    await saver.put(onThread("v"), emptyCheckpoint(), metadata, {});
    expect((await threads.listThreads()).map(({ threadId }) => threadId)).toEqual(["v", "t"]);
    await (await leases.acquire("t")).release();
  });

  it("is waited for once: what follows fails after one short try, and works again when it is mended", async () => {
    const { saver, threads, leases, network } = await openBehindNetwork(4_000);
    await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    network.cut();
    const lost = {
      code: "checkpoint-unavailable",
      message: expect.stringContaining("the connection was lost"),
    };
    const time = async (work: Promise<unknown>) => {
      const started = performance.now();
      await expect(work).rejects.toMatchObject(lost);
      return performance.now() - started;
    };
    expect(await time(saver.getTuple(onThread("t")))).toBeGreaterThan(3_900);
    expect(await time(leases.acquire("t"))).toBeLessThan(3_500);
    network.mend();
    expect((await threads.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  });

  it("while a thread is taken leaves it free for this process, though the server kept it", async () => {
    const { leases, network, direct, readHolders } = await openBehindNetwork(1_500);
    const cut = network.cutAt("COMMIT\0", { arrives: true });
    await expect(leases.acquire("t")).rejects.toThrow("it is not known what was kept");
    await cut;
    await expect.poll(() => direct.leases.isHeld("t"), { timeout: 4_000 }).toBe(false);
    expect(await readHolders()).toHaveLength(1);
  });

  it("and mended soon costs 10 s at most: a new connection is made", async () => {
    const { saver, threads, network } = await openBehindNetwork(30_000);
    await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    network.cut();
    network.mend();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let isDone = false;
    const listed = threads.listThreads().finally(() => {
      isDone = true;
    });
    await vi.advanceTimersByTimeAsync(9_900);
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await listed).toHaveLength(1);
  });
});
