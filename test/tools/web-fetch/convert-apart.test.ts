import { describe, expect, it } from "vitest";
import { convertApart } from "../../../src/tools/web-fetch/convert-apart.ts";
import { startWebServer } from "../../support/web-server.ts";
import { anywhere, fetchText } from "./fetching.ts";

const never = new AbortController().signal;

async function toMarkdown(html: string, url = "https://example.com/a/b"): Promise<string> {
  const page = await convertApart(html, url, { timeoutMs: 20_000, signal: never });
  if ("fault" in page) throw new Error(page.fault);
  return page.title === "" ? page.markdown : `${page.title}: ${page.markdown}`;
}

describe("convertApart", () => {
  it.each([
    ["a heading and emphasis", "<h2>A</h2><p>b <em>c</em> <strong>d</strong>", "## A\n\nb _c_ **d**"],
    ["the title", "<html><head><title>\n A &amp; B </title></head><body>c", "A & B: c"],
    ["a list", "<ul><li>a</li><li>b</li></ul>", "* a\n* b"],
    ["code", '<pre><code class="language-js">a &lt; b</code></pre>', "```js\na < b\n```"],
    [
      "a table",
      "<table><tr><th>h</th><th>i</th></tr><tr><td>1</td><td>2</td></tr></table>",
      "| h | i |\n| - | - |\n| 1 | 2 |",
    ],
    ["a relative link", '<a href="../c?d=1&amp;e=2">l</a>', "[l](https://example.com/c?d=1&e=2)"],
    [
      "a link from a base",
      '<head><base href="/x/"></head><body><a href="y">l</a>',
      "[l](https://example.com/x/y)",
    ],
    ["a link within the page", '<a href="#part">l</a>', "[l](https://example.com/a/b#part)"],
    ["a picture", '<img src="p.png" alt="P">', "![P](https://example.com/a/p.png)"],
    ["a script as a link", '<a href=" javascript:run()">l</a>', "l"],
    ["a data picture", '<p>a<img src="data:image/png;base64,xx">b', "ab"],
    ["scripts and styles", "<p>a<script>s('<p>')</script><style>p{}</style>b", "ab"],
    ["comments", "<p>a<!-- secret --><!-- <p>secret2 -->b", "ab"],
    [
      "templates and drawings",
      "<p>a<template>t</template><svg><title>s</title></svg><iframe>f</iframe>b",
      "ab",
    ],
    ["hidden", "<p>a</p><p hidden>b</p><div HIDDEN><p>c</p></div><p>d</p>", "a\n\nd"],
    [
      "not displayed",
      '<p>a</p><p style="color:red;DISPLAY : none">b</p><p style="display:none!important">c',
      "a",
    ],
    ["not visible", '<p>a</p><p style="visibility:hidden">b</p><p style="opacity:0">c</p>', "a"],
    ["of no size", '<p>a</p><p style="font-size:0px">b</p>', "a"],
    ["visible", '<p style="opacity:0.5">a</p><p style="font-size:0.9em;display:block">b</p>', "a\n\nb"],
  ])("%s", async (_name, html, expected) => {
    expect(await toMarkdown(html)).toBe(expected);
  });

  it("long pages are turned in pieces, in their order", async () => {
    const paragraphs = Array.from({ length: 2_000 }, (_, index) => `<p>Number <b>${index}</b> of many.</p>`);
    const markdown = await toMarkdown(`<body><main><div>${paragraphs.join("\n")}</div></main></body>`);
    const numbers = [...markdown.matchAll(/\*\*(\d+)\*\*/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(paragraphs.map((_, index) => index));
  });

  it.each([
    ["100,000 nested elements", "<div>".repeat(100_000)],
    ["comments without end", "<!--".repeat(300_000)],
    [
      "a table that would unfold",
      `<table><tr><td>${"x".repeat(20_000)}</td></tr>${"<tr><td>a</td></tr>".repeat(50_000)}</table>`,
    ],
    ["quotes in quotes", "<blockquote>".repeat(20_000)],
  ])("%s: a fault within the time, while the program goes on", async (_name, html) => {
    let longest = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    const begin = performance.now();
    const page = await convertApart(html, "https://example.com/", { timeoutMs: 500, signal: never });
    clearInterval(beat);
    expect(page).toHaveProperty("fault");
    expect(performance.now() - begin).toBeLessThan(5_000);
    // A machine under load wakes late, too; the conversion itself takes minutes.
    expect(longest).toBeLessThan(1_500);
  });

  it("ends at once with its run", async () => {
    const begin = performance.now();
    const converting = convertApart("<div>".repeat(100_000), "https://example.com/", {
      timeoutMs: 60_000,
      signal: AbortSignal.timeout(200),
    });
    await expect(converting).rejects.toThrow("timeout");
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});

describe("a page that cannot be turned into Markdown", () => {
  it("is given as text without tags, and that is said", async () => {
    const server = await startWebServer(`${"<div>".repeat(100_000)}Hello &amp; welcome.<script>no</script>`);
    const text = await fetchText(server.url, { options: anywhere });
    expect(text).toMatch(/\[The page was not turned into Markdown: .*This is its text without tags\.\]/);
    expect(text).toMatch(/\n\nHello & welcome\.$/);
  });
});
