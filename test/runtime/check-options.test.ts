import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createSkillAgent, type SkillAgentOptions, startThread } from "../../src/index.ts";
import { createWorkspace } from "../support/workspace.ts";

function create(options: unknown) {
  const { folder, environment } = createWorkspace();
  const base = { cwd: folder, environment, model: "offline", checkpointer: new MemorySaver() };
  return createSkillAgent({ ...base, ...(options as SkillAgentOptions) });
}

describe("the options of an agent", () => {
  it.each([
    [{ permissions: { mode: "Deny" } }, /"permissions.mode" is "Deny"/],
    [{ permissions: { mode: "" } }, /"permissions.mode" is ""/],
    [{ permissions: { deny: "Bash" } }, /"permissions.deny" is "Bash"/],
    [
      { permissions: { denny: ["Bash"] } },
      /Unknown option "permissions.denny". Known: allow, ask, deny, mode/,
    ],
    [{ permissions: [] }, /"permissions" is a list/],
    [{ permissions: null }, /"permissions" is null/],
    [{ trust: "false" }, /"trust" is "false"/],
    [{ maxSteps: -1 }, /"maxSteps" is -1/],
    [{ maxSteps: "x" }, /"maxSteps" is "x"/],
    [{ skills: "/nope" }, /"skills" is "\/nope"/],
    [{ tools: "x" }, /"tools" is "x"/],
    [{ checkpointer: {} }, /"checkpointer" is an object/],
    [{ tools: [{}] }, /"tools.0" is an object: a LangChain tool/],
    [{ sandbox: "on" }, /"sandbox" is "on": .*"auto"\|"required"\|"off"/],
    [{ sandbox: { mode: "required" } }, /"sandbox" is an object/],
    [{ modle: "x" }, /Unknown option "modle"/],
    [{ model: "" }, /"model" is ""/],
  ])("%j are refused in one line", async (options, message) => {
    await expect(create(options)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(message),
    });
  });

  it.each([[5], [null], ["offline"]])("%j in their place is refused", async (options) => {
    await expect(createSkillAgent(options as never)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/^The options are .+: /),
    });
  });

  it("those that fit are taken", async () => {
    await create({
      permissions: { mode: "deny", allow: ["Read"] },
      trust: false,
      maxSteps: 3,
      systemPrompt: "",
    });
  });

  it("a task that is no text, or empty, is refused", async () => {
    const agent = await create({});
    for (const task of ["", "  ", 5]) {
      await expect(startThread(agent, task as string).next()).rejects.toMatchObject({ code: "usage" });
    }
  });
});
