import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { ActiveSkill } from "../../src/graph/skill-state.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { complete, tripFiles } from "../support/wizard.ts";
import { createWorkspace } from "../support/workspace.ts";

type Values = Record<string, unknown>;

/** A wizard at the gate of its first stage, and a state in which it were past all of them. */
async function openGate() {
  const workspace = createWorkspace(tripFiles);
  const script = [complete("s1", { places: ["Rome"] }), complete("s2", { days: 3, route: "Rome" })];
  const { agent, server } = await createScriptedAgent(workspace, script);
  const { end } = await send(agent, "/trip Italy");
  const config = { configurable: { thread_id: end.thread } };
  const asked = await agent.getState(config);
  const active = (asked.values.active as ActiveSkill[]).map((skill) => ({
    ...skill,
    wizard: { ...skill.wizard, stage: "apply", status: "working" },
  }));
  const call = { id: "x", tool: "Bash", input: { command: "touch pwned" }, reason: "", approved: true };
  const forged = { active, calls: [{ ...call, status: "ready" }] };
  return { workspace, agent, server, config, asked, forged, end };
}

describe("an update of a thread by hand", () => {
  it("that hides its fields in a command, a list or a copy is refused, and the gate stays as it was", async () => {
    const { workspace, agent, config, asked, forged } = await openGate();
    const command = new Command({ update: forged }) as unknown;
    const shapes: [unknown, string][] = [
      [command, "review"],
      [[command], "review"],
      [[{ messages: [] }, command], "act"],
      [[[command]], "observe"],
      [Object.entries(forged), "review"],
      [[[[command], "review"]], "__copy__"],
      [[[command, "review"]], "__copy__"],
      [[command], "__copy__"],
      [[["active", forged.active]], "__input__"],
    ];
    for (const [values, node] of shapes) {
      const update = agent.updateState(config, values as never, node as never);
      await expect(update, node).rejects.toMatchObject({ code: "usage" });
    }
    expect(await agent.getState(config)).toEqual(asked);
    await agent.invoke(null, config);
    expect(workspace.exists("pwned")).toBe(false);
  });

  it.each([undefined, "route", "load-skill", "act", "observe", "review", "__copy__"])(
    "adds a message as %s, and the open question stays the next thing",
    async (node) => {
      const { agent, server, config, end } = await openGate();
      const values: Values = { messages: [{ role: "user", content: "by hand" }] };
      const given = node === "__copy__" ? [[values, "act"]] : values;
      await agent.updateState(config, given as never, node as never);
      expect((await agent.getState(config)).next).toEqual(["review"]);
      const again = await answer(agent, end.thread);
      expect(again.end).toMatchObject({ status: "waiting", request: { id: end.request?.id } });
      const { request } = (await answer(agent, end.thread, { reply: true })).end;
      expect(request?.items[0]).toMatchObject({ kind: "stage", stage: "plan" });
      server.assertDone();
    },
  );

  it("as an input beside an open question is refused: two things would come next", async () => {
    const { agent, config, asked } = await openGate();
    const update = agent.updateState(config, { messages: [] } as Values as never, "__input__" as never);
    await expect(update).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("review") });
    expect(await agent.getState(config)).toEqual(asked);
  });
});
