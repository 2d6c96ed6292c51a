import { rmSync } from "node:fs";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { SkillAgentOptions } from "../../../src/index.ts";
import { answer, createScriptedAgent, type RunResult, send } from "../../support/agent.ts";
import type { ScriptedTurn } from "../../support/openai-server.ts";
import { asRecorded, trustWorkspace } from "../../support/trust.ts";
import { complete, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText, type Workspace } from "../../support/workspace.ts";

const script = "skills/sc/go.sh";
const skill = "skills/sc/SKILL.md";
const files = {
  [skill]: skillText({ name: "sc", description: "Goes." }, "Run go.sh."),
  [script]: "touch old\n",
};
const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const run = (id: string) => bash(id, `sh ${script}`);
const write = (id: string, path: string) => ({ id, name: "Write", arguments: { path, content: "x" } });
const done = { text: "Done." };
const changed = 'the files of skill "sc" changed since you were asked: go.sh (changed)';
const change = ({ write: put }: Workspace) => put(script, "touch new && touch newer\n");

const requestOf = ({ end }: RunResult) => end.request!;
const itemsOf = (result: RunResult) =>
  result.end.request?.items.map(({ id, reason, description }) => [id, reason ?? description]);
const driftsOf = ({ events }: RunResult) =>
  events.flatMap((event) => (event.type === "skill-drifted" ? [[event.choice, ...event.files]] : []));
const wasMade = (workspace: Workspace) => ["old", "new"].filter((name) => workspace.exists(name));

/** A thread that waits for a person's word on the calls of its first turn. */
async function openCalls(
  turns: ScriptedTurn[],
  { more = {}, ...options }: SkillAgentOptions & { more?: Record<string, string> } = {},
) {
  const workspace = createWorkspace({ ...files, ...more });
  const scripted = await createScriptedAgent(workspace, turns, options);
  const asked = await send(scripted.agent, "/sc");
  const { thread } = asked.end;
  const reply = (reply: unknown, options: object = {}) =>
    answer(scripted.agent, thread, { reply, ...options });
  return { ...scripted, workspace, asked, thread, reply };
}

