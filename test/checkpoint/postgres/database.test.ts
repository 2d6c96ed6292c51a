import { setTimeout as delay } from "node:timers/promises";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, vi } from "vitest";
import { parseCheckpointUrl } from "../../../src/checkpoint/checkpoint-url.ts";
import { openCheckpointer } from "../../../src/checkpoint/index.ts";
import { connectDatabase } from "../../../src/checkpoint/postgres/database.ts";
import { describePostgres, getServer, makePostgresPlace } from "../stores.ts";
import { createTestGraph, onThread, readTexts, say } from "../test-graph.ts";

const metadata = { source: "loop", step: 0, parents: {} } as const;

function unavailable(reason: RegExp) {
  const message = expect.stringMatching(
    new RegExp(`^Checkpoints in "postgres://[^"@]+": [^\\n]*${reason.source}`),
  );
  return { code: "checkpoint-unavailable", message };
}

async function openTest(url?: string, busyTimeoutMs = 20_000) {
  const place = url ?? (await makePostgresPlace());
  return { ...(await openCheckpointer(place, { busyTimeoutMs })), place };
}

function schemaOf(place: string): string {
  return new URL(place).searchParams.get("schema") ?? "";
}

describePostgres("a PostgreSQL database", () => {
  it("may be opened by eight at once when it is empty, and one of them made it", async () => {
    const place = await makePostgresPlace();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openTest(place)));
    expect(stores.filter((store) => store.isNew)).toHaveLength(1);
    await stores[0]?.saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    expect(await stores[7]?.threads.hasThread("t")).toBe(true);
    for (const store of stores) await store.close();
  });

  it("keeps the threads of two schemas apart", async () => {
    const [one, two] = [await openTest(), await openTest()];
    await one.saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    expect(await two.threads.hasThread("t")).toBe(false);
    await one.close();
    await two.close();
  });

  it("that a newer version wrote is refused and keeps its data", async () => {
    const one = await openTest();
    await one.saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    const server = await getServer();
    const table = `"${schemaOf(one.place)}".skillgraph_store`;
    await server.query(`UPDATE ${table} SET format = 99`);
    await expect(openTest(one.place)).rejects.toMatchObject(unavailable(/newer skillgraph \(format 99/));
    expect(await one.threads.hasThread("t")).toBe(true);
    await one.close();
  });

  it("that cannot be used is named with the reason, without the password", async () => {
    const place = await makePostgresPlace();
    const change = (edit: (url: URL) => void, busyTimeoutMs = 20_000) => {
      const url = new URL(place);
      edit(url);
      return openTest(url.href, busyTimeoutMs);
    };
    const wrong = change((url) => {
      url.password = "s3cret";
    });
    await expect(wrong).rejects.toMatchObject(unavailable(/the user or the password is refused/));
    await expect(wrong).rejects.not.toThrow(/s3cret/);
    const none = change((url) => {
      url.password = "";
    });
    await expect(none).rejects.toMatchObject(unavailable(/it wants a password: set PGPASSWORD/));
    const missing = change((url) => {
      url.pathname = "/nowhere";
    });
    await expect(missing).rejects.toMatchObject(unavailable(/there is no such database/));
    const closed = change((url) => {
      url.port = "1";
    }, 200);
    await expect(closed).rejects.toMatchObject(unavailable(/the server cannot be reached .*waited 0\.2 s/));
    const tls = change((url) => {
      url.searchParams.set("sslmode", "require");
    });
    await expect(tls).rejects.toMatchObject(unavailable(/does not support SSL/));
  });

  it("that may not be written is named, and can be read", async () => {
    const { saver, threads, place, close } = await openTest();
    await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    const server = await getServer();
    const schema = schemaOf(place);
    await server.query(`CREATE ROLE "reader_${schema}" LOGIN PASSWORD 'x'`);
    await server.query(`GRANT USAGE ON SCHEMA "${schema}" TO "reader_${schema}"`);
    await server.query(`GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO "reader_${schema}"`);
    const url = new URL(place);
    Object.assign(url, { username: `reader_${schema}`, password: "x" });
    const reader = await openTest(url.href);
    expect(await reader.threads.hasThread("t")).toBe(true);
    const put = reader.saver.put(onThread("u"), emptyCheckpoint(), metadata, {});
    await expect(put).rejects.toMatchObject(unavailable(/may not do that/));
    expect(await threads.hasThread("u")).toBe(false);
    await reader.close();
    await close();
  });

  it("fails by name after it was closed, and may be closed twice", async () => {
    const { saver, close } = await openTest();
    await close();
    await close();
    await expect(saver.getTuple(onThread("t"))).rejects.toMatchObject(unavailable(/closed/));
  });

  it("E2: that another program locks fails by name when the wait is over, and nothing is half-written", async () => {
    const one = await openTest();
    const two = await openTest(one.place, 300);
    await one.saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    const server = await getServer();
    const lock = `LOCK TABLE "${schemaOf(one.place)}".skillgraph_checkpoint IN EXCLUSIVE MODE`;
    const holding = server.query(`BEGIN; ${lock}; SELECT pg_sleep(1.5); COMMIT`);
    await vi.waitFor(async () => {
      const locks = await server.query(
        "SELECT 1 FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation IS NOT NULL",
      );
      expect(locks).not.toEqual([]);
    });
    const put = two.saver.put(onThread("u"), emptyCheckpoint(), metadata, {});
    await expect(put).rejects.toMatchObject(unavailable(/locked by another process/));
    expect(await two.threads.hasThread("t")).toBe(true);
    await holding;
    await two.saver.put(onThread("u"), { ...emptyCheckpoint(), id: uuid6(1) }, metadata, {});
    expect((await two.threads.listThreads()).map((entry) => entry.threadId)).toEqual(["u", "t"]);
    await one.close();
    await two.close();
  });

  it("a value that is no JSON is named with its thread and channel, and the thread can be deleted", async () => {
    const { saver, threads, place, close } = await openTest();
    const checkpoint = { ...emptyCheckpoint(), channel_values: { a: 2 }, channel_versions: { a: 2 } };
    await saver.put(onThread("t"), checkpoint, metadata, { a: 2 });
    const schema = schemaOf(place);
    const server = await getServer();
    await server.query(`UPDATE "${schema}".checkpoint_blobs SET blob = '{'`);
    await expect(saver.getTuple(onThread("t"))).rejects.toMatchObject({
      code: "thread-unreadable",
      message: expect.stringMatching(
        /^Checkpoint .* of thread "t" cannot be read: the value of "a" is broken/,
      ),
    });
    expect(await threads.listThreads()).toHaveLength(1);
    await threads.deleteThread("t");
    for (const table of ["checkpoints", "checkpoint_blobs", "skillgraph_line", "skillgraph_checkpoint"]) {
      expect(await server.query(`SELECT * FROM "${schema}".${table}`)).toEqual([]);
    }
    await close();
  });

  it("what metadata and names hold that PostgreSQL refuses becomes visible", async () => {
    const { saver, threads, close } = await openTest();
    const odd = { ...metadata, note: "a\0b \ud800 😀" };
    await saver.put(onThread("t"), emptyCheckpoint(), odd, {});
    expect((await saver.getTuple(onThread("t")))?.metadata).toEqual({ ...metadata, note: "a␀b � 😀" });
    await threads.setThreadInfo("t", { name: "a\0b" });
    expect(await threads.getThreadInfo("t")).toEqual({ name: "a␀b" });
    await close();
  });
});

