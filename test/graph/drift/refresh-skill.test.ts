import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refreshSkill } from "../../../src/graph/drift/refresh-skill.ts";
import { findChange, rememberFiles } from "../../../src/graph/drift/skill-files.ts";
import { readSkill, toActiveSkill } from "../../../src/graph/nodes/load-skill.ts";
import { toProgress } from "../../../src/graph/wizard/wizard.ts";
import { type Catalog, loadCatalog } from "../../../src/skills/catalog.ts";
import { startWizard } from "../../../src/skills/stages/stage-machine.ts";
import { createFolder, toRoot, writeFile } from "../../skills/temp-folder.ts";

const parts = { trust: { check: () => ({ trusted: true, files: [] }) } };
const text = (body: string, name = "trip") => `---\nname: ${name}\ndescription: Plans.\n---\n${body}\n`;

/** A skill that was loaded, and what became of its files after an edit. */
function load(files: Record<string, string> = {}) {
  const root = createFolder();
  const write = (path: string, content: string) => writeFile(join(root, "trip", path), content);
  for (const [path, content] of Object.entries({ "SKILL.md": text("Old."), ...files })) write(path, content);
  const skill = loadCatalog([toRoot(root)]).skills[0]!;
  const { digest, wizard, key, text: body } = readSkill(skill, false);
  const request = { name: skill.name, arguments: "", chosenBy: "person" } as const;
  const old = toActiveSkill(skill, request, { digest, text: body, anchor: "m1" });
  const texts = { [key]: body };
  old.files = rememberFiles(skill, texts);
  if (wizard) old.wizard = toProgress(startWizard(wizard), { digest: key, anchor: "m1" });
  const open = (): Catalog => loadCatalog([toRoot(root)]);
  const change = () => findChange(old, texts, {}) ?? { digest: old.files ?? "", files: [] };
  return { old, write, open, change, texts };
}

describe("a skill is read anew only as it was looked at", () => {
  it("with its new text", () => {
    const { old, write, open, change, texts } = load();
    write("SKILL.md", text("New."));
    const catalog = open();
    expect(refreshSkill(old, change(), { parts, catalog, texts })).toMatchObject({
      skill: { name: "trip", files: change().digest },
    });
  });

  it("not when its files changed once more meanwhile", () => {
    const { old, write, open, change, texts } = load();
    write("SKILL.md", text("New."));
    const told = change();
    write("SKILL.md", text("Newer."));
    expect(refreshSkill(old, told, { parts, catalog: open(), texts })).toEqual({
      fault: "its files changed again while they were read.",
    });
  });

  it("not under another name", () => {
    const { old, write, open, change, texts } = load();
    write("SKILL.md", text("New.", "voyage"));
    expect(refreshSkill(old, change(), { parts, catalog: open(), texts })).toEqual({
      fault: 'its name is "voyage" now.',
    });
  });
});

describe("a wizard is read anew at its stage", () => {
  const stages = { "stages/01-look.md": "Look.\n", "stages/02-plan.md": "Plan.\n" };
  const result = { id: "look", summary: "Seen.", output: null, stale: false, attempts: 1 };

  it.each([
    [false, { skill: { wizard: { stage: "plan" } } }],
    [
      true,
      {
        skill: {
          wizard: {
            stage: "look",
            displaced: {
              stage: "plan",
              why: 'its stage "look" stands before "plan" now, and is to be done again',
            },
          },
        },
      },
    ],
  ])("an earlier stage whose result is stale: %s", (stale, expected) => {
    const { old, write, open, change, texts } = load(stages);
    const wizard = { ...old.wizard!, stage: "plan", results: [{ ...result, stale }] };
    write("stages/02-plan.md", "Plan it.\n");
    const refreshed = refreshSkill({ ...old, wizard } as typeof old, change(), {
      parts,
      catalog: open(),
      texts,
    });
    expect(refreshed).toMatchObject(expected);
  });
});
