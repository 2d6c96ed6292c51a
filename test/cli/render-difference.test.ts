import picocolors from "picocolors";
import { expect, it } from "vitest";
import { renderDifference, renderDifferences } from "../../src/cli/render-difference.ts";

const colors = picocolors.createColors(true);
const { bold, cyan, green, red } = colors;

it("added and removed lines have their colors, and a line like a head is none", () => {
  const patch = "--- a.md\n+++ a.md (changed)\n@@ -1,3 +1,3 @@\n same\n--- old\n+++ new";
  expect(renderDifference(patch, colors)).toEqual([
    bold("    --- a.md"),
    bold("    +++ a.md (changed)"),
    cyan("    @@ -1,3 +1,3 @@"),
    "     same",
    red("    --- old"),
    green("    +++ new"),
  ]);
  expect(renderDifference("", colors)).toEqual([]);
});

it("of several files each has its head", () => {
  const first = "--- a.md\n+++ a.md (changed)\n@@ -1,1 +1,1 @@\n--- x\n+++ y";
  const second = "--- /dev/null\n+++ b.md\n@@ -0,0 +1,1 @@\n+new";
  expect(renderDifferences(`${first}\n${second}`, colors)).toEqual([
    ...renderDifference(first, colors),
    ...renderDifference(second, colors),
  ]);
  expect(renderDifferences(first, colors)).toEqual(renderDifference(first, colors));
});

it("what a file holds cannot steer a terminal", () => {
  expect(
    renderDifferences("--- a\n+++ a\n@@ -1,1 +1,1 @@\n+\u001b[2J\r", picocolors.createColors(false)).join(),
  ).not.toMatch(/[\u001b\r]/);
});
