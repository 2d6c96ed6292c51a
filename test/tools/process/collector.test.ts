import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOutputCollector } from "../../../src/tools/process/collector.ts";
import { createPlace } from "../call.ts";

describe("createOutputCollector", () => {
  const collect = (chunks: Buffer[], limit?: number) => {
    const folder = join(createPlace().root, "outputs");
    const collector = createOutputCollector(folder, limit);
    for (const chunk of chunks) collector.push(chunk);
    return { folder, output: collector.finish() };
  };

  it("keeps short output as it is and writes no file", () => {
    const { folder, output } = collect([Buffer.from("one "), Buffer.from("two")]);
    expect(output).toEqual({ text: "one two", bytes: 7 });
    expect(existsSync(folder)).toBe(false);
  });

  it.each([1, 7, 1_000, 65_536])(
    "G4: in pieces of %i bytes the file holds all and the text head and tail",
    (size) => {
      const all = Buffer.from(Array.from({ length: 4_000 }, (_, index) => `${index} é表😀\n`).join(""));
      const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
        all.subarray(index * size, (index + 1) * size),
      );
      const { output } = collect(chunks, 1_000);
      expect(readFileSync(output.file ?? "")).toEqual(all);
      expect(output.bytes).toBe(all.length);
      expect(output.text.startsWith("0 é表😀\n1 é")).toBe(true);
      expect(output.text.endsWith("3999 é表😀\n")).toBe(true);
      expect(output.text).not.toContain("�");
      expect(output.text.length).toBeLessThan(1_400);
    },
  );

  it.each(["there", "not-there"])(
    "C8: writes nothing through a link in place of its folders (target %s)",
    (target) => {
      for (const place of [".skillgraph", ".skillgraph/output"]) {
        const { root, context } = createPlace();
        mkdirSync(join(root, "there"));
        if (place.includes("/")) mkdirSync(join(context.workspace, ".skillgraph"));
        symlinkSync(join(root, target), join(context.workspace, place));
        const collector = createOutputCollector(join(context.workspace, ".skillgraph", "output"), 100);
        collector.push(Buffer.from("x".repeat(5_000)));
        const output = collector.finish();
        expect(output.text).toContain("They were not kept");
        expect(output.text).toContain("is a link");
        expect(output.file).toBeUndefined();
        expect(readdirSync(root).sort()).toEqual(["app", "there"]);
        expect(readdirSync(join(root, "there"))).toEqual([]);
      }
    },
  );

  it("says when the whole could not be kept", () => {
    const { root } = createPlace();
    writeFileSync(join(root, "taken"), "");
    const collector = createOutputCollector(join(root, "taken"), 100);
    for (let count = 0; count < 50; count += 1) collector.push(Buffer.from("x".repeat(100)));
    const output = collector.finish();
    expect(output.file).toBeUndefined();
    expect(output.text).toContain("They were not kept");
  });

  it("a character split over two chunks is whole, wherever the split is", () => {
    const all = Buffer.from("aé表😀\n");
    for (let split = 0; split <= all.length; split += 1) {
      const { output } = collect([all.subarray(0, split), all.subarray(split)]);
      expect(output).toEqual({ text: "aé表😀\n", bytes: 11 });
    }
  });

  it.each([0, 1, 2, 3])("no half of a character is left at the cap, begun %i bytes later", (shift) => {
    for (const filler of ["é", "表", "😀"]) {
      const all = Buffer.from("x".repeat(shift) + filler.repeat(5_000));
      const { output } = collect([all], 101);
      expect(output.text).not.toContain("�");
      expect(output.text).not.toMatch(/\p{Surrogate}/u);
      expect(output.text).toMatch(new RegExp(`${filler}$`));
      expect(readFileSync(output.file ?? "")).toEqual(all);
    }
  });

  it("a sequence that the cap cuts leaves no half, and the file keeps every byte", () => {
    const line = "\u001b[1;31mred\u001b[0m ".repeat(30);
    for (let size = 1; size < 40; size += 1) {
      const all = Buffer.from(`${"y".repeat(size)}${`${line}\n`.repeat(40)}`);
      const { output } = collect([all.subarray(0, 777), all.subarray(777)], 300);
      const [head = "", , tail = ""] = output.text.split("\n\n");
      expect(head.replace(/^y+/, "")).toMatch(/^[red \n]*$/);
      expect(tail).toMatch(/^[red \n]*$/);
      expect(readFileSync(output.file ?? "")).toEqual(all);
    }
  });

  it("what fits without its colours is shown whole", () => {
    const { output } = collect([Buffer.from("\u001b[38;5;196mred\u001b[0m\n".repeat(100))], 500);
    expect(output.text).toBe("red\n".repeat(100));
  });

  it("progress is shown in its last state, and says where the rest is", () => {
    const all = Buffer.from(
      `begin\n${Array.from({ length: 500 }, (_, index) => `\r${index}`).join("")}\nend`,
    );
    const { output } = collect([all]);
    expect(output.text).toBe(
      `begin\n499\nend\n[Progress lines are shown in their last state. All 1,900 bytes are in ${output.file}.]`,
    );
    expect(readFileSync(output.file ?? "")).toEqual(all);
  });

  it("control characters are shown and said, NUL with its own words", () => {
    expect(collect([Buffer.from("a\u0007b\n")]).output.text).toBe(
      "a␇b\n[Control characters are shown as ␛ and the like.]",
    );
    expect(collect([Buffer.from("a\0b")]).output.text).toContain("a␀b\n[1 character (NUL");
    expect(collect([Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62])]).output.text).toMatch(
      /^a�+b\n\[Some bytes are not UTF-8/,
    );
  });

  it("the file is its owner's, in a folder that git does not see", () => {
    const { folder, output } = collect([Buffer.from("x".repeat(5_000))], 100);
    expect(statSync(output.file ?? "").mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("of files older than a week the newest 50 stay, and nothing that is not ours goes", () => {
    const folder = join(createPlace().root, "outputs");
    mkdirSync(folder);
    const name = (index: number) => `output-00000000-0000-0000-0000-${String(index).padStart(12, "0")}.txt`;
    for (let index = 0; index < 60; index += 1) {
      writeFileSync(join(folder, name(index)), "");
      utimesSync(join(folder, name(index)), 1_000_000 + index, 1_000_000 + index);
    }
    writeFileSync(join(folder, "notes.txt"), "");
    utimesSync(join(folder, "notes.txt"), 1, 1);
    const collector = createOutputCollector(folder, 10);
    collector.push(Buffer.from("x".repeat(500)));
    collector.finish();
    const left = readdirSync(folder);
    expect(left.filter((each) => each.startsWith("output-"))).toHaveLength(50);
    expect(left).toContain("notes.txt");
    expect(left).toContain(name(59));
    expect(left).not.toContain(name(10));
  });

  it("a link in place of the list of what git ignores is not followed", () => {
    const { root } = createPlace();
    mkdirSync(join(root, "outputs"));
    symlinkSync(join(root, "victim"), join(root, "outputs", ".gitignore"));
    const collector = createOutputCollector(join(root, "outputs"), 10);
    collector.push(Buffer.from("x".repeat(500)));
    expect(collector.finish().file).toBeDefined();
    expect(existsSync(join(root, "victim"))).toBe(false);
  });
});
