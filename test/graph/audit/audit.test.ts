import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { RuntimeEvent } from "../../../src/index.ts";
import { forkThread, readHistory, readThread } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const write = (id: string, path = id) => ({ id, name: "Write", arguments: { path, content: "x" } });
const load = (id: string, name: string) => ({ id, name: "Skill", arguments: { name } });
const ask = (id: string) => ({ id, name: "AskUser", arguments: { question: "Which one?" } });

function listDecided(events: RuntimeEvent[]) {
  return events.flatMap((event) => (event.type === "call-decided" ? [event] : []));
}

describe("the first verdict of a call", () => {
  it("is kept with the rule that decided and whose it is, and told to who watches", async () => {
    const skill = { name: "g", description: "Looks.", "allowed-tools": "Bash(echo skill:*)" };
    const workspace = createWorkspace({ "skills/g/SKILL.md": skillText(skill, "G") });
    const calls = [bash("b1", "echo skill 1"), bash("b2", "echo mine"), bash("b3", "rm -r x"), write("w1")];
    const { agent } = await createScriptedAgent(workspace, [{ calls }], {
      permissions: { allow: ["Bash(echo mine)"], deny: ["Bash(rm:*)"] },
    });
    const { end, events } = await send(agent, "/g");
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions).toMatchObject([
      { id: "b1", kind: "call", name: "Bash", subject: "echo skill 1", verdict: "allow", by: "rules" },
      { id: "b2", verdict: "allow", rule: "Bash(echo mine)" },
      { id: "b3", verdict: "deny", rule: "Bash(rm:*)", reason: 'rule "Bash(rm:*)" denies it' },
      { id: "w1", verdict: "ask", name: "Write", subject: "w1", by: "rules" },
    ]);
    expect(decisions[0]).toMatchObject({ rule: "Bash(echo skill:*)", skill: "g" });
    for (const index of [1, 2, 3]) expect(decisions[index]).not.toHaveProperty("skill");
    expect(decisions.every(({ at }) => new Date(at).toISOString() === at)).toBe(true);
    expect(listDecided(events)).toEqual(decisions.map((record) => ({ type: "call-decided", ...record })));
  });

  it("is there for every call: harmless ones, loads, questions and calls that cannot be carried out", async () => {
    const workspace = createWorkspace({
      "a.txt": "A",
      "skills/g/SKILL.md": skillText({ name: "g", description: "G." }, "G"),
    });
    const calls = [
      { id: "r1", name: "Read", arguments: { path: "a.txt" } },
      load("s1", "g"),
      { id: "n1", name: "launch_rocket", arguments: { to: "moon" } },
      { id: "n2", name: "Read", arguments: { path: 7 } },
      { id: "n3", name: "Read", arguments: { path: "../out.txt" } },
      ask("q1"),
    ];
    const { agent } = await createScriptedAgent(workspace, [{ calls }]);
    const { end } = await send(agent, "go");
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["r1", "allow"],
      ["s1", "allow"],
      ["n1", "deny"],
      ["n2", "deny"],
      ["n3", expect.stringMatching(/deny|ask/)],
      ["q1", "allow"],
    ]);
    expect(decisions.map(({ subject }) => subject)).toEqual([
      "a.txt",
      "g",
      '{"to":"moon"}',
      '{"path":7}',
      expect.stringContaining("out.txt"),
      "Which one?",
    ]);
  });

  it("names places of the workspace from there, and others in full", async () => {
    const skill = skillText({ name: "far", description: "F.", "allowed-tools": "Read" }, "F");
    const elsewhere = createWorkspace({ "far/SKILL.md": skill, "far/x.txt": "X" });
    const path = `${elsewhere.folder}/far/x.txt`;
    const calls = [
      { id: "g1", name: "Grep", arguments: { pattern: "x" } },
      { id: "r1", name: "Read", arguments: { path } },
    ];
    const { agent } = await createScriptedAgent(createWorkspace(), [{ calls }, { text: "Done." }], {
      skills: [elsewhere.folder],
    });
    const { end } = await send(agent, "/far");
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions.map(({ subject }) => subject)).toEqual([".", path]);
  });

  it.each([
    ["deny", "deny"],
    ["allow", "allow"],
  ] as const)("by the mode %s says so", async (mode, verdict) => {
    const script = [{ calls: [write("w1")] }, { text: "Done." }];
    const { agent } = await createScriptedAgent(createWorkspace(), script, { permissions: { mode } });
    const { end } = await send(agent, "write");
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions).toMatchObject([{ id: "w1", verdict, by: "mode" }]);
  });

  it("of a question is the mode's where questions are refused", async () => {
    const script = [{ calls: [ask("q1")] }, { text: "Done." }];
    const { agent } = await createScriptedAgent(createWorkspace(), script, { permissions: { mode: "deny" } });
    const { end } = await send(agent, "ask");
    expect((await readThread(agent, end.thread)).decisions).toMatchObject([
      { id: "q1", verdict: "deny", by: "mode", reason: "questions are refused" },
    ]);
  });

  it("keeps a long or broken subject on one line that any store can keep", async () => {
    const commands = [
      "echo a\nrm b",
      "echo \0x",
      "echo \uD83D",
      `echo ${"y".repeat(500)}😀`,
      "echo \u2028 z",
    ];
    const calls = commands.map((command, index) => bash(`b${index}`, command));
    const { agent } = await createScriptedAgent(createWorkspace(), [{ calls }]);
    const { end } = await send(agent, "go");
    const subjects = (await readThread(agent, end.thread)).decisions.map(({ subject }) => subject);
    expect(subjects[0]).toBe("echo a ⏎ rm b");
    expect(subjects[3]).toHaveLength(200);
    expect(subjects[3]).toMatch(/y…$/);
    for (const subject of subjects) expect(subject).not.toMatch(/[\0\n\r\u2028\p{Surrogate}]/u);
  });
});

