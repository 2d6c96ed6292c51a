import { describe, expect, it } from "vitest";
import { readWebAddress, toShownAddress } from "../../../src/tools/web-fetch/web-address.ts";

describe("readWebAddress", () => {
  it.each([
    ["https://example.com", "https://example.com/"],
    ["  HTTPS://EXAMPLE.com:443/A b?c=d#part ", "https://example.com/A%20b?c=d"],
    ["http://example.com./x", "http://example.com/x"],
    ["http://example.com:80/", "http://example.com/"],
    ["http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"],
    ["http://ｅxample.com/", "http://example.com/"],
    ["http://2130706433/", "http://127.0.0.1/"],
    ["http://0x7f.1/", "http://127.0.0.1/"],
    ["http://0177.0.0.1/", "http://127.0.0.1/"],
    ["http://127.1/", "http://127.0.0.1/"],
    ["http://127.0.0.1./", "http://127.0.0.1/"],
    ["http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"],
    ["http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"],
    ["http:example.com", "http://example.com/"],
    ["https:\\\\example.com\\a", "https://example.com/a"],
  ])("reads %s as %s", (text, expected) => {
    expect(readWebAddress(text).href).toBe(expected);
  });

  it.each([
    ["file:///etc/passwd", "only http: and https:"],
    ["data:text/html,x", "only http: and https:"],
    ["gopher://example.com/", "only http: and https:"],
    ["javascript:alert(1)", "only http: and https:"],
    ["ftp://example.com/", "only http: and https:"],
    ["view-source:http://example.com", "only http: and https:"],
    ["https://user@example.com/", "user name or a password"],
    ["https://:secret@example.com/", "user name or a password"],
    ["https://example.com\\@evil.example/", undefined],
    ["https://exa\nmple.com/", "control or format character"],
    ["https://example.com/\ta", "control or format character"],
    ["https://example.com/\u202Egnp.exe", "control or format character"],
    ["https://example.com/\u001B[31m", "control or format character"],
    ["https://example.com/\uD800", "control or format character"],
    ["https://example.com/\0", "control or format character"],
    ["https://example..com/", "empty part"],
    ["https://example.com../", "empty part"],
    ["https://./", "empty part"],
    ["https://", "no address"],
    ["http://[::1", "no address"],
    ["http://example.com:99999/", "no address"],
    ["http://1.2.3.256/", "no address"],
    ["", "no address"],
    ["/etc/passwd", "no address"],
    ["example.com/page", "Write https://example.com/page"],
    [`https://example.com/${"a".repeat(1_000_000)}`, "1000020 characters, more than 8192"],
    [`https://example.com/${"ü".repeat(8_000)}`, "more than 8192 characters"],
  ])("refuses %j", (text, why) => {
    if (why === undefined) {
      // A backslash ends the host as a slash does: the rest is a path, not another host.
      expect(readWebAddress(text).hostname).toBe("example.com");
      return;
    }
    expect(() => readWebAddress(text)).toThrow(why);
  });

  it("never repeats a password, and keeps its message short and on one line", () => {
    const message = (text: string) => {
      try {
        readWebAddress(text);
      } catch (error) {
        return (error as Error).message;
      }
      throw new Error("It was read.");
    };
    expect(message("https://me:secret@example.com/")).not.toContain("secret");
    expect(message(`https://${"x".repeat(1_000_000)}`).length).toBeLessThan(400);
    expect(message("https://a\n\u202E\u001B.com")).toContain('"https://a\\u{a}\\u{202e}\\u{1b}.com"');
  });

  it("reads a relative address from its base", () => {
    expect(readWebAddress("../b?c", new URL("https://example.com/a/a/")).href).toBe(
      "https://example.com/a/b?c",
    );
    expect(readWebAddress("//evil.example", new URL("https://example.com/")).href).toBe(
      "https://evil.example/",
    );
  });
});

describe("toShownAddress", () => {
  it("cuts what is long and shows what is not seen", () => {
    expect(toShownAddress("a\u200Bb")).toBe('"a\\u{200b}b"');
    expect(toShownAddress("a".repeat(500)).length).toBe(203);
  });
});
