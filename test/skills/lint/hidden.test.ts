import { describe, expect, it } from "vitest";
import { judgeHidden, judgeHiddenCode } from "../../../src/skills/lint/hidden.ts";

/** The text as it is after it was mended; undefined where nothing is hidden in it. */
function mend(text: string): string | undefined {
  const [finding] = judgeHidden(text);
  return finding?.fix?.edits[0]?.text;
}

describe("what nobody sees", () => {
  it.each([
    ["a zero-width blank", "pay\u200b me"],
    ["a word joiner", "pay\u2060 me"],
    ["a byte-order mark inside", "pay\ufeff me"],
    ["a mark that turns the text", "pay\u202e me"],
    ["an isolate", "pay\u2066 me\u2069"],
    ["tags", "pay\u{e0061}\u{e0062} me"],
    ["more than one selector", "pay\ufe01\ufe02\ufe03 me".replace("\ufe01", "")],
    ["selectors behind a blank", "pay \ufe00me"],
    ["a joiner in Latin letters", "pay\u200d me"],
    ["a soft hyphen", "pay\u00ad me"],
    ["a control character", "pay\u001b me"],
  ])("%s is told and can be removed", (_title, text) => {
    const mended = mend(text);
    expect(mended).toBeDefined();
    expect(judgeHidden(mended ?? "")).toEqual([]);
    expect(mended?.replaceAll(/[^\x20-\x7e]/g, "")).toBe("pay me");
  });

  it.each([
    ["emoji that are joined", "👩\u200d💻 👨\u200d👩\u200d👧 ❤\ufe0f \u{1f3f3}\ufe0f\u200d\u{1f308}"],
    ["an emoji with a tone of skin", "👩🏽\u200d💻"],
    ["the flag of a region", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
    ["Persian", "می\u200cخواهم"],
    ["Hindi", "क\u094d\u200dष"],
    ["a mark in a line of Hebrew", "שלום\u200f (a)"],
    ["a variant of a Chinese sign", "葛\u{e0100}"],
    ["a no-break space in a sentence", "10\u00a0kg"],
    ["a tab", "a\tb"],
  ])("%s: nothing is hidden", (_title, text) => {
    expect(judgeHidden(text)).toEqual([]);
  });

  it("a no-break space in code becomes a blank, and only there", () => {
    expect(mend("```bash\nls\u00a0-l\n```")).toBe("ls -l");
    expect(mend("a\u00a0b `ls\u00a0-l`")).toBe("a\u00a0b `ls -l`");
  });

  it("is told by line, with its numbers", () => {
    expect(judgeHiddenCode("a\nb\u200b\u202ec\u200b")).toEqual([
      {
        code: "text-hidden",
        severity: "warning",
        line: 2,
        message: "The line holds what nobody sees and a model reads: U+200B, U+202E. Remove it.",
      },
    ]);
  });

  it("a program may name signs that it looks for, but none that turns its text", () => {
    expect(judgeHiddenCode("text.replace(/[\u200b\ufeff]/, '')")).toEqual([]);
    expect(judgeHiddenCode("if (a) \u202e// b")).toHaveLength(1);
    expect(judgeHiddenCode("x = 1 \u{e0061}")).toHaveLength(1);
  });
});