describe("a person's word", () => {
  it("is kept for each item: yes, a change, no with its reason, and an answer", async () => {
    const calls = [write("w1"), write("w2"), write("w3"), ask("q1")];
    const { agent } = await createScriptedAgent(createWorkspace(), [{ calls }, { text: "Done." }]);
    const { end } = await send(agent, "go");
    const decisions = [
      { type: "approve" },
      { type: "edit", edited_action: { name: "Write", args: { path: "other", content: "y" } } },
      { type: "reject", message: "not\nthis one" },
      { type: "respond", message: "the blue one" },
    ];
    const after = await answer(agent, end.thread, { reply: { decisions } });
    const kept = (await readThread(agent, end.thread)).decisions.slice(4);
    expect(kept).toMatchObject([
      { id: "w1", kind: "call", name: "Write", subject: "w1", verdict: "approve", by: "person" },
      { id: "w2", subject: "other", verdict: "edit", by: "person" },
      { id: "w3", verdict: "reject", reason: "the person said no: not ⏎ this one" },
      { id: "q1", kind: "question", verdict: "respond", subject: "Which one?" },
    ]);
    expect(listDecided(after.events)).toHaveLength(4);
  });

  it("on the first of several is kept for that one, and the others are asked again", async () => {
    const calls = [write("w1"), write("w2")];
    const { agent } = await createScriptedAgent(createWorkspace(), [{ calls }]);
    const { end } = await send(agent, "go");
    const after = await answer(agent, end.thread, { reply: { decisions: [{ type: "approve" }] } });
    expect(after.end.request?.items).toMatchObject([{ id: "w2" }]);
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["w1", "ask"],
      ["w2", "ask"],
      ["w1", "approve"],
    ]);
  });

  it("for ever is kept with the rules that it adds", async () => {
    const script = [{ calls: [bash("b1", "npm test"), bash("b2", "touch P")] }, { text: "Done." }];
    const { agent } = await createScriptedAgent(createWorkspace(), script);
    const { end } = await send(agent, "go");
    const decisions = [{ type: "approve", always: true }, { type: "approve" }];
    await answer(agent, end.thread, { reply: { decisions } });
    const kept = (await readThread(agent, end.thread)).decisions.slice(2);
    expect(kept).toMatchObject([
      { id: "b1", verdict: "approve", always: ["Bash(npm test:*)"] },
      { id: "b2" },
    ]);
    expect(kept[1]).not.toHaveProperty("always");
  });

  it("that is not taken is not kept", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [{ calls: [write("w1")] }]);
    const { end } = await send(agent, "go");
    const after = await answer(agent, end.thread, { reply: { type: "edit", args: { content: "y" } } });
    expect(after.end.request?.errors?.join()).toContain('"path" is missing');
    expect((await readThread(agent, end.thread)).decisions).toHaveLength(1);
  });

  it("on loading a skill is kept, and the mode's refusal in its place", async () => {
    const stranger = skillText({ name: "x", description: "Is strange." }, "X");
    for (const [mode, verdict, by] of [
      ["ask", "approve", "person"],
      ["deny", "deny", "mode"],
    ] as const) {
      const workspace = createWorkspace({ ".claude/skills/x/SKILL.md": stranger });
      const script = [{ calls: [load("k1", "x")] }, { text: "Done." }];
      const options = { trust: false, permissions: { mode } };
      const { agent } = await createScriptedAgent(workspace, script, options);
      const { end } = await send(agent, "go");
      if (mode === "ask") await answer(agent, end.thread, { reply: true });
      const { decisions } = await readThread(agent, end.thread);
      expect(decisions).toMatchObject([
        { id: "k1", kind: "call", name: "Skill", verdict: "allow" },
        { id: "k1", kind: "skill", name: "x", verdict, by },
      ]);
    }
  });

  it("at a gate and on going elsewhere is kept with the skill and its stage", async () => {
    const stage = (title: string) => `---\ntitle: ${title}\n---\n${title}\n`;
    const workspace = createWorkspace({
      "skills/t/SKILL.md": skillText({ name: "t", description: "T." }, "INTRO"),
      "skills/t/stages/1-one.md": stage("One"),
      "skills/t/stages/2-two.md": stage("Two"),
    });
    const complete = (id: string) => ({ calls: [{ id, name: "CompleteStage", arguments: { summary: id } }] });
    const script = [complete("s1"), complete("s2"), complete("s3")];
    const { agent } = await createScriptedAgent(workspace, script);
    const { end } = await send(agent, "/t");
    await answer(agent, end.thread, { reply: true });
    await answer(agent, end.thread, { reply: { goto: "one" } });
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions.filter(({ by }) => by === "person")).toMatchObject([
      { id: "s1", kind: "stage", name: "t/one", subject: "s1", verdict: "approve" },
      { id: "s2", kind: "stage", name: "t/two", verdict: "goto", reason: 'the person went to "one"' },
    ]);
  });

  it("on a changed skill is kept", async () => {
    const text = (body: string) => skillText({ name: "d", description: "D." }, body);
    const workspace = createWorkspace({ "skills/d/SKILL.md": text("ONE") });
    const { agent } = await createScriptedAgent(workspace, [{ text: "1" }, { text: "2" }], { drift: "ask" });
    const { end } = await send(agent, "/d");
    workspace.write("skills/d/SKILL.md", text("TWO"));
    await send(agent, "go on", { thread: end.thread });
    await answer(agent, end.thread, { reply: "refresh" });
    expect((await readThread(agent, end.thread)).decisions).toMatchObject([
      { id: "d", kind: "drift", name: "d", verdict: "respond", reason: 'the person chose "refresh"' },
    ]);
  });
});

