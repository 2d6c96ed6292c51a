import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  closeAgent,
  createSkillAgent,
  listThreads,
  pruneThreads,
  resumeThread,
  type SkillAgentOptions,
  startThread,
} from "../../src/index.ts";
import { send } from "../support/agent.ts";
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
    [{ wizard: "  " }, /"wizard" is " {2}"/],
    [{ autoGates: "yes" }, /"autoGates" is "yes"/],
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

describe("the options of a function that writes", () => {
  it.each<[string, unknown, RegExp]>([
    [
      "startThread",
      { treads: "x" },
      /^Unknown option "treads"\. Known: signal, context, by, thread, name, wizard\.$/,
    ],
    ["startThread", { wizard: "trip" }, /^Option "wizard" is "trip": /],
    ["startThread", { name: 5 }, /^Option "name" is 5: /],
    ["startThread", { signal: {} }, /^Option "signal" is an object: an AbortSignal\.$/],
    ["startThread", null, /^The options are null: /],
    [
      "resumeThread",
      { reply: true, requst: "req-0123456789ab" },
      /^Unknown option "requst"\. Known: .*request\.$/,
    ],
    ["resumeThread", { reply: true, request: 5 }, /^Option "request" is 5: /],
    ["resumeThread", null, /^The options are null: /],
    [
      "pruneThreads",
      { olderThan: 0, dryrun: true },
      /^Unknown option "dryrun"\. Known: olderThan, stopped, dryRun\.$/,
    ],
    ["pruneThreads", { olderThan: 0, stopped: "no" }, /^Option "stopped" is "no": /],
    ["pruneThreads", {}, /^Option "olderThan" is undefined: an age such as "30d", or milliseconds\.$/],
    ["pruneThreads", undefined, /^The options are undefined: /],
  ])("%s: %j is refused in one line, and nothing is written", async (name, options, message) => {
    const { folder, environment } = createWorkspace();
    const agent = await createSkillAgent({ cwd: folder, environment, model: "offline" });
    onTestFinished(() => closeAgent(agent));
    const { end } = await send(agent, "hello");
    const before = await listThreads(agent);
    const use = () => {
      if (name === "startThread") return startThread(agent, "hi", options as never).next();
      if (name === "resumeThread") return resumeThread(agent, end.thread, options as never).next();
      return pruneThreads(agent, options as never);
    };
    await expect(use()).rejects.toMatchObject({ code: "usage", message: expect.stringMatching(message) });
    expect(await listThreads(agent)).toEqual(before);
  });
});
