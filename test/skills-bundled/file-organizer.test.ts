import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planTurn } from "../../src/model/offline-plan.ts";
import { applyArguments } from "../../src/skills/arguments/apply-arguments.ts";
import { renderSkillEnvelope } from "../../src/skills/envelope.ts";
import { findRunBlocks } from "../../src/skills/run-blocks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const skill = join(root, "skills/file-organizer");

let work: string;
let inbox: string;

beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "organizer-")));
  inbox = join(work, "inbox");
  mkdirSync(inbox);
});

afterEach(() => rmSync(work, { recursive: true, force: true }));

/** Runs one of the skill's scripts in the folder above the inbox. */
function run(script: string, ...words: string[]) {
  const options = { cwd: work, encoding: "utf8" as const };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(skill, "scripts", script), ...words],
    options,
  );
  return { status, stdout, stderr };
}

function put(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(inbox, path)), { recursive: true });
    writeFileSync(join(inbox, path), content);
  }
}

/** Every file below the inbox with its content, without the skill's own folder. */
function read(): Record<string, string> {
  const paths = readdirSync(inbox, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(inbox.length + 1))
    .filter((path) => !path.startsWith(".file-organizer"));
  return Object.fromEntries(
    paths.sort().map((path) => [path.split(sep).join("/"), readFileSync(join(inbox, path), "utf8")]),
  );
}

