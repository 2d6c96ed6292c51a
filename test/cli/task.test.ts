import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import {
  addFiles,
  checkSkillCommand,
  checkWizardTask,
  isSkillCommand,
  readTask,
} from "../../src/cli/task.ts";
import type { Skill } from "../../src/skills/schema.ts";
import { createWorkspace } from "../support/workspace.ts";

const skills = [
  { name: "alpha", userInvocable: true, modelInvocable: true },
  { name: "Big Name", userInvocable: true, modelInvocable: true },
  { name: "modelonly", userInvocable: false, modelInvocable: true },
  { name: "Model Two", userInvocable: false, modelInvocable: true },
  { name: "closed", userInvocable: false, modelInvocable: false },
] as Skill[];
const catalog = {
  skills,
  disabled: [{ name: "off" }] as Skill[],
  get: (name: string) => skills.find((skill) => skill.name === name),
  nearest: (name: string) => (name === "alpa" ? ["alpha"] : []),
};

describe("readTask", () => {
  it("joins the words", async () => {
    expect(await readTask(["sort", "my inbox"], undefined)).toBe("sort my inbox");
  });

  it.each([[["-"]], [[]]])("reads standard input for %j, and takes it as it is", async (words) => {
    expect(await readTask(words, Readable.from([Buffer.from("sort @this\n")]))).toBe("sort @this");
  });

  it("a - among other words is a word", async () => {
    expect(await readTask(["a", "-", "b"], Readable.from([Buffer.from("x")]))).toBe("a - b");
  });

  it.each([
    ["nothing in a terminal", [], undefined],
    ["empty input", ["-"], Readable.from([Buffer.from(" \n")])],
    ["empty words", [" "], undefined],
  ])("%s is no task", async (_name, words, input) => {
    await expect(readTask(words, input)).rejects.toMatchObject({ code: "usage" });
  });

  it("input that is no UTF-8 is refused", async () => {
    await expect(readTask([], Readable.from([Buffer.from([0xff, 0xfe, 0x41])]))).rejects.toThrow("no UTF-8");
  });
});

describe("the size of a task", () => {
  const full = "é".repeat(512 * 1024);
  const tooLarge = /^The task.* is larger than 1 MiB \(1048576 bytes\)\. Put it in a file/;

  it("1 MiB of words or of standard input is taken", async () => {
    expect(await readTask([full], undefined)).toBe(full);
    expect(await readTask(["-"], Readable.from([Buffer.from(full)]))).toBe(full);
  });

  it("files that are added count, too", () => {
    const names = ["a", "b", "c", "d", "e"];
    const { folder } = createWorkspace(
      Object.fromEntries(names.map((name) => [name, "x".repeat(256 * 1024)])),
    );
    const words = names.map((name) => `@${name}`);
    expect(addFiles(words.slice(0, 3), folder)).toContain("xxx");
    expect(() => addFiles(words, folder)).toThrow(/^The task with its files is larger than 1 MiB/);
  });

  it("one byte more is wrong usage", async () => {
    const fault = { code: "usage", message: expect.stringMatching(tooLarge) };
    await expect(readTask([full, "x"], undefined)).rejects.toMatchObject(fault);
    await expect(readTask(["-"], Readable.from([Buffer.from(`${full}x`)]))).rejects.toMatchObject(fault);
  });

  it("an input without an end is not waited for", async () => {
    function* endless() {
      for (;;) yield Buffer.alloc(65_536, "y");
    }
    await expect(readTask([], Readable.from(endless()))).rejects.toMatchObject({ code: "usage" });
  });
});

