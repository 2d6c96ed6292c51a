import { describe, expect, it } from "vitest";
import { toReadable, trimBegunSequence, trimCutLine } from "../../../src/tools/process/readable-text.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";

describe("toReadable", () => {
  it.each([
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b[38;5;196mred\u001b[m", "red"],
    ["\u001b[38:2::1:2:3mred", "red"],
    ["\u001b[2K\u001b[1Gdone", "done"],
    ["\u001b[?25lhidden\u001b[?25h", "hidden"],
    ["\u001b[200~pasted\u001b[201~", "pasted"],
    ["\u001b]0;title\u0007text", "text"],
    ["\u001b]8;;http://a.example\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u001b]52;c;aGVsbG8=\u0007clipboard", "clipboard"],
    ["\u001bPq#0;2;0;0;0\u001b\\picture", "picture"],
    ["\u001b_Gf=100;AAAA\u001b\\picture", "picture"],
    ["\u001b(Bcharset\u001b=\u001b7\u001b8", "charset"],
    ["\u009b31mred", "red"],
    ["a\u001b[1;3", "a␛[1;3"],
    ["a\u001b]0;never ended", "a␛]0;never ended"],
    ["a\u001b", "a␛"],
    ["bell\u0007 form\u000c vt\u000b del\u007f c1\u0085", "bell␇ form␌ vt␋ del␡ c1\\x85"],
    ["tab\tline\n", "tab\tline\n"],
    ["é 表 😀 \u202e\u200b", "é 表 😀 \u202e\u200b"],
  ])("%j is read as %j", (printed, text) => {
    expect(toReadable(printed).text).toBe(text);
    expect(toReadable(printed).hasControls).toBe(/[␀-␟␡]|\\x/u.test(text));
  });

  it.each([
    ["10%\r50%\r100%\n", "100%\n", true],
    ["10%\r50%\r100%\r\nnext\n", "100%\r\nnext\n", true],
    ["\r10%\r\u001b[2K50%\r\u001b[2K100%", "100%", true],
    ["one\r\ntwo\r\n", "one\r\ntwo\r\n", false],
    ["one\r\r\ntwo\n", "one\r\r\ntwo\n", false],
    ["old\rmac", "old\rmac", false],
    ["10%\b\b\b20%\b\b\b30%", "30%", false],
    ["|\b/\b-\b\\\bdone", "done", false],
    ["N\bNA\bAM\bME\bE", "NAME", false],
    ["\b\bx", "x", false],
  ])("progress in %j ends as %j", (printed, text, hasOverwritten) => {
    expect(toReadable(printed)).toEqual({ text, hasOverwritten, hasControls: false });
  });

  it.each([
    ["\u001b[", 60_000],
    ["\u001b]", 60_000],
    ["\u001b[;", 40_000],
    ["\u001b]0;a", 30_000],
    ["\u001b ", 60_000],
    ["\u001bP\u009b", 40_000],
    ["a\b", 60_000],
    ["\r", 120_000],
    ["x\ry\r", 30_000],
  ])("takes hostile repetitions of %j in no time", (piece, count) => {
    const readCpu = startCpuClock();
    const text = piece.repeat(count);
    toReadable(text);
    trimBegunSequence(text);
    trimBegunSequence(`\u001b[${"1;".repeat(count)}`);
    expect(readCpu()).toBeLessThan(500);
  });
});

describe("the edges of a piece", () => {
  it.each([
    "\u001b",
    "\u001b[",
    "\u001b[1;3",
    "\u001b]0;tit",
    "\u001b]8;;http://a\u001b",
    "\u001b(",
    "\u009b3",
  ])("a begun %j is cut off at the end", (begun) => {
    expect(trimBegunSequence(`text${begun}`)).toBe("text");
  });

  it("what was cut at the beginning goes with its line, and a single line stays", () => {
    expect(trimCutLine("31mred\nnext\n")).toBe("next\n");
    expect(trimCutLine("single")).toBe("single");
  });
});
