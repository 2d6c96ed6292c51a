import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { collectTurn } from "../../src/model/collect.ts";
import { defaultModelName, pickModelName, resolveModel, resolveSkillModel } from "../../src/model/resolve.ts";
import { startOpenAIServer } from "../support/openai-server.ts";

describe("resolveModel", () => {
  it("makes a model that asks the server under its name", async () => {
    const server = await startOpenAIServer([{ text: "one" }]);
    const model = await resolveModel("m", { aliases: {}, baseUrl: server.url, apiKey: "sk-1" });
    expect((await collectTurn(model.chat, [new HumanMessage("hi")], {})).message.content).toBe("one");
    expect([model.name, model.guesses, server.requests[0]?.body.model]).toEqual(["m", false, "m"]);
    server.assertDone();
    await server.close();
  });

  it("follows an alias", async () => {
    const aliases = { fast: "small-model", nothing: "offline" };
    expect((await resolveModel("fast", { aliases })).name).toBe("small-model");
    expect((await resolveModel("nothing", { aliases })).name).toBe("offline");
  });

  it("makes the embedded model, which guesses", async () => {
    const model = await resolveModel("offline", { aliases: {} });
    expect([model.name, model.guesses, model.chat._llmType()]).toEqual(["offline", true, "offline"]);
  });

  it("takes names that every object has as plain names", async () => {
    expect((await resolveModel("constructor", { aliases: {} })).name).toBe("constructor");
  });

  it("does not fail without a key before the first call", async () => {
    const model = await resolveModel("m", { aliases: {} });
    await expect(model.chat.invoke("hi")).rejects.toMatchObject({ code: "model-key-missing" });
  });
});

describe("resolveSkillModel", () => {
  const aliases = { sonnet: "big-model" };

  it.each([undefined, "", " ", "inherit", "Inherit", "session"])(
    "keeps the session's model for %j",
    (wanted) => {
      expect(resolveSkillModel(wanted, "session", aliases)).toEqual({ name: "session" });
    },
  );

  it("maps a name that the settings know", () => {
    expect(resolveSkillModel("sonnet", "session", aliases)).toEqual({ name: "big-model" });
  });

  it.each(["opus", "constructor", "__proto__"])("falls back for %s and says so", (wanted) => {
    const { name, diagnostic } = resolveSkillModel(wanted, "session", aliases);
    expect(name).toBe("session");
    expect(diagnostic).toBe(
      `The skill asks for model "${wanted}", which the settings do not map to a model; "session" serves. Known names: sonnet.`,
    );
  });

  it("stays offline whatever the skill says, without a word", () => {
    expect(resolveSkillModel("sonnet", "offline", aliases)).toEqual({ name: "offline" });
    expect(resolveSkillModel("opus", "none", { none: "offline" })).toEqual({ name: "none" });
  });
});

describe("pickModelName", () => {
  it("takes what was named, and says where", () => {
    const endpoint = { apiKey: "sk-1" };
    expect(pickModelName({ name: "m", from: "flag" }, endpoint)).toEqual({
      name: "m",
      reason: "named by the option model",
    });
    expect(pickModelName({ name: "m", from: "environment" }, {}).reason).toBe("named by SKILLGRAPH_MODEL");
    expect(pickModelName({ name: "m", from: "settings" }, {}).reason).toBe("named in the settings");
  });

  it("takes the default with a key or a base URL, and the embedded one with neither", () => {
    expect(pickModelName({ from: "default" }, { apiKey: "sk-1" }).name).toBe(defaultModelName);
    expect(pickModelName({ from: "default" }, { baseUrl: "http://127.0.0.1:1/v1" }).name).toBe(
      defaultModelName,
    );
    for (const endpoint of [{}, { apiKey: "", baseUrl: "" }]) {
      expect(pickModelName({ from: "default" }, endpoint)).toEqual({
        name: "offline",
        reason: "no model, OPENAI_API_KEY or OPENAI_BASE_URL is set",
      });
    }
  });
});
