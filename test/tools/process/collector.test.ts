import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
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
});
