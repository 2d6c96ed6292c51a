import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startThread } from "../../src/index.ts";
import type { RunResult } from "../support/agent.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import type { ScriptedTurn } from "../support/openai-server.ts";
import { asRecorded, trustWorkspace } from "../support/trust.ts";
import { createWorkspace, skillText, type Workspace } from "../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const load = (id: string, name: string) => ({ id, name: "Skill", arguments: { name } });
const write = (id: string, path: string) => ({ id, name: "Write", arguments: { path, content: "x" } });

const go = {
  "skills/go/SKILL.md": skillText(
    { name: "go", description: "Goes.", "allowed-tools": "Bash(sh skills/go/go.sh) Bash(touch:*)" },
    "Run go.sh.",
  ),
  "skills/go/go.sh": "touch P",
};
const pen = {
  "skills/pen/SKILL.md": skillText({ name: "pen", description: "P.", "allowed-tools": "Write" }, "Write it."),
};

/** A project that is trusted with its skills, and an agent which goes by what was recorded. */
async function createTrusted(files: Record<string, string>, script: ScriptedTurn[], options = {}) {
  const workspace = createWorkspace(files);
  trustWorkspace(workspace);
  return { workspace, ...(await createScriptedAgent(workspace, script, { ...asRecorded, ...options })) };
}

const itemOf = ({ end }: RunResult) => end.request?.items[0];
const noticesOf = ({ events }: RunResult) =>
  events.flatMap((event) => (event.type === "notice" ? [event.text] : []));

describe("a skill of a trusted project", () => {
  it("loads and grants while its files are what was recorded", async () => {
    const { agent, workspace, server } = await createTrusted(go, [
      { calls: [load("s1", "go")] },
      { calls: [bash("b1", "sh skills/go/go.sh")] },
      { text: "Gone." },
    ]);
    expect((await send(agent, "go on")).end).toMatchObject({ status: "finished", answer: "Gone." });
    expect(workspace.exists("P")).toBe(true);
    server.assertDone();
  });

  it.each<[string, (workspace: Workspace) => void, string[], RegExp]>([
    [
      "a script changed",
      ({ write: put }) => put("skills/go/go.sh", "touch Q"),
      ["go.sh (changed)"],
      /1 file changed since it was trusted: go\.sh \(changed\)/,
    ],
    [
      "a file is new and another gone",
      ({ folder }) => renameSync(join(folder, "skills/go/go.sh"), join(folder, "skills/go/GO.sh")),
      ["GO.sh (new)", "go.sh (gone)"],
      /2 files changed/,
    ],
    [
      "its header asks for more",
      ({ write: put }) =>
        put("skills/go/SKILL.md", skillText({ name: "go", description: "G.", "allowed-tools": "Bash" }, "x")),
      ["SKILL.md (changed)"],
      /SKILL\.md \(changed\)/,
    ],
    [
      "its folder became a link to another",
      ({ folder, write: put }) => {
        renameSync(join(folder, "skills/go"), join(folder, "moved"));
        put("moved/go.sh", "touch Q");
        symlinkSync("../moved", join(folder, "skills/go"));
      },
      [],
      /not recorded when its project was trusted/,
    ],
  ])(
    "%s: it loads after consent that says so, and grants nothing",
    async (_name, change, changed, reason) => {
      const { agent, workspace, server } = await createTrusted(go, [{ calls: [bash("b1", "touch P")] }]);
      change(workspace);
      const asked = await send(agent, "/go");
      expect(itemOf(asked)).toMatchObject({ kind: "skill", name: "go", risk: "L2", changed });
      expect(itemOf(asked)?.description).toMatch(reason);
      expect(itemOf(asked)?.description).toMatch(/asks for Bash.* It is granted nothing/);
      expect(server.requests).toHaveLength(0);
      const loaded = await answer(agent, asked.end.thread, { reply: true });
      expect(loaded.end.status).toBe("waiting");
      expect(itemOf(loaded)).toMatchObject({ kind: "call", name: "Bash" });
      expect(workspace.exists("P")).toBe(false);
    },
  );

  it("is as good as unknown when it came after the trust, and so is every one of a list without records", async () => {
    const { agent, workspace } = await createTrusted({ "skills/notes.md": "" }, []);
    for (const [path, text] of Object.entries(pen)) workspace.write(path, text);
    const asked = await send(agent, "/pen");
    expect(itemOf(asked)?.description).toMatch(/not recorded when its project was trusted/);
    const folder = join(workspace.home, ".config/skillgraph");
    writeFileSync(join(folder, "trust.json"), JSON.stringify({ folders: [workspace.folder] }));
    expect(itemOf(await send(agent, "/pen"))?.description).toMatch(/skillgraph trust/);
  });

  it("is trusted again by the same command, without another process", async () => {
    const { agent, workspace, server } = await createTrusted(pen, [
      { calls: [write("w1", "P")] },
      { text: "Done." },
    ]);
    workspace.write("skills/pen/more.md", "more");
    expect((await send(agent, "/pen")).end.status).toBe("waiting");
    trustWorkspace(workspace);
    expect((await send(agent, "/pen")).end).toMatchObject({ status: "finished", answer: "Done." });
    expect(workspace.exists("P")).toBe(true);
    server.assertDone();
  });

  it("whose folder cannot be read whole is never recorded", async () => {
    const workspace = createWorkspace(pen);
    symlinkSync("/usr", join(workspace.folder, "skills/pen/out"));
    trustWorkspace(workspace);
    const { agent } = await createScriptedAgent(workspace, [], asRecorded);
    expect((await send(agent, "/pen")).end.status).toBe("waiting");
  });

  it("in a folder that the project's settings name counts as its own, and under --skills as the person's", async () => {
    const files = {
      "more/pen/SKILL.md": pen["skills/pen/SKILL.md"],
      "skillgraph.json": '{"skills":{"roots":["more"]}}',
    };
    const { agent, workspace, reopen, server } = await createTrusted(files, [
      { calls: [write("w1", "P")] },
      { text: "Done." },
    ]);
    workspace.write("more/pen/x", "new");
    const asked = await send(agent, "/pen");
    expect(itemOf(asked)?.description).toMatch(/x \(new\)/);
    const named = await reopen({ skills: [join(workspace.folder, "more")] });
    expect((await send(named, "/pen")).end.answer).toBe("Done.");
    server.assertDone();
  });

  it("is trusted for one run by --trust, whatever was recorded", async () => {
    const { agent, workspace } = await createTrusted(
      pen,
      [{ calls: [write("w1", "P")] }, { text: "Done." }],
      {
        trust: true,
      },
    );
    workspace.write("skills/pen/more.md", "more");
    expect((await send(agent, "/pen")).end.answer).toBe("Done.");
  });
});

