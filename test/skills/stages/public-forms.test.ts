import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readWizard } from "../../../src/skills/stages/read-wizard.ts";
import { createFolder, writeFile, writeSkill } from "../temp-folder.ts";

/** Reads a skill that was written for other clients, as `--wizard` does. */
function readAsked(body: string, files: Record<string, string> = {}) {
  const directory = createFolder();
  const path = writeSkill(directory, "x", { body });
  for (const [name, text] of Object.entries(files)) writeFile(join(directory, name), text);
  const { wizard, diagnostics } = readWizard({ name: "x", path, directory, metadata: {} }, { asked: true });
  return {
    stages: wizard?.stages.map(({ id, title }) => `${id}: ${title}`),
    texts: wizard?.stages.map(({ text }) => text),
    intro: wizard?.intro,
    faults: diagnostics.map(({ code, severity, message }) => `${severity} ${code} ${message}`),
  };
}

const step = (title: string, header = ""): string => `${header}# ${title}\n\n## GOAL\n\nDo it.\n`;

describe("methods in step files", () => {
  it("names such as step-02-plan.md are numbered, and called without their numbers", () => {
    const names = Array.from({ length: 11 }, (_, index) => `step-${index + 1}-part${index + 1}.md`);
    const files = Object.fromEntries(
      names.map((name, index) => [`steps/${name}`, step(`Step ${index + 1}: Part ${index + 1}`)]),
    );
    const { stages, faults } = readAsked("Follow the steps.\n", files);
    expect(stages).toEqual(names.map((_name, index) => `part${index + 1}: Part ${index + 1}`));
    expect(faults).toEqual([]);
  });

  it("headers with keys of another client are passed over, and a name that is the file's is no title", () => {
    const header = (next: string) =>
      `---\nname: 'step-01-look'\ndescription: 'Looks'\nnextStepFile: './${next}'\nthisStepFile: '{folder}/a-{{name}}.md'\n---\n\n`;
    const { stages, faults } = readAsked("Method.\n", {
      "steps/step-01-look.md": step("Step 1: Look around", header("step-02-plan.md")),
      "steps/step-02-plan.md": step("Step 2: Plan", "---\nspec_file: '' # set later\n---\n"),
    });
    expect(stages).toEqual(["look: Look around", "plan: Plan"]);
    expect(faults).toEqual([]);
  });

  it("a slip in a key of ours is still told", () => {
    const { faults } = readAsked("Method.\n", {
      "steps/step-01-look.md": step("Look", "---\ngates: none\n---\n"),
    });
    expect(faults).toEqual(['error stage-key-limit "gates" is not read; write "gate".']);
  });

  it("a side way such as step-01b-continue.md is no stage where the steps name their next ones", () => {
    const files = {
      "steps/step-01-init.md": step("Init", "---\nnextStepFile: './step-02-plan.md'\n---\n"),
      "steps/step-01b-continue.md": step("Continue", "---\nstateFile: 'x'\n---\n"),
      "steps/step-02-plan.md": step("Plan"),
    };
    const { stages, faults } = readAsked("Method.\n", files);
    expect(stages).toEqual(["init: Init", "plan: Plan"]);
    expect(faults).toEqual([
      'warning stage-branch "step-01b-continue.md" is no stage: the other steps say which comes next, and none names it.',
    ]);
    const chained = {
      ...files,
      "steps/step-01-init.md": step("Init", "---\nnextStepFile: ./step-01b-continue.md\n---\n"),
    };
    expect(readAsked("Method.\n", chained).stages).toEqual([
      "init: Init",
      "continue: Continue",
      "plan: Plan",
    ]);
  });

  it("without such headers, a letter is a place between two numbers", () => {
    const { stages, faults } = readAsked("Method.\n", {
      "steps/step-02-b.md": "B.\n",
      "steps/step-01b-a2.md": "A2.\n",
      "steps/step-01-a.md": "A.\n",
    });
    expect(stages).toEqual(["a: a", "a2: a2", "b: b"]);
    expect(faults).toEqual([]);
  });

  it("two steps of one name are two stages", () => {
    const { stages } = readAsked("Method.\n", {
      "steps/step-01-review.md": "A.\n",
      "steps/step-02-fix.md": "B.\n",
      "steps/step-03-review.md": "C.\n",
    });
    expect(stages).toEqual(["review: review", "fix: fix", "step-03-review: step-03-review"]);
  });

  it.each([["phases"], ["steps-create"]])("the steps may lie in %s", (folder) => {
    const { stages } = readAsked("Method.\n", {
      [`${folder}/01-look.md`]: "A.\n",
      [`${folder}/02-plan.md`]: "B.\n",
    });
    expect(stages).toEqual(["look: look", "plan: plan"]);
  });

  it("of several such folders none is chosen, and the fault names them", () => {
    const { stages, faults } = readAsked("Method.\n", {
      "steps-c/step-01-a.md": "A.\n",
      "steps-v/step-01-b.md": "B.\n",
    });
    expect(stages).toBeUndefined();
    expect(faults[0]).toContain("several folders of steps: steps-c, steps-v.");
  });

  it("the steps may lie beside the SKILL.md, where its own headings are none", () => {
    const files = {
      "step-02-plan.md": "B.\n",
      "step-01-look.md": "A.\n",
      "workflow.md": "W.\n",
      "step-oneshot.md": "O.\n",
    };
    expect(readAsked("Method.\n", files).stages).toEqual(["look: look", "plan: plan"]);
    expect(readAsked("## Step 1: Own\n\nX.\n\n## Step 2: Other\n\nY.\n", files).stages).toEqual([
      "own: Own",
      "other: Other",
    ]);
  });

  it("an ordinary skill reads none of them", () => {
    const directory = createFolder();
    const path = writeSkill(directory, "x", { body: "Method.\n" });
    writeFile(join(directory, "steps/step-01-a.md"), "A.\n");
    expect(readWizard({ name: "x", path, directory, metadata: {} })).toEqual({ diagnostics: [] });
  });

  it("a mark at the beginning and Windows line ends change nothing", () => {
    const text = `\uFEFF---\ntitle: Look\n---\n\n# Step 1: Other\n\nDo it.\n`.replaceAll("\n", "\r\n");
    const { stages, texts, faults } = readAsked("Method.\n", { "steps/step-01-look.md": text });
    expect([stages, texts, faults]).toEqual([["look: Look"], ["# Step 1: Other\n\nDo it."], []]);
  });
});

