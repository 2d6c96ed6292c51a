import { createServer, type Server, connect as toSocket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, expect, it, onTestFinished, vi } from "vitest";
import { parseCheckpointUrl } from "../../../src/checkpoint/checkpoint-url.ts";
import { openCheckpointer } from "../../../src/checkpoint/index.ts";
import { connectDatabase } from "../../../src/checkpoint/postgres/database.ts";
import { startCutNetwork } from "../../support/cut-network.ts";
import { describePostgres, getServer, makePostgresPlace } from "../stores.ts";
import { createTestGraph, onThread, readTexts, say } from "../test-graph.ts";

/** As it goes by; `READ COMMITTED` is something else. */
const COMMIT = "COMMIT\0";

const proxies: Server[] = [];

afterAll(() => {
  for (const proxy of proxies) proxy.close();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Stands before the server; every third COMMIT reaches it, or does not, and the connection is cut without a reply. */
async function startProxy(place: string, isPassedOn: boolean) {
  const target = Number(new URL(place).port);
  let commits = 0;
  let cuts = 0;
  const proxy = createServer((client) => {
    const server = toSocket(target, "127.0.0.1");
    let isCut = false;
    for (const socket of [client, server]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.destroy();
        server.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (bytes.includes(COMMIT)) commits += 1;
      isCut ||= bytes.includes(COMMIT) && commits % 3 === 0;
      if (!isCut || isPassedOn) server.write(bytes);
      if (isCut && !isPassedOn) client.destroy();
    });
    server.on("data", (bytes) => {
      if (isCut) client.destroy();
      else client.write(bytes);
    });
    client.on("close", () => {
      if (isCut) cuts += 1;
    });
  });
  proxies.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(place);
  url.port = String((proxy.address() as { port: number }).port);
  return { url: url.href, countCuts: () => cuts };
}

describePostgres("a connection that is cut at COMMIT", () => {
  it.each([
    ["after the server kept the change", true],
    ["before the server got it", false],
  ])("%s: each step is kept once", async (_name, isPassedOn) => {
    const { url, countCuts } = await startProxy(await makePostgresPlace(), isPassedOn);
    const { saver, close } = await openCheckpointer(url);
    const graph = createTestGraph(saver, (last) => `to ${last}`);
    for (const text of ["a", "b", "c"]) await graph.invoke(say(text), onThread("t"));
    expect(await readTexts(graph, "t")).toEqual(["a", "to a", "b", "to b", "c", "to c"]);
    expect(countCuts()).toBeGreaterThan(3);
    const steps = [];
    for await (const { metadata } of graph.getStateHistory(onThread("t"))) steps.push(metadata?.step);
    expect(new Set(steps).size).toBe(steps.length);
    await close();
  });
});

describePostgres("a network that is cut without a word at COMMIT", () => {
  /** A database with a table `done` behind a network, where time is passed by hand. */
  async function openBehindNetwork() {
    const [server, schema] = [
      await getServer(),
      new URL(await makePostgresPlace()).searchParams.get("schema"),
    ];
    await server.query(`CREATE SCHEMA "${schema}"`);
    await server.query(`CREATE TABLE "${schema}".done (key serial)`);
    const network = await startCutNetwork(server.port);
    const url = new URL(server.toUrl(schema ?? ""));
    url.port = String(network.port);
    const place = parseCheckpointUrl(url.href);
    if (place.kind !== "postgres") throw new Error(url.href);
    const database = await connectDatabase(place, { busyTimeoutMs: 6_000 });
    onTestFinished(async () => {
      await database.close();
      await network.close();
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const countRows = async () => (await server.query(`SELECT FROM "${schema}".done`)).length;
    return { network, database, server, countRows };
  }

  /** Adds a row, whose COMMIT is the last that goes by; resolves when the network is cut. */
  async function addBehindNetwork({ arrives }: { arrives: boolean }) {
    const { network, database, server, countRows } = await openBehindNetwork();
    const cut = network.cutAt(COMMIT, { arrives });
    let calls = 0;
    const added = database.write((session) => {
      calls += 1;
      return session.run("INSERT INTO done DEFAULT VALUES");
    });
    await cut;
    return { added, network, database, server, countRows, countCalls: () => calls };
  }

  /** Lets time pass eight times as fast until the work has settled; returns how many milliseconds it took. */
  async function passTime(work: Promise<unknown>): Promise<number> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    const started = performance.now();
    while (!isSettled) {
      await vi.advanceTimersByTimeAsync(80);
      // What the server answers comes in real time.
      await delay(10);
    }
    return performance.now() - started;
  }

  it("makes the change fail after the wait and two short tries, and it is not known what was kept", async () => {
    const { added, network, database, countCalls, countRows } = await addBehindNetwork({ arrives: true });
    const took = await passTime(added);
    const name = `postgres://127.0.0.1:${network.port}/postgres`;
    await expect(added).rejects.toMatchObject({
      code: "checkpoint-unavailable",
      message: expect.stringContaining(
        `Checkpoints in "${name}": the connection was lost, and it is not known what was kept`,
      ),
    });
    expect(took).toBeGreaterThanOrEqual(10_000);
    expect(took).toBeLessThan(10_500);
    network.mend();
    expect(await database.read((session) => session.all("SELECT FROM done"))).toHaveLength(1);
    expect([countCalls(), await countRows()]).toEqual([1, 1]);
  });

  it("and mended within the wait: what the server kept is found, and done once", async () => {
    const { added, network, countCalls, countRows } = await addBehindNetwork({ arrives: true });
    network.mend();
    await passTime(added);
    expect(await added).toBe(1);
    expect([countCalls(), await countRows()]).toEqual([1, 1]);
  });

  it("and mended just after the wait, too", async () => {
    const { added, network, countCalls, countRows } = await addBehindNetwork({ arrives: true });
    await vi.advanceTimersByTimeAsync(7_900);
    network.mend();
    await passTime(added);
    expect(await added).toBe(1);
    expect([countCalls(), await countRows()]).toEqual([1, 1]);
  });

  it("before it arrived, and mended: what the server still holds open is not known, what it gave up is not kept", async () => {
    const unknown = { message: expect.stringContaining("it is not known what was kept") };
    const open = await addBehindNetwork({ arrives: false });
    open.network.mend();
    await passTime(open.added);
    await expect(open.added).rejects.toMatchObject(unknown);
    expect(await open.countRows()).toBe(0);
    vi.useRealTimers();

    const ended = await addBehindNetwork({ arrives: false });
    ended.network.mend();
    await ended.server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'skillgraph'",
    );
    await passTime(ended.added);
    await expect(ended.added).rejects.not.toMatchObject(unknown);
    await expect(ended.added).rejects.toMatchObject({
      code: "checkpoint-unavailable",
      message: expect.stringContaining("the connection was lost"),
    });
    expect([ended.countCalls(), await ended.countRows()]).toEqual([1, 0]);
  });

  it("while a change fails by itself costs one short wait, and its own error is told", async () => {
    const { network, database } = await openBehindNetwork();
    const failed = database.write(async () => {
      network.cut();
      throw new RangeError("mine");
    });
    expect(await passTime(failed)).toBeLessThan(6_500);
    await expect(failed).rejects.toThrow(new RangeError("mine"));
    network.mend();
    expect(await database.read((session) => session.all("SELECT FROM done"))).toEqual([]);
  });

  it("or by a server that is gone for the wait: what follows fails after one try", async () => {
    const { network, database } = await openBehindNetwork();
    const cut = network.cutAt(COMMIT, { arrives: true }).then(() => network.close());
    const added = database.write((session) => session.run("INSERT INTO done DEFAULT VALUES"));
    await cut;
    expect(await passTime(added)).toBeGreaterThan(5_900);
    await expect(added).rejects.toThrow("it is not known what was kept");
    const read = database.read((session) => session.all("SELECT FROM done"));
    expect(await passTime(read)).toBeLessThan(2_500);
    await expect(read).rejects.toThrow("the server cannot be reached");
  });

  it("or in the middle of a change is found by one short try when the wait is over", async () => {
    const { network, database } = await openBehindNetwork();
    const failed = database.write((session) => {
      network.cut();
      return session.run("INSERT INTO done DEFAULT VALUES");
    });
    expect(await passTime(failed)).toBeLessThan(8_500);
    await expect(failed).rejects.toThrow("the connection was lost");
  });
});
