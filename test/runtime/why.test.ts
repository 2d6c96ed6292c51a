import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSettings, openCatalog } from "../../src/index.ts";
import { explainSkill } from "../../src/runtime/why.ts";
import { createWorkspace, skillText, type Workspace } from "../support/workspace.ts";

function explain(workspace: Workspace, name: string, options: Parameters<typeof loadSettings>[0] = {}) {
  const { folder: cwd, environment } = workspace;
  const settings = loadSettings({ cwd, environment, ...options });
  return explainSkill(name, openCatalog(settings), settings.roots);
}

const tidy = skillText({ name: "tidy", description: "Tidies." }, "x");

describe("explainSkill", () => {
  it("gives every candidate in the order of the roots, the winner, and why the others lost", () => {
    const workspace = createWorkspace({
      "extra/tidy/SKILL.md": tidy,
      "skills/tidy/SKILL.md": tidy,
      ".claude/skills/tidy/SKILL.md": "---\nname: tidy\nallowed-tools: Read\n---\nx\n",
      "skills/other/SKILL.md": skillText({ name: "other", description: "Other." }, "x"),
    });
    const { winner, candidates, nearest } = explain(workspace, "tidy", { skills: ["extra"] });
    const path = (place: string) => join(workspace.folder, place, "tidy/SKILL.md");
    expect(winner?.path).toBe(path("extra"));
    expect(nearest).toEqual([]);
    expect(candidates.map((each) => [each.status, each.path, each.root.tier, each.root.trusted])).toEqual([
      ["offered", path("extra"), "flag", true],
      ["shadowed", path("skills"), "project", false],
      ["refused", path(".claude/skills"), "project", false],
    ]);
    const [offered, shadowed, refused] = candidates;
    expect(offered?.reasons).toEqual([]);
    expect(shadowed?.reasons[0]).toBe(`${path("extra")} has the same name and comes first.`);
    expect(refused?.diagnostics).toMatchObject([{ code: "description-missing", severity: "error" }]);
  });

  it("says how many skills each root gave, and how many of them are offered", () => {
    const workspace = createWorkspace({
      "extra/tidy/SKILL.md": tidy,
      "extra/bad/SKILL.md": "no header",
      "skills/tidy/SKILL.md": tidy,
      "skills/other/SKILL.md": skillText({ name: "other", description: "Other." }, "x"),
    });
    const { roots } = explain(workspace, "tidy", { skills: ["extra"] });
    expect(roots.map(({ tier, skills, offered }) => [tier, skills, offered]).slice(0, 2)).toEqual([
      ["flag", 1, 1],
      ["project", 2, 1],
    ]);
    expect(roots.at(-1)?.tier).toBe("bundled");
  });

  it.each([
    [{}, true, []],
    [{}, false, ["not trusted"]],
    [{ "disable-model-invocation": "true" }, true, ["only a person loads it, with /x"]],
    [{ "user-invocable": "false" }, true, ["/x does not load it"]],
    [{ "user-invocable": "false", "disable-model-invocation": "true" }, true, ["Nobody can load it"]],
    [{ "user-invocable": "false" }, false, ["not trusted", "/x does not load it"]],
  ])("a header of %j, trusted: %j, has its limits told", (header, trust, expected) => {
    const text = skillText({ name: "x", description: "X.", ...header }, "x");
    const { candidates } = explain(createWorkspace({ "skills/x/SKILL.md": text }), "x", { trust });
    expect(candidates).toHaveLength(1);
    expect(candidates[0]?.reasons).toEqual(expected.map((part) => expect.stringContaining(part)));
  });

  it("a folder whose header says another name is told for both names", () => {
    const workspace = createWorkspace({
      "skills/tidy/SKILL.md": skillText({ name: "tidy-up", description: "T." }, "x"),
    });
    const byFolder = explain(workspace, "tidy");
    expect(byFolder.winner).toBeUndefined();
    expect(byFolder.candidates).toMatchObject([
      { status: "renamed", reasons: [expect.stringContaining('"tidy-up"')] },
    ]);
    expect(byFolder.nearest).toEqual(["tidy-up"]);
    expect(explain(workspace, "tidy-up").candidates).toMatchObject([{ status: "offered" }]);
  });

  it("a refused file is found by the name in its header, too", () => {
    const workspace = createWorkspace({ "skills/folder/SKILL.md": "---\nname: tidy\n---\nx\n" });
    for (const name of ["tidy", "folder"]) {
      expect(explain(workspace, name).candidates).toMatchObject([{ status: "refused" }]);
    }
    expect(explain(workspace, "else").candidates).toEqual([]);
  });

  it("a link that leads out of the roots, and a skill inside a skill, are candidates that were refused", () => {
    const workspace = createWorkspace({ "outside.md": tidy, "skills/SKILL.md": tidy });
    workspace.write("skills/inner/SKILL.md", tidy);
    mkdirSync(join(workspace.folder, ".claude/skills/linked"), { recursive: true });
    symlinkSync(
      join(workspace.folder, "outside.md"),
      join(workspace.folder, ".claude/skills/linked/SKILL.md"),
    );
    expect(explain(workspace, "linked").candidates).toMatchObject([
      { status: "refused", reasons: [expect.stringContaining("outside of the folders")] },
    ]);
    expect(explain(workspace, "inner").candidates).toMatchObject([
      { status: "refused", reasons: [expect.stringContaining("It is not read")] },
    ]);
  });

  it("a file that cannot be read as text hides nothing", () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy });
    mkdirSync(join(workspace.folder, ".claude/skills/tidy"), { recursive: true });
    writeFileSync(join(workspace.folder, ".claude/skills/tidy/SKILL.md"), Buffer.from([0x2d, 0xff, 0xfe]));
    const { candidates } = explain(workspace, "tidy");
    expect(candidates.map(({ status }) => status)).toEqual(["offered", "refused"]);
    expect(candidates[1]?.diagnostics).toMatchObject([{ code: "file-unreadable" }]);
  });

  it("names are compared in NFC", () => {
    const workspace = createWorkspace({
      "skills/entrée/SKILL.md": skillText({ name: "entrée".normalize("NFD"), description: "E." }, "x"),
    });
    expect(explain(workspace, "entrée".normalize("NFD")).winner?.name).toBe("entrée".normalize("NFC"));
  });
});