describe("stages as headings", () => {
  it("steps within a stage stay its text, and what follows the last stage is always in view", () => {
    const body = [
      "# Write together\n\n## When to use\n\nAlways.\n",
      "## Stage 1: Gather\n\n### Step 1: Ask\n\nA.\n\n### Step 2: Listen\n\n```\n## Stage 9: In code\n```\n",
      "## Stage 2: Refine & Structure\n\n### Step 1: Ask\n\n#### Phase 1: Deep\n\nB.\n",
      "## Final Review\n\nR.\n\n## Tips\n\nT.\n",
    ].join("\n");
    const { stages, texts, intro, faults } = readAsked(body);
    expect(stages).toEqual(["gather: Gather", "refine-structure: Refine & Structure"]);
    expect(texts?.[0]).toContain("## Stage 9: In code");
    expect(texts?.[1]).toContain("#### Phase 1: Deep");
    expect(intro).toBe(
      "# Write together\n\n## When to use\n\nAlways.\n\n## Final Review\n\nR.\n\n## Tips\n\nT.",
    );
    expect(faults).toEqual([]);
  });

  it("steps one level down, below a heading that is none, are stages", () => {
    const { stages } = readAsked(
      "## Workflow\n\n### Phase 0: Ask\n\nA.\n\n### Phase 0.5: Look\n\nB.\n\n### Phase 1: Build\n\nC.\n",
    );
    expect(stages).toEqual(["ask: Ask", "look: Look", "build: Build"]);
  });

  it("letters after a number are stages of their own", () => {
    const { stages, faults } = readAsked(
      "## Step 1a: Look\n\nA.\n\n## Step 1b: Ask\n\nB.\n\n## Step 2: Do\n\nC.\n",
    );
    expect(stages).toEqual(["look: Look", "ask: Ask", "do: Do"]);
    expect(faults).toEqual([]);
  });

  it("two stages of one title are told apart by their numbers", () => {
    const { stages } = readAsked(
      "## Phase 1: Review\n\nA.\n\n## Phase 2: Fix\n\nB.\n\n## Phase 3: Review\n\nC.\n",
    );
    expect(stages).toEqual(["review: Review", "fix: Fix", "review-phase-3: Review"]);
  });

  it("a heading that only begins like one is none", () => {
    const { stages } = readAsked("## 步骤一览\n\n甲。\n\n## Steps 1 and 2\n\nX.\n\n## 步骤一 准备\n\n乙。\n");
    expect(stages).toEqual(["准备: 准备"]);
  });

  it.each([
    ["第一阶段：需求分析", "第二阶段：实现", ["需求分析: 需求分析", "实现: 实现"]],
    ["阶段一 需求", "阶段二 实现", ["需求: 需求", "实现: 实现"]],
    ["步骤 1：准备", "步骤 2：执行", ["准备: 准备", "执行: 执行"]],
    ["🚀 第1步 - 准备", "📝 第2步 - 执行", ["准备: 准备", "执行: 执行"]],
    ["第一步 准备", "第二步 执行", ["准备: 准备", "执行: 执行"]],
    ["阶段 1", "阶段 2", ["阶段-1: 阶段 1", "阶段-2: 阶段 2"]],
  ])("%s", (first, second, expected) => {
    const { stages, faults } = readAsked(`## ${first}\n\n甲。\n\n### 步骤 1：内\n\n## ${second}\n\n乙。\n`);
    expect(stages).toEqual(expected);
    expect(faults).toEqual([]);
  });
});
