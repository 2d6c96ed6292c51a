import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createReach } from "../../../src/checkpoint/postgres/reach.ts";

const lost = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
const refused = Object.assign(new Error("no such user"), { code: "28000" });
const never = new Promise<never>(() => undefined);

/** A server that can be switched off; `tries` holds within how many milliseconds each connection had to be made. */
function createServer(patienceMs: number) {
  const server = { fault: undefined as Error | undefined, tries: [] as number[] };
  const reach = createReach(async (withinMs) => {
    server.tries.push(withinMs);
    await delay(5);
    if (server.fault !== undefined) throw server.fault;
  }, patienceMs);
  return { server, reach };
}

describe("whether a server can be reached", () => {
  it("is not asked while nothing was waited for in vain", async () => {
    const { server, reach } = createServer(1_000);
    server.fault = lost;
    expect(await reach.findFault()).toBeUndefined();
    expect(server.tries).toEqual([]);
  });

  it("is asked by one connection of at most 2 s when it was waited for in vain, until it answers", async () => {
    const { server, reach } = createServer(30_000);
    server.fault = lost;
    const error = new Error("read timeout");
    reach.giveUp(error);
    expect(await Promise.all([reach.findFault(), reach.findFault()])).toEqual([error, error]);
    expect(await reach.findFault()).toBe(error);
    expect(server.tries).toEqual([2_000, 2_000]);
    server.fault = undefined;
    expect(await reach.findFault()).toBeUndefined();
    server.fault = lost;
    expect(await reach.findFault()).toBeUndefined();
    expect(server.tries).toHaveLength(3);
  });

  it("is answered by a refusal, too, and by any statement that worked", async () => {
    const { server, reach } = createServer(1_000);
    reach.giveUp(lost);
    server.fault = refused;
    expect(await reach.findFault()).toBeUndefined();
    reach.giveUp(lost);
    reach.restore();
    server.fault = lost;
    expect(await reach.findFault()).toBeUndefined();
    expect(server.tries).toEqual([1_000]);
  });

  it("is forgotten after the time that it was waited for, so that one which is slow to connect to is tried", async () => {
    const { server, reach } = createServer(100);
    server.fault = lost;
    reach.giveUp(lost);
    expect(await reach.findFault()).toBe(lost);
    await delay(120);
    expect(await reach.findFault()).toBeUndefined();
    expect(server.tries).toEqual([100]);
  });
});

describe("an answer that does not come", () => {
  it("is given up when the server is silent on a new connection, too", async () => {
    const { server, reach } = createServer(100);
    server.fault = lost;
    await expect(reach.listen(never)).rejects.toThrow("read timeout");
    expect(server.tries).toEqual([100]);
    expect(await reach.findFault()).toMatchObject({ message: "read timeout" });
  });

  it("is waited for when the server answers others", async () => {
    const { server, reach } = createServer(50);
    expect(await reach.listen(delay(200, "late"))).toBe("late");
    expect(server.tries).toEqual([50]);
  });

  it("is not asked about when it comes in time, as an answer or as an error", async () => {
    const { server, reach } = createServer(50);
    expect(await reach.listen(Promise.resolve("soon"))).toBe("soon");
    await expect(reach.listen(Promise.reject(refused))).rejects.toBe(refused);
    await delay(80);
    expect(server.tries).toEqual([]);
  });
});