describe("the plan", () => {
  it("groups files by kind and moves nothing", () => {
    const files = {
      "a.PNG": "1",
      "b c.pdf": "2",
      "d.csv": "3",
      "e.tar.gz": "4",
      "ü 表.md": "5",
      README: "6",
    };
    put(files);
    const { status, stdout } = run("plan.mjs", "inbox");
    expect(status).toBe(0);
    expect(stdout).toContain("6 files into 5 folders. Nothing has moved yet.");
    expect(stdout).toContain("undo.mjs inbox");
    expect(read()).toEqual(files);
    const plan = JSON.parse(readFileSync(join(inbox, ".file-organizer/plan.json"), "utf8"));
    const targets = Object.fromEntries(
      plan.moves.map((move: { from: string; to: string }) => [move.from, move.to]),
    );
    expect(targets).toEqual({
      "a.PNG": "images/a.PNG",
      "b c.pdf": "documents/b c.pdf",
      "d.csv": "spreadsheets/d.csv",
      "e.tar.gz": "archives/e.tar.gz",
      "ü 表.md": "documents/ü 表.md",
      README: "other/README",
    });
    expect(plan.moves[0]).toMatchObject({ size: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it("leaves hidden files, links and folders where they are and says so", () => {
    put({ ".env": "x", "sub/a.txt": "1", "a.txt": "2" });
    symlinkSync("a.txt", join(inbox, "link.txt"));
    const { stdout } = run("plan.mjs", "inbox");
    expect(stdout).toContain("Left alone: .env (hidden), link.txt (link), sub (folder)");
    run("apply.mjs", "inbox");
    expect(read()).toEqual({ ".env": "x", "sub/a.txt": "1", "documents/a.txt": "2" });
  });

  it("leaves a file whose name is not UTF-8 where it is, and sorts the others", () => {
    writeFileSync(Buffer.concat([Buffer.from(`${inbox}/`), Buffer.from([0xff]), Buffer.from(".bin")]), "x");
    writeFileSync(join(inbox, "a.txt"), "a");
    const { status, stdout } = run("plan.mjs", "inbox");
    expect(status).toBe(0);
    expect(stdout).toContain("name that is not UTF-8");
    expect(stdout).toContain("a.txt");
  });

  it("reports files of the same content and keeps them all", () => {
    put({ "a.txt": "same", "b.md": "same", "c.txt": "other", "d.txt": "", "e.txt": "" });
    const { stdout } = run("plan.mjs", "inbox");
    expect(stdout).toContain("a.txt  =  b.md");
    expect(stdout).not.toContain("d.txt  =");
  });

  it("takes another name where one is taken, whatever the case of its letters", () => {
    put({ "documents/A.txt": "old", "a.txt": "new", "b.tar.gz": "2", "archives/b.tar.gz": "1" });
    run("plan.mjs", "inbox");
    run("apply.mjs", "inbox");
    expect(read()).toEqual({
      "documents/A.txt": "old",
      "documents/a (2).txt": "new",
      "archives/b.tar.gz": "1",
      "archives/b (2).tar.gz": "2",
    });
  });

  it("gives the folder another name where a file or a link bears it", () => {
    put({ images: "a file", "a.png": "1", "b.mp3": "2" });
    symlinkSync(work, join(inbox, "audio"));
    run("plan.mjs", "inbox");
    expect(run("apply.mjs", "inbox").status).toBe(0);
    expect(read()).toEqual({ "other/images": "a file", "images (2)/a.png": "1", "audio (2)/b.mp3": "2" });
  });

  it("follows --rules, --by-year and --recursive", () => {
    put({ "Invoice 1.pdf": "1", "deep/b.heic": "2", "c.pdf": "3" });
    for (const path of ["Invoice 1.pdf", "deep/b.heic", "c.pdf"]) utimesSync(join(inbox, path), 1.6e9, 1.6e9);
    writeFileSync(join(work, "rules.json"), '{"bills": ["invoice*"], "photos": ["heic"]}');
    run("plan.mjs", "inbox", "--rules", "rules.json", "--by-year", "--recursive");
    expect(run("apply.mjs", "inbox").status).toBe(0);
    expect(Object.keys(read())).toEqual([
      "bills/2020/Invoice 1.pdf",
      "documents/2020/c.pdf",
      "photos/2020/b.heic",
    ]);
  });

  it("has nothing to move in a folder that is in order, also recursively", () => {
    put({ "images/a.png": "1" });
    expect(run("plan.mjs", "inbox", "--recursive").stdout).toContain("nothing to move");
    expect(run("apply.mjs", "inbox")).toMatchObject({ status: 0, stdout: "Nothing left to do.\n" });
  });

  it("never shows a control character of a name", () => {
    put({ "a\u001b[31m\n.txt": "1" });
    const { stdout } = run("plan.mjs", "inbox");
    expect(stdout).toContain("a\\u001b[31m\\u000a.txt");
    expect(stdout).not.toContain("\u001b");
  });

  it.each([
    ["no folder", [], "Name the folder"],
    ["an empty name", [""], "Name the folder"],
    ["a folder that is not there", ["nope"], 'There is no folder "nope"'],
    ["a file", ["file.txt"], "is not a folder"],
    ["the root", ["/"], "The root of the disk"],
    ["the root by another way", ["../../../../../../../../.."], "The root of the disk"],
    ["a repository", ["repository"], "is a repository"],
    ["an unknown option", ["inbox", "--delete"], "Usage"],
    ["two folders", ["inbox", "inbox"], "Usage"],
    ["rules that are not there", ["inbox", "--rules", "no.json"], "cannot be used"],
    ["rules that lead out", ["inbox", "--rules", "bad.json"], "cannot be a folder's name"],
  ])("refuses %s in one line", (_title, words, message) => {
    put({ "a.txt": "1" });
    mkdirSync(join(work, "repository/.git"), { recursive: true });
    writeFileSync(join(work, "file.txt"), "");
    writeFileSync(join(work, "bad.json"), '{"../out": ["txt"]}');
    const { status, stdout, stderr } = run("plan.mjs", ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(existsSync(join(inbox, ".file-organizer"))).toBe(false);
  });

  it.each(["home", "."])("refuses the home folder itself and what holds it: %s", (folder) => {
    const options = {
      cwd: work,
      encoding: "utf8" as const,
      env: { ...process.env, HOME: join(work, "home") },
    };
    mkdirSync(join(work, "home"));
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(skill, "scripts/plan.mjs"), folder],
      options,
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/home folder/);
  });
});

describe("applying", () => {
  it("does exactly the saved plan, and nothing more the second time", () => {
    put({ "a.txt": "1", "b.png": "2" });
    run("plan.mjs", "inbox");
    put({ "late.txt": "3" });
    expect(run("apply.mjs", "inbox").stdout).toContain("Moved 2 files.");
    const after = read();
    expect(after).toEqual({ "documents/a.txt": "1", "images/b.png": "2", "late.txt": "3" });
    expect(run("apply.mjs", "inbox")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Nothing left to do"),
    });
    expect(read()).toEqual(after);
  });

  it("skips a file that changed or went away, names it, and moves the others", () => {
    put({ "a.txt": "1", "b.txt": "2", "c.txt": "3", "d.txt": "4" });
    run("plan.mjs", "inbox");
    put({ "b.txt": "22" });
    rmSync(join(inbox, "c.txt"));
    utimesSync(join(inbox, "d.txt"), 1, 1);
    const { status, stdout } = run("apply.mjs", "inbox");
    expect(status).toBe(1);
    expect(stdout).toMatch(/b\.txt: changed or gone/);
    expect(stdout).toMatch(/c\.txt: changed or gone/);
    expect(read()).toEqual({ "b.txt": "22", "documents/a.txt": "1", "documents/d.txt": "4" });
  });

  it("does not overwrite a file that took the name after the plan", () => {
    put({ "a.txt": "1" });
    run("plan.mjs", "inbox");
    put({ "documents/a.txt": "other" });
    const { status, stdout } = run("apply.mjs", "inbox");
    expect(status).toBe(1);
    expect(stdout).toContain("the name is taken");
    expect(read()).toEqual({ "a.txt": "1", "documents/a.txt": "other" });
  });

  it("does not follow a link that took the folder's place after the plan", () => {
    put({ "a.txt": "1" });
    run("plan.mjs", "inbox");
    symlinkSync(work, join(inbox, "documents"));
    expect(run("apply.mjs", "inbox").status).toBe(1);
    expect(read()).toEqual({ "a.txt": "1" });
    expect(existsSync(join(work, "a.txt"))).toBe(false);
  });

  it("refuses a plan that points outside the folder, and one for another folder", () => {
    put({ "a.txt": "1" });
    run("plan.mjs", "inbox");
    const path = join(inbox, ".file-organizer/plan.json");
    const plan = readFileSync(path, "utf8");
    writeFileSync(path, plan.replace("documents/a.txt", "../a.txt"));
    expect(run("apply.mjs", "inbox")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("outside"),
    });
    writeFileSync(path, plan.replace(inbox, `${inbox}2`));
    expect(run("apply.mjs", "inbox")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("another folder"),
    });
    writeFileSync(path, "{");
    expect(run("apply.mjs", "inbox")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("cannot be read"),
    });
    expect(read()).toEqual({ "a.txt": "1" });
  });

  it("needs a plan", () => {
    expect(run("apply.mjs", "inbox")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("no saved plan"),
    });
  });

  it("finishes a move that was cut between the new name and the old one", () => {
    put({ "a.txt": "1" });
    run("plan.mjs", "inbox");
    mkdirSync(join(inbox, "documents"));
    linkSync(join(inbox, "a.txt"), join(inbox, "documents/a.txt"));
    expect(run("apply.mjs", "inbox").status).toBe(0);
    expect(read()).toEqual({ "documents/a.txt": "1" });
  });

  it.each(["apply.mjs", "undo.mjs"])("after a kill in the middle %s leaves every file once", async (next) => {
    const count = 2_000;
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${index}.txt`, String(index)]),
    );
    put(files);
    run("plan.mjs", "inbox");
    const child = spawn(process.execPath, [join(skill, "scripts/apply.mjs"), "inbox"], {
      cwd: work,
      stdio: "ignore",
    });
    await killWhen(child, () => existsSync(join(inbox, "documents")));
    const moved = Object.keys(read()).filter((path) => path.startsWith("documents/")).length;
    expect(moved).toBeLessThan(count);
    expect(existsSync(join(inbox, ".file-organizer/undo.jsonl"))).toBe(true);
    expect(run(next, "inbox").status).toBe(0);
    const moves = Object.entries(files).map(([name, content]) => [`documents/${name}`, content]);
    expect(read()).toEqual(next === "undo.mjs" ? files : Object.fromEntries(moves));
  });
});

describe("undoing", () => {
  it("puts everything back and takes away only the folders that it made", () => {
    const files = { "a.txt": "1", "b.png": "2", "c.csv": "3" };
    put(files);
    mkdirSync(join(inbox, "images"));
    run("plan.mjs", "inbox");
    run("apply.mjs", "inbox");
    put({ "spreadsheets/mine.csv": "4" });
    expect(run("undo.mjs", "inbox")).toMatchObject({ status: 0, stdout: "Put back 3 files.\n" });
    expect(read()).toEqual({ ...files, "spreadsheets/mine.csv": "4" });
    expect(existsSync(join(inbox, "documents"))).toBe(false);
    expect(statSync(join(inbox, "images")).isDirectory()).toBe(true);
    expect(run("undo.mjs", "inbox")).toMatchObject({ status: 0, stdout: "Nothing to put back.\n" });
  });

  it("undoes several plans, the last one first", () => {
    put({ "a.txt": "1" });
    run("plan.mjs", "inbox");
    run("apply.mjs", "inbox");
    put({ "a.txt": "2" });
    run("plan.mjs", "inbox");
    run("apply.mjs", "inbox");
    expect(read()).toEqual({ "documents/a.txt": "1", "documents/a (2).txt": "2" });
    const { status, stdout } = run("undo.mjs", "inbox");
    // Both were called a.txt: the later one gets the name back, the other stays and is named.
    expect(status).toBe(1);
    expect(stdout).toContain("documents/a.txt: its old name is taken");
    expect(read()).toEqual({ "a.txt": "2", "documents/a.txt": "1" });
  });

  it("puts a file back that was edited since", () => {
    put({ "a.txt": "1" });
    run("plan.mjs", "inbox");
    run("apply.mjs", "inbox");
    put({ "documents/a.txt": "edited" });
    expect(run("undo.mjs", "inbox").status).toBe(0);
    expect(read()).toEqual({ "a.txt": "edited" });
  });
});

describe("the skill's text and the example", () => {
  it("declares the plan and the move as its two run blocks", () => {
    const text = readFileSync(join(skill, "SKILL.md"), "utf8");
    expect(findRunBlocks(text).map((block) => block.code)).toEqual([
      'node "${CLAUDE_SKILL_DIR}/scripts/plan.mjs" "$1"',
      'node "${CLAUDE_SKILL_DIR}/scripts/apply.mjs" "$1"',
    ]);
  });

  it.each([
    ["with a folder", "inbox", "inbox"],
    ["with a folder of two words", '"my inbox"', "'my inbox'"],
  ])("is carried out without a model %s", (_title, given, word) => {
    const text = readFileSync(join(skill, "SKILL.md"), "utf8").replace(/^---\n[\s\S]*?\n---\n/, "");
    const load = (values: string): HumanMessage => {
      const filled = applyArguments(text, { arguments: values, skillDirectory: "/skills/file-organizer" });
      const facts = {
        name: "file-organizer",
        directory: "/skills/file-organizer",
        argumentHint: "<folder>",
        digest: "d",
      };
      return new HumanMessage(renderSkillEnvelope({ ...facts, arguments: values, text: filled }));
    };
    const tools = ["Bash", "AskUser"].map((name) => ({ name, description: "" }));
    const plan = `node /skills/file-organizer/scripts/plan.mjs ${word}`;
    const named = planTurn([new HumanMessage(`/file-organizer ${given}`), load(given)], tools);
    expect(named.calls[0]?.input.command).toBe(plan);
    const bare = [new HumanMessage("/file-organizer"), load("")];
    expect(planTurn(bare, tools).calls[0]?.input.question).toBe("What is <folder>?");
    const question = {
      id: "1",
      name: "AskUser",
      args: { question: "What is <folder>?" },
      type: "tool_call" as const,
    };
    const answer = given.replaceAll('"', "");
    const asked = [new AIMessage({ content: "", tool_calls: [question] }), new ToolMessage(answer, "1")];
    const turn = planTurn([...bare, ...asked], tools);
    expect(turn.calls[0]?.input.command).toBe(plan);
  });

  it("sorts the example inbox without a file left over, and back again", () => {
    cpSync(join(root, "examples/inbox/inbox"), inbox, { recursive: true });
    const before = read();
    expect(Object.keys(before).length).toBeGreaterThanOrEqual(10);
    expect(run("plan.mjs", "inbox").stdout).toContain("Same content");
    expect(run("apply.mjs", "inbox").status).toBe(0);
    expect(Object.keys(read()).every((path) => path.includes("/"))).toBe(true);
    expect(run("undo.mjs", "inbox").status).toBe(0);
    expect(read()).toEqual(before);
  });
});

async function killWhen(child: ChildProcess, isTime: () => boolean): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  while (!isTime() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill("SIGKILL");
  await ended;
}