describe("a skill that changed after it was loaded", () => {
  const loaded = [
    { text: "Loaded." },
    { calls: [bash("b1", "sh skills/go/go.sh")] },
  ] satisfies ScriptedTurn[];

  it("grants nothing from the next run on, says so, and does not run the new script unasked", async () => {
    const { agent, workspace } = await createTrusted(go, loaded);
    const { end } = await send(agent, "/go");
    workspace.write("skills/go/go.sh", "touch Q");
    const after = await send(agent, "go on", { thread: end.thread });
    expect(after.end.status).toBe("waiting");
    expect(noticesOf(after).filter((text) => text.includes("grants nothing"))).toEqual([
      'The skill "go" grants nothing for now: 1 file changed since it was trusted: go.sh (changed). See "skillgraph trust".',
    ]);
    expect(workspace.exists("Q")).toBe(false);
  });

  it("says so once in a run, though it is looked at again after a call that was approved", async () => {
    const { agent, workspace } = await createTrusted(go, [...loaded, { calls: [bash("b2", "touch R")] }]);
    const { end } = await send(agent, "/go");
    workspace.write("skills/go/go.sh", "touch Q");
    await send(agent, "go on", { thread: end.thread });
    for (let round = 0; round < 3 && !workspace.exists("Q"); round += 1) {
      const after = await answer(agent, end.thread, { reply: true });
      const told = noticesOf(after).filter((text) => text.includes("grants nothing"));
      if (!workspace.exists("Q")) continue;
      expect([after.end.status, itemOf(after)?.args]).toEqual(["waiting", { command: "touch R" }]);
      expect(told).toHaveLength(1);
    }
    expect(workspace.exists("Q")).toBe(true);
  });

  it("grants again once it is trusted again", async () => {
    const { agent, workspace } = await createTrusted(go, [...loaded, { text: "Done." }]);
    const { end } = await send(agent, "/go");
    workspace.write("skills/go/go.sh", "touch Q");
    trustWorkspace(workspace);
    expect((await send(agent, "go on", { thread: end.thread })).end.status).toBe("finished");
    expect(workspace.exists("Q")).toBe(true);
  });

  it.each<[string, string, string, boolean]>([
    ["no longer lists the command", "Bash(sh skills/go/go.sh) Write", "Write", false],
    ["lists it narrower", "Bash", "Bash(sh skills/go/go.sh)", false],
    ["lists the same in another form", "Bash(sh skills/go/go.sh)", "Write Shell(sh skills/go/go.sh)", true],
    ["lists its tool without a limit", "Bash(sh skills/go/go.sh)", "Bash", true],
  ])(
    "and is trusted anew, but %s: the pinned thread is granted no more than both",
    async (_how, old, now, runs) => {
      const header = (tools: string) =>
        skillText({ name: "go", description: "G.", "allowed-tools": tools }, "Go.");
      const files = { "skills/go/SKILL.md": header(old), "skills/go/go.sh": "touch P" };
      const { agent, workspace } = await createTrusted(files, [
        ...loaded,
        ...(runs ? [{ text: "Done." }] : []),
      ]);
      const { end } = await send(agent, "/go");
      workspace.write("skills/go/SKILL.md", header(now));
      workspace.write("skills/go/go.sh", "touch Q");
      trustWorkspace(workspace);
      const after = await send(agent, "go on", { thread: end.thread });
      expect(after.end.status).toBe(runs ? "finished" : "waiting");
      expect(workspace.exists("Q")).toBe(runs);
      const lost = noticesOf(after).filter((text) => text.includes("no longer grants"));
      expect(lost).toEqual(
        runs ? [] : [expect.stringContaining(`no longer grants ${old.split(" W")[0]}: its SKILL.md`)],
      );
    },
  );

  it("and is the person's own is cut to what its header still lists, too", async () => {
    const workspace = createWorkspace();
    const header = (tools: string) =>
      skillText({ name: "go", description: "G.", "allowed-tools": tools }, "Go.");
    const path = join(workspace.home, ".agents/skills/go");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "SKILL.md"), header("Bash(touch:*)"));
    const { agent } = await createScriptedAgent(workspace, [
      { text: "Loaded." },
      { calls: [bash("b1", "touch P")] },
    ]);
    const { end } = await send(agent, "/go");
    writeFileSync(join(path, "SKILL.md"), header("Read"));
    expect((await send(agent, "on", { thread: end.thread })).end.status).toBe("waiting");
    expect(workspace.exists("P")).toBe(false);
  });

  it("and whose stage no longer lists the command does not run it unasked", async () => {
    const stage = (tools: string) => `---\ntitle: One\nallowed-tools: ${tools}\n---\nDo it.`;
    const { agent, workspace } = await createTrusted(
      {
        "skills/wiz/SKILL.md": skillText({ name: "wiz", description: "W." }, "Intro."),
        "skills/wiz/stages/01-one.md": stage("Bash(sh skills/wiz/go.sh) Bash(touch:*)"),
        "skills/wiz/go.sh": "touch P",
      },
      [
        { text: "Loaded." },
        { calls: [bash("b1", "touch kept")] },
        { calls: [bash("b2", "sh skills/wiz/go.sh")] },
      ],
    );
    const { end } = await send(agent, "/wiz");
    workspace.write("skills/wiz/stages/01-one.md", stage("Bash(touch:*)"));
    workspace.write("skills/wiz/go.sh", "touch Q");
    trustWorkspace(workspace);
    const after = await send(agent, "on", { thread: end.thread });
    expect(itemOf(after)).toMatchObject({ kind: "call", id: "b2" });
    expect([workspace.exists("kept"), workspace.exists("Q")]).toEqual([true, false]);
  });

  it("while a question waited does not run with its answer, though it was allowed when it was asked", async () => {
    const { agent, workspace } = await createTrusted(go, [
      { text: "Loaded." },
      { calls: [bash("b1", "sh skills/go/go.sh"), write("w1", "W")] },
    ]);
    const { end } = await send(agent, "/go");
    const asked = await send(agent, "go on", { thread: end.thread });
    expect(asked.end.request?.items.map(({ name }) => name)).toEqual(["Write"]);
    workspace.write("skills/go/go.sh", "touch Q");
    const after = await answer(agent, end.thread, { reply: true });
    expect(after.end.status).toBe("waiting");
    expect(itemOf(after)).toMatchObject({ kind: "call", id: "b1" });
    expect(workspace.exists("Q")).toBe(false);
  });

  it("its pinned stage grants nothing by the trust that another text of it got later", async () => {
    const stage = (tools: string) => `---\ntitle: One\nallowed-tools: ${tools}\n---\nDo it.`;
    const files = {
      "skills/wiz/SKILL.md": skillText({ name: "wiz", description: "W." }, "Intro."),
      "skills/wiz/stages/01-one.md": stage("Bash(touch:*)"),
    };
    const workspace = createWorkspace(files);
    const { agent, reopen } = await createScriptedAgent(
      workspace,
      [{ text: "Loaded." }, { calls: [bash("b1", "touch P")] }],
      { trust: false },
    );
    const asked = await send(agent, "/wiz");
    expect(itemOf(asked)).toMatchObject({ risk: "L2", asks: ["Bash(touch:*)"] });
    await answer(agent, asked.end.thread, { reply: true });
    workspace.write("skills/wiz/stages/01-one.md", stage("Read"));
    trustWorkspace(workspace);
    const after = await send(await reopen(asRecorded), "on", { thread: asked.end.thread });
    expect(after.end.status).toBe("waiting");
    expect(workspace.exists("P")).toBe(false);
  });
});

