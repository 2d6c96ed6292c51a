import { HumanMessage } from "@langchain/core/messages";
import { afterEach, describe, expect, it } from "vitest";
import { collectTurn } from "../../src/model/collect.ts";
import { createOpenAIModel, type OpenAIModelOptions } from "../../src/model/openai.ts";
import { decideWait } from "../../src/model/retry.ts";
import { type OpenAIServer, type ScriptedTurn, startOpenAIServer } from "../support/openai-server.ts";

let server: OpenAIServer;

afterEach(() => server?.close());

async function start(script: ScriptedTurn[]): Promise<void> {
  server = await startOpenAIServer(script);
}

function ask(options: Partial<OpenAIModelOptions> = {}, signal?: AbortSignal) {
  const model = createOpenAIModel({ model: "m", baseUrl: server.url, ...options });
  return collectTurn(model, [new HumanMessage("hi")], signal ? { signal } : {});
}

describe("F9: limits", () => {
  it("F9: the hint of a 429 is honoured", async () => {
    await start([{ status: 429, error: "slow down", headers: { "retry-after": "1" } }, { text: "one" }]);
    const begin = Date.now();
    expect((await ask()).message.content).toBe("one");
    expect(Date.now() - begin).toBeGreaterThanOrEqual(990);
    server.assertDone();
  });

  it("F9: a quota that is used up stops at once", async () => {
    await start([
      {
        status: 429,
        error: { error: { message: "You exceeded your current quota.", code: "insufficient_quota" } },
      },
    ]);
    await expect(ask()).rejects.toMatchObject({
      code: "model-failed",
      message:
        'The quota for model "m" is used up (429: You exceeded your current quota). Add credit or take another model, then resume.',
    });
    server.assertDone();
  });

  it("F9: a short limit worded as a quota is tried again", async () => {
    const busy = {
      status: 429,
      error: "You exceeded your current quota of 2 requests at once",
      headers: { "retry-after-ms": "5" },
    };
    await start([busy, { text: "one" }]);
    expect((await ask()).message.content).toBe("one");
    server.assertDone();
  });

  it.each([429, 500, 503])("F9: attempts at %i are bounded by one layer", async (status) => {
    await start(Array(3).fill({ status, error: "busy", headers: { "retry-after-ms": "5" } }));
    await expect(ask()).rejects.toMatchObject({
      code: "model-failed",
      message: expect.stringContaining("after 3 attempts"),
    });
    server.assertDone();
  });

  it("F9: a wait of an hour is not waited for", async () => {
    await start([{ status: 429, error: "come back later", headers: { "retry-after": "3600" } }]);
    await expect(ask()).rejects.toMatchObject({ message: expect.stringContaining("come back later") });
    server.assertDone();
  });

  it("F9: a server that never answers ends at the time limit, once", async () => {
    await start([{ text: "late", delayMs: 60_000 }]);
    await expect(ask({ timeoutMs: 100 })).rejects.toMatchObject({
      code: "model-failed",
      message: `No answer from ${server.url} for model "m" within 0.1 s. Resume later, or allow more time.`,
    });
    server.assertDone();
  });

  it("F9: a server that falls silent in its answer ends at the time limit", async () => {
    await start([{ text: "one two", chunkDelayMs: 60_000 }]);
    await expect(ask({ timeoutMs: 150 })).rejects.toMatchObject({
      message: expect.stringContaining("within 0.15 s"),
    });
  });

  it("F9: a slow answer that goes on passes the time limit", async () => {
    await start([{ text: "a b c d e", chunkDelayMs: 60 }]);
    expect((await ask({ timeoutMs: 300 })).message.content).toBe("a b c d e");
  });

  it("F9: an abort ends the call, also while waiting to try again", async () => {
    await start([
      { text: "late", delayMs: 60_000 },
      { status: 503, headers: { "retry-after": "30" } },
    ]);
    const begin = Date.now();
    for (let round = 0; round < 2; round += 1) {
      const failure = ask({}, AbortSignal.timeout(150));
      await expect(failure).rejects.not.toMatchObject({ name: "SkillgraphError" });
    }
    expect(Date.now() - begin).toBeLessThan(5_000);
    expect(server.requests).toHaveLength(2);
  });
});

describe("decideWait", () => {
  const fail = (status: number | undefined, headers: Record<string, string> = {}, more: object = {}) =>
    decideWait(Object.assign(new Error("x"), { status, headers: new Headers(headers), ...more }), 1);

  it("waits as the server says, in any form", () => {
    expect(fail(429, { "retry-after": "2" })).toBe(2000);
    expect(fail(429, { "retry-after-ms": "20", "retry-after": "2" })).toBe(20);
    const soon = fail(503, { "retry-after": new Date(Date.now() + 10_000).toUTCString() });
    expect(soon).toBeGreaterThan(7_000);
    expect(soon).toBeLessThanOrEqual(10_000);
  });

  it("waits twice as long at each attempt without a hint", () => {
    const error = Object.assign(new Error("x"), { status: 500 });
    expect(decideWait(error, 1)).toBeLessThan(decideWait(error, 2) ?? 0);
    expect(decideWait(error, 2)).toBeLessThan(decideWait(error, 3) ?? 0);
  });

  it.each([400, 401, 403, 404, 413, 422])("takes %i as final", (status) => {
    expect(fail(status, { "retry-after": "1" })).toBeUndefined();
  });

  it("takes a server's own word for final", () => {
    expect(fail(500, { "x-should-retry": "false" })).toBeUndefined();
  });

  it("waits for a quota that comes with a short hint", () => {
    const quota = { error: { code: "insufficient_quota" } };
    expect(fail(429, {}, quota)).toBeUndefined();
    expect(fail(429, { "retry-after": "1" }, quota)).toBe(1000);
  });

  it("tries a broken connection again and an unknown failure not", () => {
    expect(fail(undefined, {}, { cause: { code: "ECONNRESET" } })).toBeGreaterThan(0);
    expect(fail(undefined)).toBeUndefined();
  });
});