describe("@file", () => {
  it("adds the content after the words, once for each file", () => {
    const { folder } = createWorkspace({ "notes.md": "hello\n", "my file.txt": "x" });
    expect(addFiles(["compare", "@notes.md,", "again @notes.md"], folder)).toBe(
      'compare @notes.md, again @notes.md\n\nFile "notes.md":\n```\nhello\n```',
    );
    expect(addFiles(["@my file.txt"], folder)).toBe('@my file.txt\n\nFile "my file.txt":\n```\nx\n```');
  });

  it("content with a fence cannot end its block", () => {
    const { folder } = createWorkspace({ "a.md": "```js\n1\n```" });
    expect(addFiles(["@a.md"], folder)).toContain("\n````\n```js\n1\n```\n````");
  });

  it.each([["write to ann@example.org"], ["costs 3 @ 4"], ["@"], ['a "@" sign']])(
    "%j names no file",
    (text) => {
      expect(addFiles([text], createWorkspace().folder)).toBe(text);
    },
  );

  it("@@ is a plain @", () => {
    expect(addFiles(["use @@langchain/core and @@you"], createWorkspace().folder)).toBe(
      "use @langchain/core and @you",
    );
  });

  it.each([
    ["a missing file", "@gone.md", /^@gone\.md: no file ".*gone\.md"\. Write @@gone\.md/],
    ["a folder", "@sub", /is no file/],
    ["a large file", "@big", /262145 bytes are too many/],
    ["a binary file", "@binary", /no UTF-8/],
  ])("%s is refused", (_name, word, message) => {
    const { folder, write } = createWorkspace({ "sub/x": "", big: "x".repeat(256 * 1024 + 1) });
    write("binary", "");
    writeFileSync(join(folder, "binary"), Buffer.from([0xc3, 0x28]));
    expect(() => addFiles(["read", word], folder)).toThrow(message);
  });
});

describe("a slash that names no skill", () => {
  it.each([
    "/alpa now",
    "/nope",
    "/nope\nx",
    "/中文 x",
    "/Big_Name",
    "/foo_bar",
    "/foo.bar x",
    " /nope",
    "/Big name",
    "/alpha, please",
  ])("%j is a typing mistake", (task) => {
    expect(() => checkSkillCommand(task, catalog)).toThrow(/^No skill named "/);
  });

  it("the nearest name is told", () => {
    expect(() => checkSkillCommand("/alpa", catalog)).toThrow('No skill named "alpa". Nearest: alpha.');
  });

  it("a name may hold blanks, as the graph reads it", () => {
    for (const task of ["/Big Name", "/Big Name now", "/alpha", "/unload Big Name"])
      expect(() => checkSkillCommand(task, catalog)).not.toThrow();
    expect(() => checkSkillCommand("/Big Names", catalog)).toThrow('No skill named "Big".');
    expect(isSkillCommand("/Big Name x", catalog)).toBe(true);
    expect(isSkillCommand("/Big Names", catalog)).toBe(false);
  });

  it("says what keeps a person from a skill that is there", () => {
    for (const name of ["modelonly", "Model Two"])
      expect(() => checkSkillCommand(`/${name} x`, catalog)).toThrow(
        `Only the model can load the skill "${name}": its header says user-invocable: false.`,
      );
    expect(() => checkSkillCommand("/closed", catalog)).toThrow('Nobody can load the skill "closed"');
    expect(() => checkSkillCommand("/off", catalog)).toThrow('The skill "off" is disabled by the settings');
  });

  it("the command that tells more is named, ready to be pasted", () => {
    expect(() => checkSkillCommand("/alpa", catalog)).toThrow(/See: skillgraph why alpa$/);
    expect(() => checkSkillCommand("/it's", catalog)).toThrow(/See: skillgraph why 'it'\\''s'$/);
  });

  it.each(["/alpha x", "/tmp is full", "/usr/bin/x is gone", "see /nope", "/ x", "1/2"])(
    "%j is text",
    (task) => {
      expect(() => checkSkillCommand(task, catalog)).not.toThrow();
    },
  );
});

describe("--wizard", () => {
  it("takes a task that begins with a skill", () => {
    expect(() => checkWizardTask("/alpha 1.2", catalog)).not.toThrow();
  });

  it.each(["release 1.2", "use /alpha", "/tmp", ""])("is wrong usage for %j", (task) => {
    expect(() => checkWizardTask(task, catalog)).toThrow(
      "--wizard needs the skill to work through: name it with --skill NAME, or begin the task with /NAME.",
    );
  });
});
