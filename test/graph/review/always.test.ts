import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readThread, type SkillAgentOptions } from "../../../src/index.ts";
import { abortWhen, answer, createScriptedAgent, type RunResult, send } from "../../support/agent.ts";
import type { ScriptedTurn } from "../../support/openai-server.ts";
import { createWorkspace, skillText, type Workspace } from "../../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const write = (id: string, path: string) => ({ id, name: "Write", arguments: { path, content: "x" } });
const done = { text: "Done." };
const always = { type: "approve", always: true };

const settingsOf = ({ home }: Workspace) => join(home, ".config/skillgraph/settings.json");
const addedTo = (workspace: Workspace, project = workspace.folder): string[] => {
  const path = settingsOf(workspace);
  if (!existsSync(path)) return [];
  const { projects = {} } = JSON.parse(readFileSync(path, "utf8")) as {
    projects?: Record<string, { permissions: { allow: string[] } }>;
  };
  return projects[project]?.permissions.allow ?? [];
};
const saveSettings = (workspace: Workspace, text: string) => {
  mkdirSync(dirname(settingsOf(workspace)), { recursive: true });
  writeFileSync(settingsOf(workspace), text);
};
const itemsOf = ({ end }: RunResult) => end.request?.items ?? [];
const eventsOf = ({ events }: RunResult, kind: string) => events.filter(({ type }) => type === kind);

async function open(
  turns: ScriptedTurn[],
  options: SkillAgentOptions = {},
  files: Record<string, string> = {},
) {
  const workspace = createWorkspace(files);
  const scripted = await createScriptedAgent(workspace, turns, { sandbox: "off", ...options });
  const asked = await send(scripted.agent, "go");
  const { thread } = asked.end;
  const reply = (reply: unknown, more: object = {}) => answer(scripted.agent, thread, { reply, ...more });
  return { ...scripted, workspace, asked, thread, reply };
}

describe("a call that asks", () => {
  it("carries the command, what it writes, why it asks and the rules of a yes for ever, also in words", async () => {
    const { asked } = await open([{ calls: [bash("b1", "cp a b\u200b"), write("w1", "docs/b.md")] }]);
    const [command, file] = itemsOf(asked);
    expect(command).toMatchObject({
      args: { command: "cp a b\u200b" },
      command: "cp a b<U+200B>",
      allowed: ["approve", "edit", "reject"],
    });
    expect(command?.description).toContain(command?.reason);
    expect(command?.description).toContain("it is: cp a b<U+200B>");
    expect(file).toMatchObject({ writes: ["docs/b.md"], always: ["Write(docs/b.md)"] });
    expect(file).not.toHaveProperty("command");
    expect(file?.description.split("\n")).toEqual([
      file?.reason,
      "Writes: docs/b.md",
      "Approve always would add to your settings for this project: Write(docs/b.md)",
    ]);
  });

  it.each([
    ["a protected place", write("w1", ".git/config")],
    ["the project's settings", write("w1", "skillgraph.json")],
    ["a skill's folder", write("w1", "skills/s/SKILL.md")],
    ["a command that writes there", bash("b1", "echo x > .git/hooks/pre-commit")],
    ["a secret", bash("b1", "cat .env")],
    ["a command that cannot be read", bash("b1", "echo 'x")],
    ["a command that computes", bash("b1", "eval $X")],
    ["a variable that loads code", bash("b1", "LD_PRELOAD=./x.so ls")],
  ])(
    "to %s offers no rule, and a yes for ever is asked again with why and no model call",
    async (_name, call) => {
      const { workspace, server, asked, reply } = await open(
        [{ calls: [call] }, done],
        {},
        { ".env": "K=1" },
      );
      expect(itemsOf(asked)).toHaveLength(1);
      expect(itemsOf(asked)[0]).not.toHaveProperty("always");
      expect(itemsOf(asked)[0]?.description).not.toContain("Approve always");
      await expect(reply(always)).rejects.toThrow('"always" is not offered');
      await reply(false);
      expect(addedTo(workspace)).toEqual([]);
      expect(server.requests).toHaveLength(2);
    },
  );

  it("an ask rule stands against it", async () => {
    const { asked } = await open([{ calls: [bash("b1", "touch a")] }], {
      permissions: { ask: ["Bash(touch:*)"] },
    });
    expect(itemsOf(asked)[0]).not.toHaveProperty("always");
  });

  it("keeps its id and what it offers when it is read again, in another process and under other rules", async () => {
    const { asked, thread, reopen } = await open([{ calls: [bash("b1", "touch a && touch b")] }]);
    const again = await reopen({ permissions: { allow: ["Bash(touch a)"] } });
    const { request } = await readThread(again, thread);
    expect(request).toEqual(asked.end.request);
    expect(request?.items[0]?.always).toEqual(["Bash(touch a)", "Bash(touch b)"]);
  });
});