describe("a server that does not come", () => {
  it("is waited for until the caller gives up, and not at all when that was before", async () => {
    const place = parseCheckpointUrl("postgres://anna@127.0.0.1:1/work");
    if (place.kind !== "postgres") throw new Error(place.kind);
    const database = await connectDatabase(place, { busyTimeoutMs: 20_000 });
    let calls = 0;
    const work = async () => {
      calls += 1;
    };
    const started = performance.now();
    const timeout = { signal: AbortSignal.timeout(1_000) };
    await expect(database.write(work, timeout)).rejects.toMatchObject({ name: "AbortError" });
    expect(performance.now() - started).toBeLessThan(1_400);
    const before = { signal: AbortSignal.abort(new RangeError("enough")) };
    await expect(database.read(work, before)).rejects.toThrow("enough");
    expect(calls).toBe(0);
    await database.close();
  });
});

describePostgres("a server that goes away", () => {
  const cut = async () =>
    (await getServer()).query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'skillgraph'",
    );

  it("is waited for in the middle of a run, and no step is lost or doubled", async () => {
    const { saver, close } = await openTest();
    const server = await getServer();
    let steps = 0;
    const graph = createTestGraph(saver, async (last) => {
      steps += 1;
      if (last === "b") {
        await server.stop();
        setTimeout(() => void server.start(), 500);
      }
      return `to ${last}`;
    });
    await graph.invoke(say("a"), onThread("t"));
    await graph.invoke(say("b"), onThread("t"));
    await graph.invoke(say("c"), onThread("t"));
    expect(await readTexts(graph, "t")).toEqual(["a", "to a", "b", "to b", "c", "to c"]);
    expect(steps).toBe(3);
    await close();
  });

  it("and cuts connections again and again makes nothing happen twice", async () => {
    const { saver, close } = await openTest();
    const graph = createTestGraph(saver, (last) => `to ${last}`);
    let isOver = false;
    const cutting = (async () => {
      for (; !isOver; await delay(150)) await cut();
    })();
    for (let turn = 0; turn < 6; turn += 1) await graph.invoke(say(`q${turn}`), onThread("t"));
    isOver = true;
    await cutting;
    const expected = Array.from({ length: 6 }, (_, turn) => [`q${turn}`, `to q${turn}`]).flat();
    expect(await readTexts(graph, "t")).toEqual(expected);
    await close();
  });

  it("for longer than the wait fails by name, and the thread goes on afterwards", async () => {
    const { saver, place, close } = await openTest(undefined, 300);
    const graph = createTestGraph(saver, (last) => `to ${last}`);
    await graph.invoke(say("a"), onThread("t"));
    const server = await getServer();
    await server.stop();
    await expect(graph.invoke(say("b"), onThread("t"))).rejects.toMatchObject(
      unavailable(/the server cannot be reached .*waited 0\.3 s/),
    );
    await server.start();
    await close();
    const later = await openTest(place);
    const again = createTestGraph(later.saver, (last) => `to ${last}`);
    await again.invoke(say("c"), onThread("t"));
    expect(await readTexts(again, "t")).toEqual(["a", "to a", "c", "to c"]);
    await later.close();
  });
});
