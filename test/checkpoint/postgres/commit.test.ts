import { createServer, type Server, connect as toSocket } from "node:net";
import { afterAll, expect, it } from "vitest";
import { openCheckpointer } from "../../../src/checkpoint/index.ts";
import { describePostgres, makePostgresPlace } from "../stores.ts";
import { createTestGraph, onThread, readTexts, say } from "../test-graph.ts";

const proxies: Server[] = [];

afterAll(() => {
  for (const proxy of proxies) proxy.close();
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
      if (bytes.includes("COMMIT")) commits += 1;
      isCut ||= bytes.includes("COMMIT") && commits % 3 === 0;
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
