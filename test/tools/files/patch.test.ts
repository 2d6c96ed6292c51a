import { describe, expect, it } from "vitest";
import { createPatch, shortenPatch } from "../../../src/tools/files/patch.ts";

describe("a difference that is cut", () => {
  const after = `${Array.from({ length: 999 }, (_, line) => `line ${line}`).join("\n")}\n`;
  const patch = createPatch("/dev/null", "a.txt", "", after);

  it("says how many lines are hidden, also where it is cut once more", () => {
    const { shown, hidden } = count(patch);
    expect(shown + hidden).toBe(3 + 999);
    for (const maxCharacters of [100, 1_000, patch.length - 1]) {
      const again = count(shortenPatch(patch, { maxCharacters }));
      expect(again.shown + again.hidden, String(maxCharacters)).toBe(3 + 999);
    }
    expect(count(shortenPatch(shortenPatch(patch, { maxLines: 40 }), { maxLines: 10 })).hidden).toBe(992);
  });

  it("a file cannot say it of itself", () => {
    const text = "… 900 more lines\n".repeat(30);
    expect(count(shortenPatch(createPatch("/dev/null", "a.txt", "", text), { maxLines: 3 })).hidden).toBe(30);
  });
});

function count(patch: string): { shown: number; hidden: number } {
  const lines = patch.split("\n");
  const hidden = Number(/^… (\d+) more lines$/.exec(lines.at(-1) ?? "")?.[1] ?? 0);
  return { shown: lines.length - (hidden > 0 ? 1 : 0), hidden };
}
