import { HumanMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { renderPrompt } from "../../src/graph/prompt.ts";
import type { ActiveSkill } from "../../src/graph/skill-state.ts";

const active: ActiveSkill = {
  ...{ name: "convert", digest: "d", path: "/s/convert/SKILL.md", directory: "/s/convert" },
  ...{ arguments: "a.md", argumentNames: ["file", "mode"], chosenBy: "person" },
  ...{ allowedTools: [], disallowedTools: [], anchor: "m1", tokens: 1 },
  resources: { scripts: [], references: [], assets: [] },
};

function render(skill: ActiveSkill): string {
  const text = 'Read $file.\n\n```bash run\nconvert "$file" $mode\n```\n';
  const messages = [new HumanMessage({ id: "m1", content: "/convert a.md" })];
  return String(
    renderPrompt({ messages, texts: { d: text }, active: [skill] }, "System.", 10_000).at(-1)?.content,
  );
}

it("B6: a named argument stands in the prompt, and one without a value stays for the model", () => {
  const content = render(active);
  expect(content).toContain("Read a.md.\n\n```bash run\nconvert a.md $mode\n```");
  expect(content).toContain('argument-names="file,mode"');
});

it("B6: without names the text keeps them", () => {
  const { argumentNames: _names, ...plain } = active;
  expect(render(plain)).toContain('Read $file.\n\n```bash run\nconvert "$file" $mode\n```');
});