describe("an approval is to the files as they were when it was asked for", () => {
  it("a script that changed meanwhile does not run, and is asked about again with what changed", async () => {
    const { server, workspace, asked, reply } = await openCalls([{ calls: [run("b1")] }, done]);
    change(workspace);
    const again = await reply(true);
    expect(wasMade(workspace)).toEqual([]);
    expect(itemsOf(again)).toEqual([["b1", changed]]);
    expect(requestOf(again).id).not.toBe(requestOf(asked).id);
    expect(driftsOf(again)).toEqual([["pin", "go.sh (changed)"]]);
    expect(server.requests).toHaveLength(1);
    // A late second click is no answer to what is asked now.
    await expect(reply(true, { request: requestOf(asked).id })).rejects.toThrow(
      "was answered already: approve by",
    );
    const last = await reply(true, { request: requestOf(again).id });
    expect(last.end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual(["new"]);
    expect(driftsOf(last)).toEqual([]);
    server.assertDone();
  });

  it("it is recorded once, as a pin by the settings", async () => {
    const { agent, server, workspace, thread, reply } = await openCalls([{ calls: [run("b1")] }, done]);
    change(workspace);
    await reply(true);
    await reply(true);
    const { loads } = (await agent.getState({ configurable: { thread_id: thread } })).values;
    const records = loads.map(({ type, by, files }: Record<string, unknown>) => [type, by, files]);
    expect(records).toEqual([
      ["loaded", "person", undefined],
      ["pinned", "settings", ["go.sh (changed)"]],
    ]);
    server.assertDone();
  });

  it("nothing is asked again where nothing changed, or only the time of a file did", async () => {
    const { server, workspace, reply } = await openCalls([{ calls: [run("b1")] }, done]);
    workspace.write(script, files[script] ?? "");
    const { end } = await reply(true);
    expect(end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual(["old"]);
    server.assertDone();
  });

  it.each<[string, (workspace: Workspace) => void, string]>([
    ["a new file", ({ write: put }) => put("skills/sc/lib.sh", "x"), "lib.sh (new)"],
    ["a file that is gone", ({ folder }) => rmSync(join(folder, script)), "go.sh (gone)"],
    [
      "the folder, gone",
      ({ folder }) => rmSync(join(folder, "skills/sc"), { recursive: true }),
      "SKILL.md (gone)",
    ],
  ])("%s counts, too", async (_name, edit, what) => {
    const { workspace, reply } = await openCalls([{ calls: [run("b1")] }]);
    edit(workspace);
    const again = await reply(true);
    expect(itemsOf(again)?.[0]?.[1]).toContain(`changed since you were asked: ${what}`);
    expect(wasMade(workspace)).toEqual([]);
  });

  it("the instructions alone do not count: they go on as they were loaded, and it is told", async () => {
    const { server, workspace, reply } = await openCalls([{ calls: [run("b1")] }, done]);
    workspace.write(skill, `${files[skill]}\nMore.\n`);
    const { end, events } = await reply(true);
    expect(end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual(["old"]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "skill-drifted", choice: "pin", files: ["SKILL.md (changed)"] }),
    );
    server.assertDone();
  });

  it("files that change again before the second answer are asked about once more, under another id", async () => {
    const { server, workspace, reply } = await openCalls([{ calls: [run("b1")] }, done]);
    change(workspace);
    const second = await reply(true);
    workspace.write(script, "touch new && touch other\n");
    const third = await reply(true);
    expect(itemsOf(third)).toEqual([["b1", changed]]);
    expect(requestOf(third).id).not.toBe(requestOf(second).id);
    workspace.write(script, files[script] ?? "");
    const fourth = await reply(true);
    expect(itemsOf(fourth)?.[0]?.[1]).toMatch(/since you were asked: they are again as they were loaded$/);
    expect(wasMade(workspace)).toEqual([]);
    expect((await reply(true)).end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual(["old"]);
    server.assertDone();
  });

  it("a call that the person changed is asked about again as they changed it", async () => {
    const { server, workspace, reply } = await openCalls([{ calls: [bash("b1", "sh nowhere.sh")] }, done]);
    change(workspace);
    const again = await reply({ command: `sh ${script}` });
    expect(requestOf(again).items[0]).toMatchObject({
      args: { command: `sh ${script}` },
      reason: `you changed the call, and ${changed}`,
    });
    expect(wasMade(workspace)).toEqual([]);
    expect((await reply(true)).end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual(["new"]);
    server.assertDone();
  });

  it("a no to what is asked again is told to the model", async () => {
    const { server, workspace, reply } = await openCalls([{ calls: [run("b1")] }, done]);
    change(workspace);
    await reply(true);
    expect((await reply("not with that script")).end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("not with that script");
    server.assertDone();
  });

  it("of one reply only the commands are asked about again, and effects keep their order", async () => {
    const calls = [write("w1", "first"), run("b1"), write("w2", "second"), bash("b2", "touch third")];
    const { server, workspace, asked, reply } = await openCalls([{ calls }, done]);
    expect(requestOf(asked).items).toHaveLength(4);
    change(workspace);
    const decisions = [{ type: "approve" }, { type: "approve" }, { type: "reject" }, { type: "approve" }];
    const again = await reply({ decisions });
    expect(itemsOf(again)).toEqual([
      ["b1", changed],
      ["b2", changed],
    ]);
    expect(["first", "new", "second", "third"].filter((name) => workspace.exists(name))).toEqual([]);
    const last = await reply({ decisions: [{ type: "approve" }, { type: "reject" }] });
    expect(last.end.status).toBe("finished");
    expect(["first", "new", "second", "third"].filter((name) => workspace.exists(name))).toEqual([
      "first",
      "new",
    ]);
    expect(last.events.flatMap((event) => (event.type === "tool-start" ? [event.id] : []))).toEqual([
      "w1",
      "b1",
    ]);
    server.assertDone();
  });

  it("what runs no code is not asked about again", async () => {
    const { server, workspace, reply } = await openCalls([{ calls: [write("w1", "made")] }, done]);
    change(workspace);
    const result = await reply(true);
    expect([result.end.status, driftsOf(result)]).toEqual(["finished", [["pin", "go.sh (changed)"]]]);
    expect(workspace.exists("made")).toBe(true);
    server.assertDone();
  });

  it("a tool of the caller's is, since it may run what is in the folder", async () => {
    const ran: string[] = [];
    const deploy = tool(async ({ to }: { to: string }) => String(ran.push(to)), {
      name: "Deploy",
      description: "Deploys.",
      schema: z.object({ to: z.string() }),
    });
    const call = { id: "d1", name: "Deploy", arguments: { to: "moon" } };
    const { server, workspace, reply } = await openCalls([{ calls: [call] }, done], {
      tools: [deploy as never],
    });
    change(workspace);
    expect(itemsOf(await reply(true))).toEqual([["d1", changed]]);
    expect(ran).toEqual([]);
    await reply(true);
    expect(ran).toEqual(["moon"]);
    server.assertDone();
  });

  it("what the calls of one reply change themselves was approved with them", async () => {
    const calls = [bash("b1", `echo touch new > ${script}`), run("b2")];
    const { server, workspace, reply } = await openCalls([{ calls }, done]);
    const result = await reply({ decisions: [{ type: "approve" }, { type: "approve" }] });
    expect(result.end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual(["new"]);
    server.assertDone();
  });

  it("what calls of the same run wrote before the question is told before it, and is no change since", async () => {
    const more = {
      [skill]: skillText(
        { name: "sc", description: "Goes.", "allowed-tools": `Bash(sh ${script})` },
        "Run go.sh.",
      ),
      [script]: "echo x >> skills/sc/log.txt\n",
    };
    const turns = [{ calls: [run("b1")] }, { calls: [bash("b2", "touch old")] }, done];
    // In a sandbox a script cannot write the folder of its skill.
    const { server, workspace, asked, reply } = await openCalls(turns, { more, sandbox: "off" });
    expect(driftsOf(asked)).toEqual([["pin", "log.txt (new)"]]);
    expect(itemsOf(asked)?.map(([id]) => id)).toEqual(["b2"]);
    const { end } = await reply(true);
    expect(end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual(["old"]);
    server.assertDone();
  });

  it("the mode that refuses questions refuses the call instead", async () => {
    const { server, workspace, thread, reopen } = await openCalls([{ calls: [run("b1")] }, done]);
    change(workspace);
    const denying = await reopen({ permissions: { mode: "deny" } });
    const { end, events } = await answer(denying, thread, { reply: true });
    expect(end.status).toBe("finished");
    const denied = events.flatMap((event) => (event.type === "tool-denied" ? [event.reason] : []));
    expect(denied).toEqual([`Not allowed: ${changed}, and the mode refuses questions`]);
    expect(wasMade(workspace)).toEqual([]);
    server.assertDone();
  });

  it("the mode that allows what would ask asks nothing", async () => {
    const { server, workspace, thread, reopen } = await openCalls([{ calls: [run("b1")] }, done]);
    change(workspace);
    const { end } = await answer(await reopen({ permissions: { mode: "allow" } }), thread, { reply: true });
    expect(end.status).toBe("finished");
    expect(wasMade(workspace)).toEqual(["new"]);
    server.assertDone();
  });

  it("where drift asks, the call comes first, and then the skill, one question at a time", async () => {
    const { server, workspace, reply } = await openCalls([{ calls: [run("b1")] }, done], { drift: "ask" });
    change(workspace);
    const call = await reply(true);
    expect(requestOf(call).items.map(({ kind }) => kind)).toEqual(["call"]);
    const drift = await reply(true, { request: requestOf(call).id });
    expect(wasMade(workspace)).toEqual(["new"]);
    expect(requestOf(drift).items.map(({ kind }) => kind)).toEqual(["drift"]);
    await expect(reply(true, { request: requestOf(call).id })).rejects.toThrow(
      "was answered already: approve by",
    );
    expect((await reply("pin")).end.status).toBe("finished");
    server.assertDone();
  });
});

describe("a wizard whose files changed while it waits", () => {
  const wizard = (check: string[]) => ({
    "skills/wiz/SKILL.md": skillText({ name: "wiz", description: "W." }, "INTRO"),
    "skills/wiz/stages/1-one.md": stageText(["title: One", ...check], "ONE"),
    "skills/wiz/stages/2-two.md": stageText(["title: Two", "gate: none"], "TWO"),
    "skills/wiz/check.sh": "touch old\n",
  });

  async function openStage(check: string[], turns: ScriptedTurn[]) {
    const workspace = createWorkspace(wizard(check));
    const scripted = await createScriptedAgent(workspace, [complete("s1"), ...turns]);
    const asked = await send(scripted.agent, "/wiz");
    workspace.write("skills/wiz/check.sh", "touch new && true\n");
    const reply = (reply: unknown) => answer(scripted.agent, asked.end.thread, { reply });
    return { ...scripted, workspace, asked, reply };
  }

  it("its check is asked about again like any other command", async () => {
    const { server, workspace, asked, reply } = await openStage(
      ["check: sh skills/wiz/check.sh"],
      [complete("s2"), done],
    );
    expect(requestOf(asked).items[0]).toMatchObject({ kind: "call", name: "CompleteStage" });
    const again = await reply(true);
    expect(requestOf(again).items[0]?.description).toBe(
      'Its check is to be run: sh skills/wiz/check.sh - the files of skill "wiz" changed since you were asked: check.sh (changed)',
    );
    expect(wasMade(workspace)).toEqual([]);
    const gate = await reply(true);
    expect(requestOf(gate).items[0]).toMatchObject({ kind: "stage", stage: "one" });
    expect(wasMade(workspace)).toEqual(["new"]);
    expect((await reply(true)).end.status).toBe("finished");
    server.assertDone();
  });

  it("the yes at its gate is taken, since it runs nothing", async () => {
    const { server, asked, reply } = await openStage([], [complete("s2"), done]);
    expect(requestOf(asked).items[0]).toMatchObject({ kind: "stage" });
    const { end } = await reply(true);
    expect(end.status).toBe("finished");
    server.assertDone();
  });
});

describe("an approval for another reason than the one of now", () => {
  it("is said not to be taken, and the question has another id", async () => {
    const workspace = createWorkspace({
      ...files,
      [skill]: skillText(
        { name: "sc", description: "Goes.", "allowed-tools": "Bash(touch:*)" },
        "Run go.sh.",
      ),
    });
    trustWorkspace(workspace);
    const calls = [bash("b1", `touch made && sh ${script}`)];
    const { agent, server } = await createScriptedAgent(workspace, [{ calls }, done], asRecorded);
    const asked = await send(agent, "/sc");
    workspace.write(skill, `${files[skill]}\nMore.\n`);
    const reply = (reply: unknown) => answer(agent, asked.end.thread, { reply });
    const again = await reply(true);
    const [before, after] = [requestOf(asked), requestOf(again)];
    expect(after.id).not.toBe(before.id);
    expect(after.errors).toHaveLength(1);
    expect(after.errors?.[0]).toMatch(/^The last answer was not taken: .*touch made.*\.$/);
    expect(after.items[0]?.description).toMatch(/touch made/);
    const reviews = again.events.flatMap((event) => {
      if (event.type === "review-closed") return [["closed", event.request]];
      return event.type === "review-open" ? [["open", event.request.id]] : [];
    });
    expect(reviews).toEqual([
      ["closed", before.id],
      ["open", after.id],
    ]);
    expect(workspace.exists("made")).toBe(false);
    const last = await reply(true);
    expect(last.end).toMatchObject({ status: "finished" });
    expect(workspace.exists("made")).toBe(true);
    server.assertDone();
  });
});
