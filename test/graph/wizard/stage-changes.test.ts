import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { State } from "../../../src/graph/state.ts";
import { addChanges } from "../../../src/graph/wizard/stage-changes.ts";
import { findThread, readThread } from "../../../src/index.ts";
import { abortWhen, answer, createScriptedAgent, readItem, readState, send } from "../../support/agent.ts";
import { complete, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const files = {
  "skills/notes/SKILL.md": skillText({ name: "notes", description: "Writes notes." }, "Write."),
  "skills/notes/stages/01-draft.md": stageText(["title: Draft"], "DRAFT"),
  "skills/notes/stages/02-polish.md": stageText(["title: Polish"], "POLISH"),
};
const allowed = { permissions: { allow: ["Write", "Edit", "Bash(*)"] } };

let count = 0;
function call(name: string, input: object) {
  count += 1;
  return { calls: [{ id: `call-${count}`, name, arguments: input }] };
}
const write = (path: string, content: string) => call("Write", { path, content });
const bash = (command: string) => call("Bash", { command });

it("the gate shows the net difference of the files that the stage wrote, new, changed and removed ones", async () => {
  const workspace = createWorkspace({
    ...files,
    "a.md": "one\ntwo\n",
    "old.md": "old\n",
    "same.md": "same\n",
  });
  const { agent } = await createScriptedAgent(
    workspace,
    [
      write("a.md", "one\nsecond\n"),
      call("Edit", { path: "a.md", old_string: "second", new_string: "2" }),
      write("new.md", "fresh\n"),
      write("same.md", "other\n"),
      write("same.md", "same\n"),
      bash("rm old.md"),
      complete("s1"),
    ],
    allowed,
  );
  const { end } = await send(agent, "/notes");
  const item = readItem(end);
  expect(item.files).toEqual(["a.md (changed)", "new.md (new)", "old.md (removed)"]);
  expect(item.difference).toBe(
    "--- a.md\n+++ a.md (changed)\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" +
      "--- /dev/null\n+++ new.md\n@@ -0,0 +1,1 @@\n+fresh\n" +
      "--- old.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-old",
  );
  expect(item.description).toContain('Then comes "Polish".\n\nFiles:\n- a.md (changed)');
  expect(item.description).toContain("-two\n+2");
  expect((await readThread(agent, end.thread)).request?.items[0]?.difference).toBe(item.difference);
});

it("a stage that is sent back shows what changed since its first start; the next one, and one that is gone back to, start anew", async () => {
  const workspace = createWorkspace({ ...files, "a.md": "0\n" });
  const { agent } = await createScriptedAgent(
    workspace,
    [
      write("a.md", "1\n"),
      complete("s1"),
      write("a.md", "2\n"),
      complete("s2"),
      write("a.md", "3\n"),
      complete("s3"),
      write("a.md", "4\n"),
      complete("s4"),
    ],
    allowed,
  );
  const first = await send(agent, "/notes");
  expect(readItem(first.end).difference).toContain("-0\n+1");
  const again = await answer(agent, first.end.thread, { reply: { type: "reject", message: "More." } });
  expect(readItem(again.end).difference).toContain("-0\n+2");
  const second = await answer(agent, first.end.thread, { reply: true });
  expect(readItem(second.end).difference).toContain("-2\n+3");
  const back = await answer(agent, first.end.thread, { reply: { goto: "draft" } });
  expect(readItem(back.end)).toMatchObject({ stage: "draft", difference: expect.stringContaining("-3\n+4") });
});

it("a gate lists the files of its own stage alone, and what it showed is not kept after it", async () => {
  const { agent } = await createScriptedAgent(
    createWorkspace(files),
    [
      write("draft.md", "1\n"),
      complete("s1"),
      write("polished.md", "2\n"),
      complete("s2"),
      { text: "Done." },
    ],
    allowed,
  );
  const { end } = await send(agent, "/notes");
  expect(readItem(end).files).toEqual(["draft.md (new)"]);
  const { end: next } = await answer(agent, end.thread, { reply: true });
  expect(readItem(next).files).toEqual(["polished.md (new)"]);
  expect((await answer(agent, end.thread, { reply: true })).end.status).toBe("finished");
  const [skill] = (await readState(agent, end.thread)).active;
  expect(skill?.wizard).toMatchObject({
    status: "finished",
    written: [{ path: "draft.md" }, { path: "polished.md" }],
  });
  expect(skill?.wizard).not.toHaveProperty("changes");
});

it("a stage that changed nothing, or took it back, shows nothing", async () => {
  const { agent } = await createScriptedAgent(
    createWorkspace({ ...files, "a.md": "0\n" }),
    [write("a.md", "1\n"), bash("echo 0 > a.md"), bash("touch b && rm b"), complete("s1"), complete("s2")],
    allowed,
  );
  const { end } = await send(agent, "/notes");
  expect(readItem(end)).not.toHaveProperty("files");
  expect(readItem(end)).not.toHaveProperty("difference");
  const { end: next } = await answer(agent, end.thread, { reply: true });
  expect(readItem(next)).not.toHaveProperty("files");
  const { active } = await readState(agent, end.thread);
  expect(active[0]?.wizard).not.toHaveProperty("changes");
});

it("what is binary, large, secret, outside or computed is named and not shown", async () => {
  const workspace = createWorkspace({
    ...files,
    ".env": "KEY=hidden-1\n",
    "long.txt": `${"x".repeat(300_000)}\n`,
    "away.txt": "here\n",
  });
  writeFileSync(join(workspace.folder, "logo.png"), Buffer.from([0, 1, 2]));
  symlinkSync(workspace.home, join(workspace.folder, "away"));
  const { agent } = await createScriptedAgent(
    workspace,
    [
      bash("echo KEY=hidden-2 > .env"),
      bash("echo more >> long.txt"),
      bash("echo text > logo.png; echo x > away/x.txt"),
      bash('for n in 1; do echo x > "file-$n.txt"; done'),
      bash("mkdir made"),
      bash("ln -sf ../home away.txt"),
      complete("s1"),
    ],
    allowed,
  );
  let { end } = await send(agent, "/notes");
  while (readItem(end).kind === "call") ({ end } = await answer(agent, end.thread, { reply: true }));
  expect(readItem(end).files).toEqual([
    ".env (changed; may hold secrets, so what is in it is not shown)",
    "long.txt (changed; binary or large: 300001 bytes before, 300006 bytes now)",
    "logo.png (changed; binary or large: 3 bytes before)",
    "away/x.txt (outside of the workspace, so it is not looked at)",
    "file-$n.txt (named by a command that computes it, so it is not looked at)",
    "made (new; a folder)",
    "away.txt (changed; leads out of the workspace now, so it is not looked at)",
    "file-1.txt (created while this stage ran)",
  ]);
  expect(readItem(end).difference).toBe("--- /dev/null\n+++ file-1.txt\n@@ -0,0 +1,1 @@\n+x");
  const { texts } = await readState(agent, end.thread);
  expect(JSON.stringify(texts)).not.toContain("hidden-");
});

it("after a crash in the middle of a write, what was there before is still known", async () => {
  const workspace = createWorkspace({ ...files, "a.md": "before\n" });
  const { agent, reopen } = await createScriptedAgent(
    workspace,
    [bash("echo after > a.md; sleep 30"), complete("s1")],
    allowed,
  );
  const input = { messages: [{ role: "user", content: "/notes" }] };
  await abortWhen(
    agent,
    "11111111-1111-4111-8111-111111111111",
    input,
    () => workspace.read("a.md") === "after\n",
  );
  const later = await reopen();
  const thread = await findThread(later);
  const asked = await answer(later, thread);
  expect(readItem(asked.end).kind).toBe("outcome");
  const { end } = await answer(later, thread, { reply: { type: "respond", value: "It ended." } });
  expect(readItem(end).difference).toContain("-before\n+after");
});

it("what a file held is in a checkpoint before the call that writes it, and is kept once", async () => {
  const workspace = createWorkspace({ ...files, "a.md": "before\n" });
  const { agent } = await createScriptedAgent(
    workspace,
    [write("a.md", "1\n"), write("a.md", "2\n"), complete("s1")],
    allowed,
  );
  const { end } = await send(agent, "/notes");
  const snapshots: { files: number; results: number }[] = [];
  for await (const { values } of agent.getStateHistory({ configurable: { thread_id: end.thread } })) {
    const { active = [], messages = [] } = values as Partial<State>;
    const results = messages.filter((message) => message.getType() === "tool").length;
    snapshots.unshift({ files: active[0]?.wizard?.written?.length ?? 0, results });
  }
  expect(snapshots.find(({ files }) => files > 0)).toEqual({ files: 1, results: 0 });
  const { texts } = await readState(agent, end.thread);
  expect(Object.values(texts).filter((text) => text === "before\n")).toHaveLength(1);
  expect(Object.values(texts)).not.toContain("1\n");
});

it("50 files of the calls that name them are looked at, and it is said that there were more", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `f${index}`);
  const { agent } = await createScriptedAgent(
    createWorkspace(files),
    [
      bash(`touch ${names.slice(0, 40).join(" ")}`),
      bash(`touch ${names.slice(40).join(" ")}`),
      write("late.md", "x"),
      complete("s1"),
    ],
    allowed,
  );
  const { end } = await send(agent, "/notes");
  const { files: shown = [], description } = readItem(end);
  expect(shown.slice(49, 52)).toEqual([
    "f49 (new; an empty file)",
    "More than 50 files were written by calls that name them.",
    "f50 (created while this stage ran; an empty file)",
  ]);
  expect(shown).toHaveLength(62);
  expect(description).toContain("- and 52 more");
  const { active } = await readState(agent, end.thread);
  expect(active[0]?.wizard?.written).toHaveLength(51);
});

