import { describe, expect, it } from "vitest";
import { toPlainText } from "../../../src/tools/web-fetch/plain-text.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";

describe("toPlainText", () => {
  it.each([
    ["<p>a<br>b</p><p>c <b>d</b></p>", "a\nb\n\nc d"],
    ["a<script>x < y</script>b<STYLE>p{}</STYLE >c", "abc"],
    ["a<!-- b -> c -->d", "ad"],
    ["a<!doctype html><?xml?>b", "ab"],
    ["1 < 2 && 3 > 2", "1 < 2 && 3 > 2"],
    [
      "&lt;b&gt; &amp;amp; &#65;&#x42; &nbsp; &nope; &#xD800; &#99999999;",
      "<b> &amp; AB   &nope; � &#99999999;",
    ],
    ["a<script>never closed", "a"],
    ["a<!-- never closed", "a"],
    ["a<b never closed", "a"],
    ["a\n\n\n\n b \n", "a\n\nb"],
    ["", ""],
  ])("%j is %j", (html, expected) => {
    expect(toPlainText(html)).toBe(expected);
  });

  it.each([
    ["opened tags", "<".repeat(2_000_000)],
    ["opened comments", "<!--".repeat(500_000)],
    ["scripts", "<script>".repeat(250_000)],
    ["closed scripts", "</script".repeat(250_000)],
    ["nested elements", "<div>".repeat(400_000)],
    ["empty lines", " \n".repeat(1_000_000)],
    ["blanks", " ".repeat(2_000_000)],
    ["half entities", "&#".repeat(1_000_000)],
  ])("2,000,000 characters of %s take no longer than others", (_name, html) => {
    const readCpu = startCpuClock();
    toPlainText(html);
    expect(readCpu()).toBeLessThan(2_000);
  });
});