describe("a header that was other for a moment", () => {
  it("grants what the trusted file says, not what was read at the beginning of the run", async () => {
    const { agent, workspace, server } = await createTrusted(pen, [
      { calls: [load("s1", "pen")] },
      { calls: [bash("b1", "touch P")] },
    ]);
    const good = workspace.read("skills/pen/SKILL.md");
    workspace.write("skills/pen/SKILL.md", good.replace("Write", "Bash"));
    for await (const event of startThread(agent, "go on")) {
      if (event.type === "model-start" && server.requests.length === 0)
        workspace.write("skills/pen/SKILL.md", good);
    }
    expect(server.requests).toHaveLength(2);
    expect(workspace.exists("P")).toBe(false);
  });
});

describe("a consent", () => {
  it.each<[string, (workspace: Workspace) => void]>([
    ["a script", ({ write: put }) => put("skills/go/go.sh", "touch Q")],
    ["a new file", ({ write: put }) => put("skills/go/extra", "")],
    [
      "the folder, for a link",
      ({ folder, write: put }) => {
        rmSync(join(folder, "skills/go"), { recursive: true });
        for (const [path, text] of Object.entries(go)) put(path.replace("skills/go", "evil"), `${text}\n`);
        mkdirSync(join(folder, "skills"), { recursive: true });
        symlinkSync("../evil", join(folder, "skills/go"));
      },
    ],
  ])(
    "is for the files that were shown: %s changed meanwhile, and it is asked again",
    async (_name, change) => {
      const workspace = createWorkspace(go);
      const { agent, server } = await createScriptedAgent(workspace, [{ text: "Loaded." }], { trust: false });
      const asked = await send(agent, "/go");
      change(workspace);
      const again = await answer(agent, asked.end.thread, { reply: true });
      expect(again.end.status).toBe("waiting");
      expect(again.end.request?.errors).toEqual([
        'The files of "go" changed after they were shown; this is what is there now.',
      ]);
      expect(again.end.request?.id).not.toBe(asked.end.request?.id);
      expect(server.requests).toHaveLength(0);
      const late = answer(agent, asked.end.thread, { reply: true, request: asked.end.request?.id ?? "" });
      await expect(late).rejects.toMatchObject({ code: "request-unknown" });
      const last = await answer(agent, asked.end.thread, {
        reply: true,
        request: again.end.request?.id ?? "",
      });
      expect(last.end.answer).toBe("Loaded.");
    },
  );

  it("holds when nothing but times changed", async () => {
    const workspace = createWorkspace(go);
    const { agent } = await createScriptedAgent(workspace, [{ text: "Loaded." }], { trust: false });
    const asked = await send(agent, "/go");
    for (const [path, text] of Object.entries(go)) workspace.write(path, text);
    expect((await answer(agent, asked.end.thread, { reply: true })).end.answer).toBe("Loaded.");
  });
});