it("all differences together are bounded, and each that is cut says so", () => {
  const { folder, write: put } = createWorkspace();
  const texts: Record<string, string> = {};
  const written = Array.from({ length: 8 }, (_, index) => {
    texts[`file:${index}`] = Array.from(
      { length: 150 },
      (_, line) => `old line ${line} ${"o".repeat(20)}`,
    ).join("\n");
    put(
      `f${index}`,
      Array.from({ length: 150 }, (_, line) => `new line ${line} ${"n".repeat(20)}`).join("\n"),
    );
    return { stage: "draft", path: `f${index}`, kind: "text" as const, mark: `file:${index}` };
  });
  const wizard = {
    digest: "d",
    anchor: "",
    stage: "draft",
    status: "gate",
    results: [],
    attempts: 0,
    failures: [],
  };
  const [skill] = addChanges([{ name: "notes", wizard: { ...wizard, written } }] as never, texts, folder);
  const changes = skill?.wizard?.changes ?? [];
  const sizes = changes.map(({ difference = "" }) => difference.length);
  const sum = sizes.reduce((before, size) => before + size, 0);
  expect(sum).toBeLessThan(20_200);
  // Less would hide what there is room for.
  expect(sum).toBeGreaterThan(19_000);
  expect(changes).toHaveLength(8);
  for (const { difference, note } of changes)
    expect(note ?? difference).toMatch(/more lines$|there are too many/);
});

it("outside of a wizard nothing is kept of files", async () => {
  const workspace = createWorkspace({ "a.md": "before\n" });
  const { agent } = await createScriptedAgent(workspace, [write("a.md", "1\n"), { text: "Done." }], allowed);
  const { end } = await send(agent, "write");
  expect((await readState(agent, end.thread)).texts).toEqual({});
});
