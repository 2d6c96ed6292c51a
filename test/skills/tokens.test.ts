import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/skills/tokens.ts";

describe("the estimate of tokens", () => {
  it.each([
    ["", 0],
    ["abcd", 1],
    ["abcde", 2],
    ["整理文件", 4],
    ["éàüö", 2],
    ["👍", 1],
  ])("%j is about %d", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it.each([
    [
      "English",
      "Looks at the working folder and says what is in it. Use when someone asks what a folder holds.",
      21,
    ],
    [
      "German",
      "Räumt einen Ordner auf und überschreibt dabei nichts, außer es wird ausdrücklich gewünscht.",
      20,
    ],
    ["Chinese", "整理下载文件夹，按类型分类，永不覆盖任何文件。", 15],
    ["Japanese", "フォルダーを整理し、何も上書きしません。", 15],
    ["Korean", "폴더를 정리하고 아무것도 덮어쓰지 않습니다.", 16],
    ["Russian", "Приводит папку в порядок и ничего не перезаписывает, если об этом не просят.", 23],
  ])("of %s it is two thirds to eight fifths of what o200k_base counts", (_language, text, counted) => {
    const share = estimateTokens(text) / counted;
    expect(share).toBeGreaterThan(2 / 3);
    expect(share).toBeLessThan(8 / 5);
  });
});