describe("an untrusted skill that asks to run commands", () => {
  it("is not told to the model, which cannot load it", async () => {
    const workspace = createWorkspace({ ...go, ...pen });
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [load("s1", "go")] }, { text: "Sorry." }],
      { trust: false },
    );
    const { end } = await send(agent, "go");
    expect(end).toMatchObject({ status: "finished", answer: "Sorry." });
    const tools = JSON.stringify(server.requests[0]?.body.tools);
    expect(tools).toContain("pen");
    expect(tools).not.toContain("Goes.");
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain(
      'Only a person can load \\"go\\", with /go',
    );
  });

  it("nor when it was trusted and changed since", async () => {
    const { agent, workspace, server } = await createTrusted({ ...go, ...pen }, [
      { text: "One." },
      { calls: [load("s1", "go")] },
      { text: "Sorry." },
    ]);
    await send(agent, "hello");
    workspace.write("skills/go/go.sh", "touch Q");
    expect((await send(agent, "hello")).end.answer).toBe("Sorry.");
    expect(JSON.stringify(server.requests[0]?.body.tools)).toContain("Goes.");
    expect(JSON.stringify(server.requests[1]?.body.tools)).not.toContain("Goes.");
  });

  it("nor when only its stages ask for it", async () => {
    const workspace = createWorkspace({
      "skills/wiz/SKILL.md": skillText({ name: "wiz", description: "W." }, "Intro."),
      "skills/wiz/stages/01-one.md": "---\ntitle: One\ncheck: make test\n---\nDo it.",
    });
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [load("s1", "wiz")] }, { text: "Sorry." }],
      { trust: false },
    );
    expect((await send(agent, "go")).end.answer).toBe("Sorry.");
    expect(JSON.stringify(server.requests[0]?.body.tools ?? [])).not.toContain("wiz");
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("Only a person can load");
  });

  it("nor when only its stages ask for it, and they changed since it was trusted", async () => {
    const { agent, workspace, server } = await createTrusted(
      {
        "skills/wiz/SKILL.md": skillText({ name: "wiz", description: "Wizardry." }, "Intro."),
        "skills/wiz/stages/01-one.md": "---\ntitle: One\ncheck: make test\n---\nDo it.",
      },
      [{ text: "One." }, { text: "Two." }],
    );
    await send(agent, "hello");
    workspace.write("skills/wiz/stages/01-one.md", "---\ntitle: One\ncheck: make more\n---\nDo it.");
    await send(agent, "hello");
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body.tools));
    expect(first).toContain("Wizardry.");
    expect(second).not.toContain("Wizardry.");
    server.assertDone();
  });

  it("while one whose stages only read is offered", async () => {
    const workspace = createWorkspace({
      "skills/wiz/SKILL.md": skillText({ name: "wiz", description: "Wizardry." }, "Intro."),
      "skills/wiz/stages/01-one.md": "---\ntitle: One\nallowed-tools: Read\n---\nDo it.",
    });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "One." }], { trust: false });
    await send(agent, "hello");
    expect(JSON.stringify(server.requests[0]?.body.tools)).toContain("Wizardry.");
  });
});

