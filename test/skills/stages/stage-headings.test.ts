import { describe, expect, it } from "vitest";
import { splitStages } from "../../../src/skills/stages/stage-headings.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";

function titles(body: string): string[] {
  return splitStages(body).sections.map(({ id, title }) => `${id}|${title}`);
}

describe("stage headings", () => {
  it.each<[string, string]>([
    ["## Stage 1: Inspect", "inspect|Inspect"],
    ["## Stage 1 - Inspect it", "inspect-it|Inspect it"],
    ["## Stage 1. Inspect", "inspect|Inspect"],
    ["## Stage 1 — Inspect", "inspect|Inspect"],
    ["## STEP 2) Inspect", "inspect|Inspect"],
    ["## Phase III: Inspect", "inspect|Inspect"],
    ["## Phase Ⅲ: Inspect", "inspect|Inspect"],
    ["## Step A: Inspect", "inspect|Inspect"],
    ["## Step one: Inspect", "inspect|Inspect"],
    ["## Step 1 of 5: Inspect", "inspect|Inspect"],
    ["## Step #1: Inspect", "inspect|Inspect"],
    ["## 阶段 1：检查", "检查|检查"],
    ["## 階段1：检查", "检查|检查"],
    ["## 步骤一：检查", "检查|检查"],
    ["## 第一步：检查", "检查|检查"],
    ["## 第十二步骤 检查", "检查|检查"],
    ["## 第1阶段", "第1阶段|第1阶段"],
    ["### Step 1", "step-1|Step 1"],
    ["## **Stage 1: Inspect**", "inspect|Inspect"],
    ["## **Stage 1:** Inspect ##", "inspect|Inspect"],
    ["## 🔍 Stage 1: Inspect ✅", "inspect|Inspect"],
    ["## 1️⃣ Step 1: Inspect", "inspect|Inspect"],
    ["## 1. Step 1: Inspect", "inspect|Inspect"],
    ["## Stage 1: [Inspect](a.md) `x` {#one}", "inspect-x|Inspect x"],
    ["## <a id='x'></a>Stage 1: Inspect", "inspect|Inspect"],
    ["## Stage 1: ???", "stage-1|???"],
    ["## Stage 1: Cafe\u0301", "caf\u00e9|Cafe\u0301"],
    ["   ## Stage 1: Inspect:", "inspect|Inspect"],
    ["## Step 1 (optional): Ask", "optional-ask|(optional): Ask"],
  ])("%s", (heading, expected) => {
    expect(titles(`${heading}\n\nText.\n`)).toEqual([expected]);
  });

  it.each([
    "# Stage 1: A",
    "#### Stage 1: A",
    "## Stages",
    "## Step by step",
    "## Step-by-step guide",
    "## Step I want",
    "## Stagecoach 1: A",
    "## Step one more",
    "## 步骤一样",
    "Stage 1: A",
    "    ## Stage 1: A",
    "##Stage 1: A",
  ])("%s is none", (heading) => {
    expect(titles(`${heading}\n\nText.\n`)).toEqual([]);
  });

  it("text before, between and after goes where it belongs", () => {
    const body = [
      ...[
        "# Title",
        "",
        "Intro.",
        "",
        "## Stage 1: A",
        "",
        "  Text a.",
        "### Detail",
        "a.",
        "## Aside",
        "b.",
        "",
      ],
      ...["## Stage 2: B", "", "Text b.", "", "## Notes", "", "Notes.", "### Stage 3: C", "c."],
    ];
    const { intro, sections, faults } = splitStages(body.join("\n"));
    expect(intro).toBe("# Title\n\nIntro.\n\n## Notes\n\nNotes.\n### Stage 3: C\nc.");
    expect(sections).toEqual([
      { id: "a", title: "A", index: 4, textIndex: 6, text: "  Text a.\n### Detail\na.\n## Aside\nb." },
      { id: "b", title: "B", index: 12, textIndex: 14, text: "Text b." },
    ]);
    expect(faults).toEqual([]);
  });

  it("a higher heading ends stages of level 3", () => {
    const { intro, sections } = splitStages(
      "## Work\n\n### Step 1: A\n\na\n\n### Step 2: B\n\nb\n\n## Output\n\no\n",
    );
    expect(sections.map(({ text }) => text)).toEqual(["a", "b"]);
    expect(intro).toBe("## Work\n\n## Output\n\no");
  });

  it("two of level 3 come before one of level 2, and level 2 before level 3", () => {
    expect(titles("## Phase 1: P\n### Step 1: A\n### Step 2: B\n")).toEqual(["a|A", "b|B"]);
    expect(titles("## Phase 1: P\n### Step 1: A\n### Step 2: B\n## Phase 2: Q\n")).toEqual(["p|P", "q|Q"]);
  });

  it("the first keyword counts, and another one of the same level is told", () => {
    const { sections, faults } = splitStages("## Stage 1: A\n\n## Step 1: B\n\n## Stage 2: C\n");
    expect(sections.map(({ id, text }) => [id, text])).toEqual([
      ["a", "## Step 1: B"],
      ["c", ""],
    ]);
    expect(faults).toMatchObject([{ code: "stage-keyword", severity: "warning", index: 2 }]);
  });

  it("what stands in code or in a comment is text", () => {
    const body =
      "```md\n## Stage 1: No\n```\n<!--\n## Stage 2: No\n-->\n~~~\n```\n## Stage 3: No\n~~~\n## Stage 4: Yes\n";
    expect(titles(body)).toEqual(["yes|Yes"]);
    expect(titles("Write `<!--` here.\n## Stage 1: A\n")).toEqual(["a|A"]);
  });

  it.each([
    ["```\nnever closed\n", "The fence"],
    ["<!-- never closed\n", "The comment"],
  ])("a stage that %j swallows is an error", (opening, what) => {
    const { faults } = splitStages(`## Stage 1: A\n${opening}\n## Stage 2: B\n`);
    expect(faults).toMatchObject([{ code: "stage-swallowed", severity: "error", index: 1 }]);
    expect(faults[0]?.message).toContain(
      `${what} that begins here is never closed and swallows "Stage 2: B".`,
    );
    expect(splitStages(`## Stage 1: A\n${opening}`).faults).toEqual([]);
  });

  it.each<[string[], string[]]>([
    [["Step 1: A", "Step 2: B", "Step 3: C"], []],
    [["Step 0: A", "Step 1: B"], []],
    [["Step A: A", "Step B: B", "Step C: C"], []],
    [["Step H: A", "Step I: B", "Step J: C"], []],
    [["Phase I: A", "Phase II: B", "Phase III: C", "Phase IV: D"], []],
    [["步骤九：A", "步骤十：B", "步骤十一：C"], []],
    [["步骤十九：A", "步骤二十：B", "步骤二十一：C"], []],
    [["Step 1.1: A", "Step 1.2: B"], []],
    [
      ["Step 1: A", "Step 3: B"],
      ['"Step 3" does not follow "Step 1"; the stages are taken in the order of the file.'],
    ],
    [
      ["Step 1: A", "Step 1: B"],
      ['"Step 1" repeats the number of "Step 1"; the stages are taken in the order of the file.'],
    ],
    [
      ["Step 2: A", "Step 1: B"],
      ['"Step 1" does not follow "Step 2"; the stages are taken in the order of the file.'],
    ],
  ])("numbers %j", (headings, messages) => {
    const { faults } = splitStages(headings.map((heading) => `## ${heading}\n\nText.\n`).join("\n"));
    expect(faults.map(({ message }) => message)).toEqual(messages);
  });

  it("a long text of headings, marks and fences takes no time", () => {
    const readCpu = startCpuClock();
    for (const text of [
      "## Stage 1: ".repeat(20_000),
      "## Step 1: *_*_\n".repeat(5_000),
      "```\n".repeat(20_000),
      "<!--".repeat(20_000),
    ]) {
      splitStages(text);
    }
    expect(readCpu()).toBeLessThan(2_000);
  });
});
