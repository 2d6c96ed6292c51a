import { createServer } from "node:net";
import { HumanMessage } from "@langchain/core/messages";
import { afterEach, describe, expect, it, vi } from "vitest";
import { collectTurn } from "../../src/model/collect.ts";
import { createOpenAIModel, type OpenAIModelOptions } from "../../src/model/openai.ts";
import {
  type OpenAIServer,
  type OpenAIServerOptions,
  type ScriptedTurn,
  startOpenAIServer,
} from "../support/openai-server.ts";

let server: OpenAIServer;

afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

async function start(script: ScriptedTurn[], options?: OpenAIServerOptions): Promise<void> {
  server = await startOpenAIServer(script, options);
}

function ask(options: Partial<OpenAIModelOptions> = {}, signal?: AbortSignal) {
  const model = createOpenAIModel({ model: "m", baseUrl: server.url, ...options });
  return collectTurn(model, [new HumanMessage("hi")], signal ? { signal } : {});
}

describe("the key", () => {
  it("is sent, and a base URL without one gets a placeholder", async () => {
    await start([{ text: "one" }, { text: "two" }]);
    await ask({ apiKey: "sk-1" });
    await ask({ apiKey: "" });
    const sent = server.requests.map((request) => request.headers.authorization);
    expect(sent).toEqual(["Bearer sk-1", "Bearer not-needed"]);
    server.assertDone();
  });

  it("that is missing fails at the first call, not before", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-from-the-environment");
    const model = createOpenAIModel({ model: "x" });
    await expect(collectTurn(model, [new HumanMessage("hi")], {})).rejects.toMatchObject({
      code: "model-key-missing",
      message:
        'Model "x" needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server, or use the model "offline".',
    });
  });

  it("and everything else is never read from the environment", async () => {
    await start([{ text: "one" }]);
    for (const name of [
      "OPENAI_API_KEY",
      "OPENAI_ORG_ID",
      "OPENAI_ORGANIZATION",
      "OPENAI_PROJECT_ID",
      "OPENAI_ADMIN_KEY",
    ]) {
      vi.stubEnv(name, "from-the-environment");
    }
    for (const name of ["OPENAI_BASE_URL", "OPENAI_API_BASE", "LANGSMITH_GATEWAY"])
      vi.stubEnv(name, "http://127.0.0.1:1/v1");
    await ask();
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("from-the-environment");
    server.assertDone();
  });

  it("that the server refuses is not shown and not tried again", async () => {
    await start([], { apiKey: "right", allowRefusals: true });
    const failure = ask({ apiKey: "sk-secret" });
    await expect(failure).rejects.toMatchObject({
      code: "model-failed",
      message: `${server.url} refused the key for model "m" (401: Incorrect API key provided: [key]). Check OPENAI_API_KEY.`,
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("failures in one line", () => {
  it("an unknown model names those that the server has", async () => {
    await start([], { models: ["a", "b"], allowRefusals: true });
    await expect(ask()).rejects.toMatchObject({
      code: "model-unknown",
      message: expect.stringMatching(/does not know model "m" \(404: .*\)\. Known models: a, b\.$/),
    });
    expect(server.requests).toHaveLength(1);
  });

  it("a server that is not there names the base URL", async () => {
    const port = await takeFreePort();
    const failure = createOpenAIModel({
      model: "m",
      baseUrl: `http://127.0.0.1:${port}/v1`,
      maxRetries: 0,
    }).invoke("hi");
    await expect(failure).rejects.toMatchObject({
      code: "model-failed",
      message: `Cannot reach http://127.0.0.1:${port}/v1 for model "m" (ECONNREFUSED). Is the server running at this base URL?`,
    });
  });

  it("a base URL without a scheme is named, and a password in one is not shown", async () => {
    const bare = createOpenAIModel({ model: "m", baseUrl: "localhost:11434/v1" }).invoke("hi");
    await expect(bare).rejects.toMatchObject({
      code: "settings-invalid",
      message: expect.stringContaining('"localhost:11434/v1"'),
    });
    const secret = createOpenAIModel({
      model: "m",
      baseUrl: "http://me:secret@127.0.0.1:1/v1",
      maxRetries: 0,
    }).invoke("hi");
    await expect(secret).rejects.not.toMatchObject({ message: expect.stringContaining("secret") });
  });

  it.each([{ odd: true }, { choices: [] }, "no JSON"])(
    "an answer without choices is said: %j",
    async (raw) => {
      await start([{ raw }]);
      await expect(ask()).rejects.toMatchObject({
        code: "model-failed",
        message: expect.stringContaining("without any choices"),
      });
    },
  );

  it("an answer without choices is said without a stream", async () => {
    await start([{ raw: { odd: true } }]);
    const failure = createOpenAIModel({ model: "m", baseUrl: server.url }).invoke("hi");
    await expect(failure).rejects.toMatchObject({
      message: expect.stringContaining('It sent: {"odd":true}'),
    });
  });

  it("an error inside a stream is told in the server's words", async () => {
    await start([{ chunks: [{ error: { message: "GPU on fire" } }] }]);
    await expect(ask()).rejects.toMatchObject({
      code: "model-failed",
      message: 'The call of model "m" failed: GPU on fire',
    });
  });

  it("a page of HTML is not shown, and a conversation that is too long is said", async () => {
    await start([
      { status: 404, error: "<html>no</html>" as string },
      { status: 400, error: "too long: maximum context length is 10" },
    ]);
    await expect(ask()).rejects.toMatchObject({ code: "model-unknown" });
    await expect(ask()).rejects.toMatchObject({
      message: expect.stringContaining('The conversation is too long for model "m"'),
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe("usage", () => {
  it("is not asked again of a server that refuses stream_options", async () => {
    await start([{ status: 400, error: "Unknown field: stream_options" }, { text: "one" }, { text: "two" }]);
    const model = createOpenAIModel({ model: "m", baseUrl: server.url });
    for (const wanted of ["one", "two"]) {
      expect((await collectTurn(model, [new HumanMessage("hi")], {})).message.content).toBe(wanted);
    }
    expect(server.requests.map((request) => "stream_options" in request.body)).toEqual([true, false, false]);
    server.assertDone();
  });
});

async function takeFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