describe("what a skill may do", () => {
  const wide = {
    "skills/wide/SKILL.md": skillText(
      { name: "wide", description: "W.", "allowed-tools": "Bash Write Read" },
      "Do it.",
    ),
  };

  it.each([
    ["an ask rule of the person", { ask: ["Bash(touch:*)"] }, "waiting"],
    ["a deny rule of the person", { deny: ["Bash(touch:*)"] }, "finished"],
  ] as const)("never beats %s", async (_name, rules, status) => {
    const { agent, workspace } = await createTrusted(
      wide,
      [{ calls: [bash("b1", "touch P")] }, ...(status === "finished" ? [{ text: "No." }] : [])],
      { permissions: { ...rules } },
    );
    expect((await send(agent, "/wide")).end.status).toBe(status);
    expect(workspace.exists("P")).toBe(false);
  });

  it("never beats a deny rule of the project, nor a protected place under the mode deny", async () => {
    const { agent, workspace, server } = await createTrusted(
      { ...wide, "skillgraph.json": '{"permissions":{"deny":["Bash(touch:*)"]}}' },
      [{ calls: [bash("b1", "touch P"), write("w1", ".env")] }, { text: "No." }],
      { permissions: { mode: "deny" } },
    );
    expect((await send(agent, "/wide")).end.answer).toBe("No.");
    expect([workspace.exists("P"), workspace.exists(".env")]).toEqual([false, false]);
    server.assertDone();
  });

  it("is denied by an untrusted skill, too: what it forbids counts, what it allows does not", async () => {
    const workspace = createWorkspace({
      "skills/shy/SKILL.md": skillText(
        { name: "shy", description: "S.", "allowed-tools": "Write", "disallowed-tools": "Bash" },
        "Do it.",
      ),
    });
    const { agent } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "ls"), write("w1", "P")] }],
      { trust: false, permissions: { allow: ["Bash"] } },
    );
    const asked = await send(agent, "/shy");
    const after = await answer(agent, asked.end.thread, { reply: true });
    expect(after.end.request?.items.map(({ id }) => id)).toEqual(["w1"]);
  });
});

