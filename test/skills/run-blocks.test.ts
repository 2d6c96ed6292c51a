import { describe, expect, it } from "vitest";
import { findRunBlocks } from "../../src/skills/run-blocks.ts";

const codes = (text: string) => findRunBlocks(text).map((block) => block.code);

describe("findRunBlocks", () => {
  it("finds blocks in order, with language, line and offsets", () => {
    const text = "Intro\n\n```bash run\nls -l\npwd\n```\n\n~~~sh run\nid\n~~~\n";
    const [first, second] = findRunBlocks(text);
    expect(first).toMatchObject({ language: "bash", code: "ls -l\npwd", line: 3 });
    expect(second).toMatchObject({ language: "sh", code: "id", line: 8 });
    expect(text.slice(first?.start, first?.end)).toBe("ls -l\npwd");
    expect(text.slice(second?.start, second?.end)).toBe("id");
  });

  it.each([
    ["shell", "```shell run\na\n```"],
    ["upper case", "```Bash run\na\n```"],
    ["more words after run", "```bash run safe\na\n```"],
    ["a blank before the language", "``` bash run\na\n```"],
    ["three blanks of indentation", "   ```bash run\n   a\n   ```"],
    ["a longer fence", "`````bash run\na\n`````"],
    ["tildes with a backtick in the info", "~~~bash run `x`\na\n~~~"],
    ["a longer closing fence", "```bash run\na\n`````"],
    ["no closing fence", "```bash run\na"],
    ["CRLF", "```bash run\r\na\r\n```\r\n"],
  ])("takes a block with %s", (_title, text) => {
    expect(codes(text)).toEqual(["a"]);
  });

  it.each([
    ["no run", "```bash\na\n```"],
    ["another word that begins with run", "```bash runs\na\n```"],
    ["run as the language", "```run bash\na\n```"],
    ["another language", "```python run\na\n```"],
    ["four blanks of indentation", "    ```bash run\n    a\n    ```"],
    ["a tab of indentation", "\t```bash run\n\ta\n\t```"],
    ["two backticks", "``bash run\na\n``"],
    ["a backtick in the info", "```bash run `x`\na\n```"],
    ["no code", "```bash run\n\n```"],
    ["a longer fence around it", "````md\n```bash run\na\n```\n````"],
    ["tildes around it", "~~~\n```bash run\na\n```\n~~~"],
    ["an HTML comment around it", "<!--\n```bash run\na\n```\n-->"],
    ["inline code", "type ```bash run``` here"],
  ])("leaves a block with %s", (_title, text) => {
    expect(codes(text)).toEqual([]);
  });

  it("does not close a fence by a shorter one, another mark, or one with words after it", () => {
    expect(codes("````bash run\n```\n~~~~\n```` x\na\n````\nb")).toEqual(["```\n~~~~\n```` x\na"]);
  });

  it("goes on after a comment, and after a block of another kind", () => {
    expect(codes("<!-- x -->\n```\nq\n```\n```sh run\na\n```\n```sh run\na\n```")).toEqual(["a", "a"]);
  });

  it("takes the fence's indentation off the code, and no more", () => {
    expect(codes("  ```sh run\n  a\n    b\n c\n  ```")).toEqual(["a\n  b\nc"]);
  });
});
