import { describe, expect, it } from "vitest";
import type { SkillAgentOptions } from "../../../src/index.ts";
import { answer, createScriptedAgent, type RunResult, send } from "../../support/agent.ts";
import { createWorkspace } from "../../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const done = { text: "Done." };
const itemOf = ({ end }: RunResult) => end.request?.items[0];

async function open(options: SkillAgentOptions = {}, command = "touch a") {
  const workspace = createWorkspace({ ".env": "K=1", "notes.txt": "x" });
  const scripted = await createScriptedAgent(workspace, [{ calls: [bash("b1", command)] }, done], {
    sandbox: "off",
    ...options,
  });
  const asked = await send(scripted.agent, "go");
  const { thread } = asked.end;
  const reply = (reply: unknown) => answer(scripted.agent, thread, { reply });
  return { ...scripted, workspace, asked, thread, reply };
}

describe("a call that a person changed is decided again", () => {
  it.each([
    ["is not on a list either", "touch mine"],
    ["the rules allow", "cat notes.txt > mine"],
    ["is several commands", "touch x && touch mine"],
    ["only its exact command could allow", 'node -e \'require("fs").writeFileSync("mine", "")\''],
  ])("what %s runs as they typed it", async (_name, command) => {
    const { workspace, server, reply } = await open({
      permissions: { allow: ["Bash(cat:*)", "Write(mine)"] },
    });
    const { end } = await reply({ command });
    expect(end.status).toBe("finished");
    expect([workspace.exists("mine"), workspace.exists("a")]).toEqual([true, false]);
    expect(String(server.requests[1]?.body.messages?.at(-1)?.content)).toContain(
      "The person changed the call to",
    );
    server.assertDone();
  });

  it.each([
    ["a protected place", "mkdir -p .git && echo x > .git/config", ".git"],
    ["the project's settings", "echo '{}' > skillgraph.json", "skillgraph.json"],
    ["a skill's folder", "mkdir -p skills/s && touch skills/s/SKILL.md", "skills"],
    ["a secret", "cat .env", ".env"],
    ["a folder with a secret in it", "grep -r K .", ".env"],
    ["what cannot be read", "touch $(echo mine)", "no rule can allow"],
    ["a variable that loads code", "LD_PRELOAD=./x.so touch mine", "LD_PRELOAD"],
    ["trust", "skillgraph trust", "person"],
  ])("%s is asked about once more, as they typed it", async (_name, command, part) => {
    const { workspace, server, asked, reply } = await open();
    const again = await reply({ command });
    expect(again.end.status).toBe("waiting");
    expect(itemOf(again)).toMatchObject({ id: "b1", args: { command } });
    expect(itemOf(again)?.reason).toMatch(/^you changed the call, and /);
    expect(itemOf(again)?.reason).toContain(part);
    expect(itemOf(again)).not.toHaveProperty("always");
    expect(again.end.request?.errors).toBeUndefined();
    expect(again.end.request?.id).not.toBe(asked.end.request?.id);
    expect([workspace.exists("mine"), workspace.exists("skillgraph.json")]).toEqual([false, false]);
    expect(server.requests).toHaveLength(1);
    expect((await reply(false)).end.status).toBe("finished");
    expect([workspace.exists("mine"), workspace.exists("skillgraph.json")]).toEqual([false, false]);
    server.assertDone();
  });

  it("a yes to what is asked once more runs it, and the model is told of the change", async () => {
    const { workspace, server, reply } = await open();
    await reply({ command: "touch $(echo mine)" });
    expect((await reply(true)).end.status).toBe("finished");
    expect([workspace.exists("mine"), workspace.exists("a")]).toEqual([true, false]);
    expect(String(server.requests[1]?.body.messages?.at(-1)?.content)).toContain(
      "The person changed the call to",
    );
  });

  it("it can be changed again, and the same words are another question each time", async () => {
    const { workspace, reply } = await open({}, "touch $(echo a)");
    const same = await reply({ command: "touch $(echo a)" });
    expect(itemOf(same)?.reason).toMatch(/^you changed the call/);
    expect((await reply({ command: "touch mine" })).end.status).toBe("finished");
    expect([workspace.exists("mine"), workspace.exists("a")]).toEqual([true, false]);
  });

  it("another ask rule is another question, and the one they have read is not", async () => {
    const ask = ["Bash(touch:*)", "Bash(mkdir:*)"];
    const one = await open({ permissions: { ask } });
    expect(itemOf(await one.reply({ command: "mkdir mine" }))?.reason).toContain("Bash(mkdir:*)");
    const two = await open({ permissions: { ask } });
    expect((await two.reply({ command: "touch mine" })).end.status).toBe("finished");
    expect(two.workspace.exists("mine")).toBe(true);
  });

  it("what a rule denies is refused with the rule, and asked again as it was", async () => {
    const { workspace, server, reply } = await open({ permissions: { deny: ["Bash(rm:*)"] } });
    const again = await reply({ command: "rm notes.txt" });
    expect(again.end.request?.errors).toEqual([
      'The changed call is not allowed: rule "Bash(rm:*)" denies it.',
    ]);
    expect(itemOf(again)?.args).toEqual({ command: "touch a" });
    expect(server.requests).toHaveLength(1);
    expect((await reply(true)).end.status).toBe("finished");
    expect([workspace.exists("notes.txt"), workspace.exists("a")]).toEqual([true, true]);
  });

  it("one of several that asks once more leaves the other decisions as they are", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "touch a"), bash("b2", "touch b")] }, done],
      { sandbox: "off" },
    );
    const { end } = await send(agent, "go");
    const edit = { type: "edit", edited_action: { name: "Bash", args: { command: "echo x > .git" } } };
    const again = await answer(agent, end.thread, { reply: { decisions: [edit, { type: "approve" }] } });
    expect(again.end.request?.items.map(({ id }) => id)).toEqual(["b1"]);
    expect(workspace.exists("b")).toBe(false);
    await answer(agent, end.thread, { reply: false });
    expect([workspace.exists("a"), workspace.exists("b"), workspace.exists(".git")]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
