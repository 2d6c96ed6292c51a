import { describe, expect, it } from "vitest";
import { toJsonDocument, toJsonLine, toSafeLine, toSafeText } from "../../src/cli/safe-text.ts";

describe("toSafeText", () => {
  it.each([
    ["a colour", "\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
    ["a carriage return that hides a line", "rm -rf x\rls", "rm -rf x␍ls"],
    ["a bell, a backspace and DEL", "a\u0007b\u0008c\u007f", "a␇b␈c␡"],
    ["an 8-bit control sequence", "\u009b31m", "<009B>31m"],
    ["a direction override", "a\u202eb\u2066c", "a<202E>b<2066>c"],
    ["NUL", "a\0b", "a␀b"],
  ])("shows %s", (_name, text, expected) => {
    expect(toSafeText(text)).toBe(expected);
  });

  it.each(["plain", "tab\tand\nline", "Übersicht 中文 👩‍💻", ""])("leaves %j as it is", (text) => {
    expect(toSafeText(text)).toBe(text);
  });

  it("takes a Windows line end for a line end", () => {
    expect(toSafeText("a\r\nb")).toBe("a\nb");
  });
});

describe("toSafeLine", () => {
  it("puts a text on one line", () => {
    expect(toSafeLine(" a\n  b\tc ")).toBe("a b c");
  });

  it("cuts at whole characters and says so", () => {
    expect(toSafeLine("👍👍👍👍", 3)).toBe("👍👍…");
    expect(toSafeLine("👍👍👍", 3)).toBe("👍👍👍");
  });
});

describe("JSON", () => {
  it("is one line, means the same, and holds nothing that a terminal obeys", () => {
    const value = { text: "\u001b[2J\u009b\u202e\u2028 ü" };
    const line = toJsonLine(value);
    expect(line).toMatch(/^\{.*\}\n$/);
    expect(line).not.toMatch(/[\u0000-\u0009\u007f-\u009f\u202e\u2028]/);
    expect(JSON.parse(line)).toEqual(value);
    expect(JSON.parse(toJsonDocument(value))).toEqual(value);
  });
});
