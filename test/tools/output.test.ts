import { describe, expect, it } from "vitest";
import { capOutput, cleanText } from "../../src/tools/output.ts";

describe("capOutput", () => {
  it("leaves a short text alone", () => {
    expect(capOutput("short")).toBe("short");
    expect(capOutput("x".repeat(30_000))).toHaveLength(30_000);
  });

  it("keeps head and tail and says how much there was", () => {
    const text = `HEAD${"x".repeat(100_000)}TAIL`;
    const capped = capOutput(text, 1_000, "See elsewhere.");
    expect(capped.length).toBeLessThan(1_200);
    expect(capped).toMatch(
      /^HEADx+\n\n\[… 99,008 characters left out of 100,008\. See elsewhere\. …]\n\nx+TAIL$/,
    );
  });

  it("never cuts a pair in half", () => {
    for (const shift of ["", "x"]) {
      const capped = capOutput(shift + "😀".repeat(1_000), 101);
      expect(cleanText(capped)).toBe(capped);
    }
  });
});

describe("cleanText", () => {
  it("makes NUL and half pairs visible and says so", () => {
    expect(cleanText("a\0b\ud83dc\udc00")).toBe(
      "a␀b�c�\n[3 characters (NUL or half a surrogate pair) replaced.]",
    );
    expect(cleanText("\0")).toBe("␀\n[1 character (NUL or half a surrogate pair) replaced.]");
  });

  it("leaves whole pairs and other text alone", () => {
    expect(cleanText("😀 é 表 \u001b[0m\n")).toBe("😀 é 表 \u001b[0m\n");
  });
});