describe("a verdict that changes later", () => {
  it("is kept beside the first: a deny that was added between the question and the answer", async () => {
    const { agent, reopen, server } = await createScriptedAgent(createWorkspace(), [
      { calls: [bash("b1", "touch P")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "go");
    const later = await reopen({ permissions: { deny: ["Bash(touch:*)"] } });
    await answer(later, end.thread, { reply: true });
    expect((await readThread(agent, end.thread)).decisions).toMatchObject([
      { id: "b1", verdict: "ask" },
      { id: "b1", verdict: "approve", by: "person" },
      { id: "b1", verdict: "deny", by: "rules", rule: "Bash(touch:*)" },
    ]);
    server.assertDone();
  });

  it("is kept beside the first: a rule that was taken away before the call ran", async () => {
    const script = [{ calls: [ask("q1"), write("w1")] }];
    const workspace = createWorkspace();
    const { agent, reopen } = await createScriptedAgent(workspace, script, {
      permissions: { allow: ["Write"] },
    });
    const { end } = await send(agent, "go");
    const after = await answer(await reopen({ permissions: {} }), end.thread, { reply: "this" });
    expect(after.end.request?.items).toMatchObject([{ kind: "call", id: "w1" }]);
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions.map(({ id, verdict, rule }) => [id, verdict, rule])).toEqual([
      ["q1", "allow", undefined],
      ["w1", "allow", "Write"],
      ["q1", "respond", undefined],
      ["w1", "ask", undefined],
    ]);
    expect(workspace.exists("w1")).toBe(false);
  });
});

describe("the record", () => {
  /** Fails at one put, as a process that is killed there would. */
  class DyingSaver extends MemorySaver {
    dyingStep: number | undefined;

    override async put(...words: Parameters<MemorySaver["put"]>) {
      if (words[2].step === this.dyingStep) throw new Error("killed");
      return super.put(...words);
    }
  }

  it.each([1, 2, 3, 4, 5])("names each decision once when the run is killed at step %d", async (step) => {
    const saver = new DyingSaver();
    const calls = [write("w1"), bash("b1", "touch P")];
    const { agent } = await createScriptedAgent(
      createWorkspace(),
      [{ calls }, { text: "Done." }, { text: "Done." }],
      { permissions: { allow: ["Write"], mode: "allow" }, checkpointer: saver },
    );
    saver.dyingStep = step;
    const first = await send(agent, "go", {});
    saver.dyingStep = undefined;
    const { end } = first.end.status === "finished" ? first : await answer(agent, first.end.thread);
    expect(end.status).toBe("finished");
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions.map(({ id, by }) => [id, by])).toEqual([
      ["w1", "rules"],
      ["b1", "mode"],
    ]);
  });

  it("goes along with a fork, which goes on on its own", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [
      { calls: [write("w1")] },
      { text: "1" },
      { text: "2" },
    ]);
    const { end } = await send(agent, "go");
    const asked = (await readHistory(agent, end.thread)).find(({ next }) => next.includes("review"));
    await answer(agent, end.thread, { reply: true });
    const fork = await forkThread(agent, end.thread, asked?.checkpoint ?? "");
    await answer(agent, fork, { reply: false });
    const list = async (thread: string) =>
      (await readThread(agent, thread)).decisions.map(({ verdict }) => verdict);
    expect(await list(end.thread)).toEqual(["ask", "approve"]);
    expect(await list(fork)).toEqual(["ask", "reject"]);
  });

  it("cannot be written from outside", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [{ text: "1" }, { text: "2" }]);
    const { end } = await send(agent, "go");
    const config = { configurable: { thread_id: end.thread } };
    await expect(agent.updateState(config, { audit: [] })).rejects.toThrow(/"audit" cannot be set/);
    const forged = { id: "x", kind: "call", name: "Bash", subject: "", verdict: "approve", by: "person" };
    await agent.invoke({ messages: [], audit: [forged] } as never, config);
    expect((await readThread(agent, end.thread)).decisions).toEqual([]);
  });

  it("grows by what is new: no checkpoint holds the old records again", async () => {
    const kept = { checkpoints: 0, writes: [] as unknown[][] };
    /** Notes what is stored of the channel. */
    class WatchedSaver extends MemorySaver {
      override async put(...words: Parameters<MemorySaver["put"]>) {
        if (Object.hasOwn(words[1].channel_values, "audit")) kept.checkpoints += 1;
        return super.put(...words);
      }

      override async putWrites(...words: Parameters<MemorySaver["putWrites"]>) {
        for (const [channel, value] of words[1])
          if (channel === "audit") kept.writes.push(value as unknown[]);
        return super.putWrites(...words);
      }
    }
    const turns = 50;
    const script = Array.from({ length: turns }, (_, index) => ({ calls: [write(`w${index}`)] }));
    const { agent } = await createScriptedAgent(createWorkspace(), [...script, { text: "Done." }], {
      permissions: { allow: ["Write"] },
      maxSteps: turns + 1,
      checkpointer: new WatchedSaver(),
    });
    const { end } = await send(agent, "go");
    expect((await readThread(agent, end.thread)).decisions).toHaveLength(turns);
    expect(kept.checkpoints).toBe(0);
    expect(kept.writes.map((records) => records.length)).toEqual(Array.from({ length: turns }, () => 1));
  });
});
