import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ActiveSkill, WizardProgress } from "../../../src/graph/skill-state.ts";
import { addChanges, describeChange } from "../../../src/graph/wizard/stage-changes.ts";
import { noteSurvey } from "../../../src/graph/wizard/stage-survey.ts";
import { findThread, type RunEnd } from "../../../src/index.ts";
import { abortWhen, answer, createScriptedAgent, readItem, readState, send } from "../../support/agent.ts";
import { complete, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const release = [
  "printf '# 2.0\\n# 1.0\\n' > CHANGELOG.md",
  "echo made > made.txt",
  "rm old.txt",
  "chmod 755 run.sh",
  "printf 'echo\\n' > new.sh && chmod 755 new.sh",
  "touch same.md",
].join("\n");

const files = {
  "skills/ship/SKILL.md": skillText({ name: "ship", description: "Ships." }, "Ship."),
  "skills/ship/stages/01-make.md": stageText(["title: Make"], "MAKE"),
  "skills/ship/stages/02-tell.md": stageText(["title: Tell"], "TELL"),
  "release.sh": `${release}\n`,
  "CHANGELOG.md": "# 1.0\n",
  "old.txt": "old\n",
  "run.sh": "echo\n",
  "same.md": "same\n",
};
const allowed = { permissions: { allow: ["Write", "Bash(*)"], mode: "allow" as const } };

let count = 0;
function bash(command: string) {
  count += 1;
  return { calls: [{ id: `call-${count}`, name: "Bash", arguments: { command } }] };
}

function open(more: Record<string, string> = {}) {
  const workspace = createWorkspace({ ...files, ...more });
  chmodSync(join(workspace.folder, "run.sh"), 0o644);
  return workspace;
}

it("the gate shows what a script changed by itself: created, changed and removed files, and their modes", async () => {
  const { agent } = await createScriptedAgent(
    open(),
    [bash("sh release.sh"), bash("ls"), complete("s1")],
    allowed,
  );
  const { end } = await send(agent, "/ship");
  const item = readItem(end);
  expect(item.files).toEqual([
    "CHANGELOG.md (changed while this stage ran)",
    "made.txt (created while this stage ran)",
    "new.sh (created while this stage ran; mode 755)",
    "old.txt (removed while this stage ran)",
    "run.sh (changed while this stage ran; mode 644 to 755)",
  ]);
  expect(item.difference).toContain(
    "--- CHANGELOG.md\n+++ CHANGELOG.md (changed)\n@@ -1,1 +1,2 @@\n+# 2.0\n # 1.0",
  );
  expect(item.difference).toContain("--- old.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-old");
  expect(item.difference).toContain("+++ made.txt");
  // The workspace is listed once, however many commands there are.
  const { texts } = await readState(agent, end.thread);
  expect(Object.keys(texts).filter((key) => key.startsWith("survey:"))).toHaveLength(1);
});

it("a file that calls name stands once, with what became of its mode", async () => {
  const write = { calls: [{ id: "w1", name: "Write", arguments: { path: "go.sh", content: "echo\n" } }] };
  const { agent } = await createScriptedAgent(
    open(),
    [bash("ls"), write, bash("chmod 755 go.sh run.sh"), complete("s1")],
    allowed,
  );
  const { end } = await send(agent, "/ship");
  expect(readItem(end).files).toEqual(["go.sh (new; mode 755)", "run.sh (changed; mode 644 to 755)"]);
});

it("what a check of the stage changes is shown, too", async () => {
  const { agent } = await createScriptedAgent(
    open({ "skills/ship/stages/01-make.md": stageText(["title: Make", "check: sh release.sh"], "MAKE") }),
    [complete("s1")],
    allowed,
  );
  const { end } = await send(agent, "/ship");
  expect(readItem(end)).toMatchObject({ kind: "stage", stage: "make" });
  expect(readItem(end).files).toContain("made.txt (created while this stage ran)");
});

it("after a crash in the middle of a command its changes are known, with their differences", async () => {
  const workspace = open({ "slow.sh": "echo 2 > CHANGELOG.md\nsleep 30\n" });
  const { agent, reopen } = await createScriptedAgent(
    workspace,
    [bash("sh slow.sh"), complete("s1")],
    allowed,
  );
  const input = { messages: [{ role: "user", content: "/ship" }] };
  const thread = "22222222-2222-4222-8222-222222222222";
  await abortWhen(agent, thread, input, () => workspace.read("CHANGELOG.md") === "2\n");
  const later = await reopen();
  const { end: asked } = await answer(later, await findThread(later));
  expect(readItem(asked).kind).toBe("outcome");
  const { end } = await answer(later, thread, { reply: { type: "respond", value: "It ended." } });
  expect(readItem(end).files).toEqual(["CHANGELOG.md (changed while this stage ran)"]);
  expect(readItem(end).difference).toContain("-# 1.0\n+2");
});

it("a stage that is sent back shows all since its first command; one that begins again or comes next, only its own", async () => {
  const { agent } = await createScriptedAgent(
    open({ "add.sh": "echo x > made-$1.txt\n" }),
    [
      ...[bash("sh add.sh 1"), complete("s1")],
      ...[bash("sh add.sh 2"), complete("s2")],
      ...[bash("sh add.sh 3"), complete("s3")],
      ...[bash("sh add.sh 4"), complete("s4")],
    ],
    allowed,
  );
  const { end } = await send(agent, "/ship");
  const made = (...numbers: number[]) =>
    numbers.map((each) => `made-${each}.txt (created while this stage ran)`);
  expect(readItem(end).files).toEqual(made(1));
  const again = await answer(agent, end.thread, { reply: { type: "reject", message: "More." } });
  expect(readItem(again.end).files).toEqual(made(1, 2));
  const next = await answer(agent, end.thread, { reply: true });
  expect(readItem(next.end)).toMatchObject({ stage: "tell", files: made(3) });
  const back = await answer(agent, end.thread, { reply: { goto: "make" } });
  expect(readItem(back.end)).toMatchObject({ stage: "make", files: made(4) });
});

it("a stage without a command surveys nothing", async () => {
  const read = { calls: [{ id: "r1", name: "Read", arguments: { path: "same.md" } }] };
  const { agent } = await createScriptedAgent(open(), [read, complete("s1")], allowed);
  const { end } = await send(agent, "/ship");
  expect((await readState(agent, end.thread)).active[0]?.wizard).not.toHaveProperty("survey");
});

const begun: WizardProgress = {
  ...{ digest: "d", anchor: "", stage: "make", status: "gate" as const },
  ...{ results: [], attempts: 0, failures: [] },
};

/** Lines of the gate after something was done to the workspace. */
function listAfter(folder: string, change: () => void, progress = begun, later = folder): string[] {
  const noted = noteSurvey(progress, folder);
  change();
  const wizard = { ...progress, ...(noted ? { survey: noted.survey } : {}) };
  const [skill] = addChanges([{ name: "ship", wizard } as ActiveSkill], noted?.texts ?? {}, later);
  return (skill?.wizard?.changes ?? []).map(describeChange);
}

it("of what was not kept the sizes are told, and of a link that it is one; a secret is never kept", () => {
  const { folder, write } = createWorkspace({
    "large.txt": "x".repeat(40_000),
    "gone.txt": "y".repeat(40_000),
    ".env": "K=hidden",
  });
  symlinkSync("large.txt", join(folder, "link"));
  expect(JSON.stringify(noteSurvey(begun, folder)?.texts)).not.toContain("hidden");
  const lines = listAfter(folder, () => {
    write("large.txt", "z".repeat(40_001));
    write(".env", "K=hidden-2");
    for (const name of ["gone.txt", "link"]) rmSync(join(folder, name));
  });
  expect(lines).toEqual([
    ".env (changed while this stage ran; may hold secrets, so what is in it is not shown)",
    "gone.txt (removed while this stage ran; 40000 bytes before; what it held is not known)",
    "large.txt (changed while this stage ran; 40000 bytes before, 40001 bytes now; what it held is not known)",
    "link (removed while this stage ran; a link)",
  ]);
});

it("a file of which only the time is known to be another is said to have the same size, and no more", () => {
  const { folder, write } = createWorkspace({ "large.txt": "x".repeat(40_000) });
  const lines = listAfter(folder, () => write("large.txt", "x".repeat(40_000)));
  expect(lines).toEqual([
    "large.txt (changed while this stage ran; 40000 bytes before and now, so it may hold the same)",
  ]);
});

it("a mode has three digits, also without a bit for its owner", () => {
  const { folder } = open();
  expect(listAfter(folder, () => chmodSync(join(folder, "run.sh"), 0o044))).toEqual([
    "run.sh (changed while this stage ran; mode 644 to 044)",
  ]);
});

it("a line break in a file's name is seen, so that it is no other name", () => {
  const { folder, write } = createWorkspace();
  const lines = listAfter(folder, () => {
    write("a\nb.txt", "");
    write("a b.txt", "");
  });
  expect(lines).toEqual([
    "a ⏎ b.txt (created while this stage ran; an empty file)",
    "a b.txt (created while this stage ran; an empty file)",
  ]);
});

it("texts are kept up to a limit for all together, the higher ones first", () => {
  const many = Array.from({ length: 6 }, (_, index) => [`low/${index}.txt`, `${index}${"x".repeat(30_000)}`]);
  const { folder } = createWorkspace({ ...Object.fromEntries(many), "top.md": "TOP" });
  const texts = Object.entries(noteSurvey(begun, folder)?.texts ?? {});
  const kept = texts.filter(([key]) => key.startsWith("file:")).map(([, text]) => text);
  expect(kept).toContain("TOP");
  expect(kept).toHaveLength(5);
});

it("50 files that no call names are listed, and the others are counted", () => {
  const { folder, write } = createWorkspace();
  const lines = listAfter(folder, () => {
    for (let index = 0; index < 60; index += 1) write(`f${index}`, "");
  });
  expect(lines).toHaveLength(51);
  expect(lines[0]).toBe("f0 (created while this stage ran; an empty file)");
  expect(lines[50]).toBe("More files changed while this stage ran: 10.");
});

it.each([
  ["too-many", "the folder had more than 5000 files when this stage began"],
  ["too-slow", "the folder took too long to list when this stage began"],
] as const)("a workspace that is %s for a survey is said to be so", (fault, why) => {
  const { folder, write } = createWorkspace({ "a.md": "1" });
  const lines = listAfter(folder, () => write("a.md", "2"), { ...begun, survey: { run: 1, fault } });
  expect(lines).toEqual([`Changes by commands are not listed: ${why}.`]);
});

it("more files than a survey takes are no list, before as after", () => {
  const { folder } = createWorkspace();
  const fill = () => {
    for (let index = 0; index <= 5_000; index += 1) writeFileSync(join(folder, `f${index}`), "");
  };
  expect(listAfter(folder, fill)).toEqual([
    "Changes by commands are not listed: the folder has more than 5000 files.",
  ]);
  expect(noteSurvey(begun, folder)).toEqual({ survey: { run: 1, fault: "too-many" }, texts: {} });
});

it("a file that is left out at the gate is not called removed, and what a new ignore file shows may be old", () => {
  const { folder, write } = createWorkspace({
    ".gitignore": "log/\n",
    "log/old.txt": "1",
    "out/same.bin": "x".repeat(40_000),
    "out/other.bin": "x".repeat(40_000),
    "out/gone.bin": "x".repeat(40_000),
  });
  const lines = listAfter(folder, () => {
    write(".gitignore", "out/\n");
    write("out/other.bin", "y".repeat(40_001));
    rmSync(join(folder, "out/gone.bin"));
  });
  expect(lines).toEqual([
    ".gitignore (changed while this stage ran)",
    "log/old.txt (created while this stage ran; or left out before: its .gitignore changed)",
    "out/gone.bin (removed while this stage ran; 40000 bytes before; what it held is not known)",
    "out/other.bin (changed while this stage ran; 40000 bytes before, 40001 bytes now; what it held is not known)",
  ]);
});

it("a database that a program opened meanwhile is not called removed", () => {
  const database = `SQLite format 3\0${"x".repeat(40_000)}`;
  const { folder, write } = createWorkspace({ "data.db": database });
  expect(listAfter(folder, () => write("data.db-wal", "1"))).toEqual([]);
});

it("what a command changed and gave its old time is listed", () => {
  const { folder } = createWorkspace({
    "run.sh": "echo 1\n",
    "large.txt": "x".repeat(40_000),
    "same.md": "1",
  });
  const script = `for f in run.sh large.txt; do
    touch -r $f ../time; printf Z | dd of=$f conv=notrunc 2> /dev/null; touch -r ../time $f; done; touch same.md`;
  const lines = listAfter(folder, () => execFileSync("sh", ["-c", script], { cwd: folder }));
  expect(lines).toEqual([
    "large.txt (changed while this stage ran; touched, and its size and time are as before; what it held is not known)",
    "run.sh (changed while this stage ran)",
  ]);
});

it("of another folder than that in which the stage began nothing is listed", () => {
  const { folder, home } = createWorkspace({ "a.md": "1" });
  const nothing = "Changes by commands are not listed: the stage began in another folder.";
  expect(listAfter(folder, () => undefined, begun, home)).toEqual([nothing]);
});

it("a file that a command names by a link stands once", async () => {
  const workspace = open();
  symlinkSync("same.md", join(workspace.folder, "link.md"));
  const { agent } = await createScriptedAgent(workspace, [bash("echo 2 > link.md"), complete("s1")], allowed);
  const { end } = await send(agent, "/ship");
  expect(readItem(end).files).toEqual(["link.md (changed)"]);
});

it("a thread holds the list of one stage, that of the last which ran a command", async () => {
  const { agent } = await createScriptedAgent(
    open({ "add.sh": "echo x > made-$1.txt\n" }),
    [bash("sh add.sh 1"), complete("s1"), bash("sh add.sh 2"), complete("s2"), bash("ls"), complete("s3")],
    allowed,
  );
  const listed = async ({ thread }: RunEnd) => {
    const { texts } = await readState(agent, thread);
    const lists = Object.entries(texts).filter(([key, text]) => key.startsWith("survey:") && text !== "");
    return lists.map(([, text]) => ["made-1.txt", "made-2.txt"].filter((name) => text.includes(name)));
  };
  const first = await send(agent, "/ship");
  expect(await listed(first.end)).toEqual([[]]);
  const next = await answer(agent, first.end.thread, { reply: true });
  expect(await listed(next.end)).toEqual([["made-1.txt"]]);
  // Nothing changed in between, so the list is the same.
  const back = await answer(agent, first.end.thread, { reply: { goto: "tell" } });
  expect(await listed(back.end)).toEqual([["made-1.txt", "made-2.txt"]]);
});
