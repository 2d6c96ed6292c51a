import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { findLeases } from "../../src/checkpoint/memory-lease.ts";

const busy = { code: "thread-busy" };
const whole = {};
const visit = {};
const part = { whole, place: "a", visit };

describe("leases of a saver of the caller's", () => {
  it("are the same for whoever uses the saver, and others for another saver", async () => {
    const saver = new MemorySaver();
    const lease = await findLeases(saver).acquire("t");
    await expect(findLeases(saver).acquire("t")).rejects.toMatchObject(busy);
    expect(await findLeases(saver, part).isHeld("t")).toBe(true);
    await (await findLeases(new MemorySaver()).acquire("t")).release();
    await lease.release();
    expect(await findLeases(saver).isHeld("t")).toBe(false);
  });

  it.each([
    ["at two places", { ...part, place: "b", visit: {} }],
    ["at one place, visited once", part],
  ])("let the parts of one run share a thread until the last gives it back: %s", async (_where, other) => {
    const saver = new MemorySaver();
    const one = await findLeases(saver, part).acquire("t");
    const two = await findLeases(saver, other).acquire("t");
    expect(two.life).not.toBe(one.life);
    await one.release();
    await one.release();
    await expect(findLeases(saver).acquire("t")).rejects.toMatchObject(busy);
    await two.release();
    expect(await findLeases(saver).isHeld("t")).toBe(false);
  });

  it.each([
    ["a part of another run", { ...part, whole: {} }],
    ["a second visit of the same place", { ...part, visit: {} }],
    ["a run that is no part of any", undefined],
  ])("are not shared with %s", async (_what, other) => {
    const saver = new MemorySaver();
    const lease = await findLeases(saver, part).acquire("t");
    await expect(findLeases(saver, other).acquire("t")).rejects.toMatchObject(busy);
    await lease.release();
    const whole = await findLeases(saver, other).acquire("t");
    await expect(findLeases(saver, part).acquire("t")).rejects.toMatchObject(busy);
    await whole.release();
  });
});
