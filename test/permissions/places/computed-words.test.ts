import { describe, expect, it } from "vitest";
import { expandWord } from "../../../src/permissions/places/computed-words.ts";

describe("expandWord", () => {
  it.each([
    ["{a,b}/{c,d}", ["a/c", "a/d", "b/c", "b/d"]],
    ["x{a,{b,c}}", ["xa", "xb", "xc"]],
    ["plain", ["plain"]],
    ["{a}", ["{a}"]],
    ["sub/.mc*", ["sub/.mcp.json"]],
    ["sub/*.md", ["sub/*.md"]],
  ])("takes %j for %j", (word, expected) => {
    expect([...expandWord(word).words].sort()).toEqual(expected);
  });

  it("lets a variable inside a name stand for any text, and one alone for itself", () => {
    for (const word of [".en$x", ".e${x}v", ".$X", ".en$(y)", ".e`y`v", ".en$@v"])
      expect(expandWord(word).words, word).toContain(".env");
    expect(expandWord("$X").words).toHaveLength(1);
    expect(expandWord("$X/.e*").words.every((item) => item.endsWith("/.env") || /\/\.env/.test(item))).toBe(
      true,
    );
  });

  it("says when there is too much to list", () => {
    expect(expandWord("{a,b}".repeat(20)).whole).toBe(false);
    expect(expandWord("{a,b}".repeat(3)).whole).toBe(true);
  });
});