describe("what a person approved in the middle of a run", () => {
  const change = { id: "w1", name: "Write", arguments: { path: "skills/go/go.sh", content: "touch Q" } };
  const run = bash("b1", "sh skills/go/go.sh");

  it.each<[string, ScriptedTurn[]]>([
    ["in the same turn", [{ calls: [change, run] }]],
    ["in the next turn", [{ calls: [change] }, { calls: [run] }]],
  ])("and changed a script does not let it run unasked under the old grant, %s", async (_name, script) => {
    const { agent, workspace, server } = await createTrusted(go, script);
    const asked = await send(agent, "/go");
    expect(asked.end.request?.items.map(({ id }) => id)).toEqual(["w1"]);
    const after = await answer(agent, asked.end.thread, { reply: true });
    expect(itemOf(after)).toMatchObject({ kind: "call", id: "b1" });
    expect(noticesOf(after)).toContainEqual(expect.stringContaining('"go" grants nothing for now'));
    expect(workspace.read("skills/go/go.sh")).toBe("touch Q");
    expect(workspace.exists("Q")).toBe(false);
    server.assertDone();
  });

  it("and changed nothing of a skill leaves its grant", async () => {
    const { agent, workspace, server } = await createTrusted(go, [
      { calls: [write("w1", "notes.md"), run] },
      { text: "Done." },
    ]);
    const asked = await send(agent, "/go");
    expect((await answer(agent, asked.end.thread, { reply: true })).end.answer).toBe("Done.");
    expect(workspace.exists("P")).toBe(true);
    server.assertDone();
  });
});

describe("the model that a skill names", () => {
  const files = {
    "skills/big/SKILL.md": skillText({ name: "big", description: "B.", model: "large" }, "Think."),
    "skills/wiz/SKILL.md": skillText({ name: "wiz", description: "W." }, "Intro."),
    "skills/wiz/stages/01-one.md": "---\ntitle: One\nmodel: large\n---\nDo it.",
  };

  it.each([
    ["/big", true, "costly"],
    ["/big", false, "test-model"],
    ["/wiz", true, "costly"],
    ["/wiz", false, "test-model"],
  ])(
    "of %s, trusted: %s, is %s: an untrusted one does not choose who is paid",
    async (task, trust, model) => {
      const workspace = createWorkspace(files);
      const settings = join(workspace.home, ".config/skillgraph/settings.json");
      mkdirSync(join(settings, ".."), { recursive: true });
      writeFileSync(settings, JSON.stringify({ models: { large: "costly" } }));
      const { agent, server } = await createScriptedAgent(workspace, [{ text: "Done." }], { trust });
      const first = await send(agent, task);
      if (!trust) await answer(agent, first.end.thread, { reply: true });
      expect(server.requests.map(({ body }) => body.model)).toEqual([model]);
    },
  );
});