describe("a yes for ever", () => {
  it("adds the rules that were shown when the call runs, tells it, and the same run does not ask again", async () => {
    const { workspace, server, asked, reply } = await open([
      { calls: [bash("b1", "touch a && touch b")] },
      { calls: [bash("b2", "touch b")] },
      done,
    ]);
    const rules = ["Bash(touch a)", "Bash(touch b)"];
    expect(itemsOf(asked)[0]?.always).toEqual(rules);
    expect(addedTo(workspace)).toEqual([]);
    const after = await reply(always);
    expect(after.end.status).toBe("finished");
    expect(eventsOf(after, "rules-added")).toEqual([
      { type: "rules-added", rules, project: workspace.folder },
    ]);
    expect(addedTo(workspace)).toEqual(rules);
    expect([workspace.exists("a"), workspace.exists("b")]).toEqual([true, true]);
    server.assertDone();
  });

  it("the next run and another thread do not ask, and another project does", async () => {
    const turns = [{ calls: [bash("b1", "touch a")] }, done, { calls: [bash("b2", "touch a")] }, done];
    const { workspace, reply, reopen } = await open([...turns, { calls: [bash("b3", "touch a")] }]);
    await reply("always");
    const next = await reopen();
    expect((await send(next, "again")).end.status).toBe("finished");
    const elsewhere = join(workspace.folder, "..", "other");
    mkdirSync(elsewhere);
    expect((await send(await reopen({ cwd: elsewhere }), "again")).end.status).toBe("waiting");
  });

  it("of two threads both are kept, whatever comes first", async () => {
    const { workspace, agent, reply } = await open([
      { calls: [bash("b1", "touch a")] },
      { calls: [bash("b2", "touch b")] },
      done,
      done,
    ]);
    const other = await send(agent, "also");
    await Promise.all([reply(always), answer(agent, other.end.thread, { reply: always })]);
    expect(addedTo(workspace).toSorted()).toEqual(["Bash(touch a)", "Bash(touch b)"]);
  });

  it("of several calls one for ever, one for once and one refused is each its own", async () => {
    const { workspace, reply, server } = await open([
      { calls: [bash("b1", "touch a"), bash("b2", "touch b"), bash("b3", "touch c")] },
      done,
    ]);
    await reply({ decisions: [always, { type: "approve" }, { type: "reject", message: "Not c." }] });
    expect(addedTo(workspace)).toEqual(["Bash(touch a)"]);
    expect(["a", "b", "c"].map(workspace.exists)).toEqual([true, true, false]);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("Not c.");
  });

  it("a rule that came in meanwhile words the reason of another call anew, and its yes still counts", async () => {
    const turns = [{ calls: [bash("b1", "touch a")] }, { calls: [bash("b2", "touch b")] }, done, done];
    const { workspace, agent, reply } = await open(turns);
    const other = await send(agent, "also");
    await reply(always);
    const after = await answer(agent, other.end.thread, { reply: true });
    expect(after.end.status).toBe("finished");
    expect(workspace.exists("b")).toBe(true);
  });

  it("a yes for once adds nothing", async () => {
    const { workspace, reply } = await open([{ calls: [bash("b1", "touch a")] }, done]);
    const after = await reply({ type: "approve", always: false });
    expect(eventsOf(after, "rules-added")).toEqual([]);
    expect(addedTo(workspace)).toEqual([]);
    expect(workspace.exists("a")).toBe(true);
  });

  it("nothing is added while the rest of the turn is still asked, and then once", async () => {
    const { workspace, reply } = await open([
      { calls: [bash("b1", "touch a"), bash("b2", "touch b")] },
      done,
    ]);
    const rest = await reply({ decisions: [always] });
    expect(itemsOf(rest).map(({ id }) => id)).toEqual(["b2"]);
    expect([addedTo(workspace), workspace.exists("a")]).toEqual([[], false]);
    const after = await reply(false);
    expect(eventsOf(after, "rules-added")).toHaveLength(1);
    expect(addedTo(workspace)).toEqual(["Bash(touch a)"]);
  });

  it("a crash between the word and its writing writes once, when the thread goes on", async () => {
    const { workspace, thread, reopen, server } = await open([{ calls: [bash("b1", "touch a")] }, done]);
    // The word is kept, and the process ends before anything follows from it.
    const first = await reopen();
    const config = { configurable: { thread_id: thread }, interruptAfter: ["review" as const] };
    const { Command } = await import("@langchain/langgraph");
    await first.invoke(new Command({ resume: always }) as never, config as never);
    expect([addedTo(workspace), workspace.exists("a")]).toEqual([[], false]);
    const after = await answer(await reopen(), thread);
    expect(after.end.status).toBe("finished");
    expect(eventsOf(after, "rules-added")).toHaveLength(1);
    expect(addedTo(workspace)).toEqual(["Bash(touch a)"]);
    server.assertDone();
  });

  it("a crash after the writing leaves one rule, and tells of none more", async () => {
    const { workspace, thread, reopen, reply } = await open([
      { calls: [bash("b1", "touch a; sleep 3")] },
      done,
    ]);
    const { Command } = await import("@langchain/langgraph");
    await abortWhen(await reopen(), thread, new Command({ resume: always }), () => workspace.exists("a"));
    const rules = ["Bash(touch a)", "Bash(sleep 3)"];
    expect(addedTo(workspace).toSorted()).toEqual(rules.toSorted());
    const outcome = await answer(await reopen(), thread);
    expect(itemsOf(outcome)).toMatchObject([{ kind: "outcome" }]);
    const after = await reply({ type: "reject" });
    expect([...eventsOf(outcome, "rules-added"), ...eventsOf(after, "rules-added")]).toEqual([]);
    expect(addedTo(workspace).toSorted()).toEqual(rules.toSorted());
  });

  it.each([
    ["are no JSON", (workspace: Workspace) => saveSettings(workspace, "{ oops")],
    ["cannot be written", (workspace: Workspace) => mkdirSync(settingsOf(workspace), { recursive: true })],
  ])(
    "where the settings %s the call runs all the same, and it is said what is not kept",
    async (_name, spoil) => {
      const { workspace, reply } = await open([{ calls: [bash("b1", "touch a")] }, done]);
      spoil(workspace);
      const after = await reply(always);
      expect(after.end.status).toBe("finished");
      expect(workspace.exists("a")).toBe(true);
      expect(eventsOf(after, "rules-added")).toEqual([]);
      const notices = eventsOf(after, "notice").map((event) => ("text" in event ? event.text : ""));
      expect(notices.join("\n")).toMatch(/Not added to your settings: Bash\(touch a\)\. .*(JSON|settings)/s);
    },
  );

  it("a rule that denies the call since then adds nothing", async () => {
    const { workspace, thread, reopen } = await open([{ calls: [bash("b1", "touch a")] }, done]);
    const denying = await reopen({ permissions: { deny: ["Bash(touch:*)"] } });
    const after = await answer(denying, thread, { reply: always });
    expect(after.end.status).toBe("finished");
    expect([addedTo(workspace), workspace.exists("a")]).toEqual([[], false]);
  });

  it("a call that asks for another reason since then adds nothing, also not with the next plain yes", async () => {
    const { workspace, thread, reopen } = await open([{ calls: [bash("b1", "touch a")] }, done]);
    const asking = await reopen({ permissions: { ask: ["Bash(touch:*)"] } });
    const again = await answer(asking, thread, { reply: always });
    expect(itemsOf(again)[0]?.reason).toContain("asks first");
    expect(itemsOf(again)[0]).not.toHaveProperty("always");
    await answer(asking, thread, { reply: true });
    expect([addedTo(workspace), workspace.exists("a")]).toEqual([[], true]);
  });

  it("files of the skill that changed since then are asked about, and offer no rule", async () => {
    const files = {
      "skills/sc/SKILL.md": skillText({ name: "sc", description: "Goes." }, "Run go.sh."),
      "skills/sc/go.sh": "true\n",
    };
    const workspace = createWorkspace(files);
    const turns = [{ calls: [bash("b1", "sh skills/sc/go.sh")] }, done];
    const { agent } = await createScriptedAgent(workspace, turns, { sandbox: "off" });
    const asked = await send(agent, "/sc");
    expect(itemsOf(asked)[0]?.always).toEqual(["Bash(sh skills/sc/go.sh)"]);
    workspace.write("skills/sc/go.sh", "touch new\n");
    const again = await answer(agent, asked.end.thread, { reply: always });
    expect(itemsOf(again)[0]?.reason).toContain("changed since you were asked");
    expect(itemsOf(again)[0]).not.toHaveProperty("always");
    await answer(agent, asked.end.thread, { reply: true });
    expect([addedTo(workspace), workspace.exists("new")]).toEqual([[], true]);
  });
});
