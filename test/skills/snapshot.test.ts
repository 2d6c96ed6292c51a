import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SKILL_FILE_LIMIT } from "../../src/skills/header/read-head.ts";
import { hasDrifted, readSkillText } from "../../src/skills/snapshot.ts";
import { createFolder, writeFile } from "./temp-folder.ts";

function write(content: string | Uint8Array) {
  return { name: "x", path: writeFile(join(createFolder(), "x/SKILL.md"), content) };
}

describe("the text of a skill", () => {
  it("A3: is the body with plain line ends, whatever the file has", () => {
    const text = "---\nname: x\n---\n# Title\n\n---\nEnd é\n";
    const body = "# Title\n\n---\nEnd é\n";
    const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
    for (const file of [text, `\uFEFF${text}`, text.replaceAll("\n", "\r\n"), text.replaceAll("\n", "\r")]) {
      expect(readSkillText(write(file))).toEqual({ text: body, digest });
    }
  });

  it("is empty when the file ends at the fence", () => {
    expect(readSkillText(write("---\nname: x\n---")).text).toBe("");
  });

  it("cannot be read when the file is gone, a pipe, too large or not UTF-8", () => {
    const gone = write("");
    rmSync(gone.path);
    const pipe = write("");
    rmSync(pipe.path);
    execFileSync("mkfifo", [pipe.path]);
    const large = write("x".repeat(SKILL_FILE_LIMIT + 1));
    const latin = write(Buffer.from("---\nname: x\n---\ncaf\xe9", "latin1"));
    for (const skill of [gone, pipe, large, latin, { name: "x", path: dirname(gone.path) }]) {
      expect(() => readSkillText(skill)).toThrow(
        expect.objectContaining({ code: "skill-unreadable", message: expect.stringContaining(skill.path) }),
      );
    }
  });
});

describe("drift", () => {
  it("is a change of the instructions or their loss, not of the header", () => {
    const skill = write("---\nname: x\n---\nDo it.\n");
    const { digest } = readSkillText(skill);
    expect(hasDrifted(skill, digest)).toBe(false);
    writeFile(skill.path, "---\nname: x\nlicense: MIT\n---\nDo it.\n");
    expect(hasDrifted(skill, digest)).toBe(false);
    writeFile(skill.path, "---\nname: x\n---\nDo more.\n");
    expect(hasDrifted(skill, digest)).toBe(true);
    rmSync(skill.path);
    expect(hasDrifted(skill, digest)).toBe(true);
  });
});
