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

  it("a skill that nobody can load wins its name and is not called offered", () => {
    const header = { name: "x", description: "Does x." };
    const closed = { ...header, "user-invocable": "false", "disable-model-invocation": "true" };
    const workspace = createWorkspace({ "skills/x/SKILL.md": skillText(closed, "x") });
    const { winner, candidates } = explain(workspace, "x", { trust: true });
    expect(winner?.name).toBe("x");
    expect(candidates.map(({ status }) => status)).toEqual(["closed"]);
  });

  it("a skill with paths says when the model is told of it", () => {
    const header = { name: "x", description: "Does x.", paths: '"*.py, docs/**"' };
    const workspace = createWorkspace({ "skills/x/SKILL.md": skillText(header, "x") });
    expect(explain(workspace, "x", { trust: true }).candidates[0]?.reasons).toEqual([
      "The model is told of it once a file that fits its paths is worked with: *.py, docs/**.",
    ]);
    const byName = { ...header, "disable-model-invocation": "true" };
    workspace.write("skills/x/SKILL.md", skillText(byName, "x"));
    expect(explain(workspace, "x", { trust: true }).candidates[0]?.reasons.join()).not.toContain("paths");
  });

  it("the risk of a wizard counts its stages", () => {
    const workspace = createWorkspace({
      "skills/w/SKILL.md": skillText({ name: "w", description: "Works." }, "x"),
      "skills/w/stages/01-go.md": "---\nallowed-tools: Bash(make:*)\n---\n# Go\n\nMake it.\n",
    });
    const [candidate] = explain(workspace, "w").candidates;
    expect(candidate?.risk).toBe("L2");
    expect(candidate?.reasons.join()).toContain("The model is not told of it");
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

  it("a link that leads out of the roots is a candidate that was refused", () => {
    const workspace = createWorkspace({ "outside.md": tidy });
    mkdirSync(join(workspace.folder, ".claude/skills/linked"), { recursive: true });
    symlinkSync(
      join(workspace.folder, "outside.md"),
      join(workspace.folder, ".claude/skills/linked/SKILL.md"),
    );
    expect(explain(workspace, "linked").candidates).toMatchObject([
      { status: "refused", reasons: [expect.stringContaining("outside of the folders")] },
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

  it("a disabled name is offered by nobody, the weaker ones included, and the setting is named", () => {
    const workspace = createWorkspace({
      "extra/tidy/SKILL.md": tidy,
      "skills/tidy/SKILL.md": tidy,
      "skillgraph.json": '{"skills": {"disabled": ["tidy"]}}',
    });
    const { winner, candidates } = explain(workspace, "tidy", { skills: ["extra"] });
    expect(winner).toBeUndefined();
    expect(candidates).toMatchObject([
      { status: "disabled", reasons: [expect.stringContaining("skills.disabled")], root: { tier: "flag" } },
      { status: "disabled", root: { tier: "project" } },
    ]);
  });

  it("what lies among the files of a skill, and what .gitignore names, is found by folder and by header", () => {
    const workspace = createWorkspace({
      ".git/HEAD": "",
      ".gitignore": "private/\n",
      "skills/big/SKILL.md": skillText({ name: "big", description: "B." }, "x"),
      "skills/big/assets/template/SKILL.md": tidy,
      "skills/private/SKILL.md": tidy,
    });
    const nested = {
      status: "nested",
      reasons: [expect.stringContaining(join(workspace.folder, "skills/big"))],
    };
    const ignored = {
      status: "ignored",
      reasons: [expect.stringContaining(join(workspace.folder, ".gitignore"))],
    };
    expect(explain(workspace, "template").candidates).toMatchObject([nested]);
    expect(explain(workspace, "private").candidates).toMatchObject([ignored]);
    expect(explain(workspace, "tidy").candidates).toMatchObject([nested, ignored]);
    expect(explain(workspace, "big")).toMatchObject({ winner: { name: "big" }, limits: [] });
  });

  it("a folder of the name behind the limits of the search is told, with the limit", () => {
    const workspace = createWorkspace({
      "skills/1/2/3/4/5/6/tidy/SKILL.md": tidy,
      "skills/a/b/c/wide/SKILL.md": skillText({ name: "wide", description: "W." }, "x"),
      "skills/d/x": "",
    });
    const { candidates, limits } = explain(workspace, "tidy");
    expect(limits).toMatchObject([{ code: "root-deep" }]);
    expect(candidates).toMatchObject([
      { status: "unsearched", reasons: [expect.stringContaining("levels down")] },
    ]);
    expect(explain(workspace, "other")).toMatchObject({ candidates: [], limits: [{ code: "root-deep" }] });
    workspace.write("skillgraph.json", '{"skills": {"maxFolders": 5}}');
    expect(explain(workspace, "wide", { trust: true }).candidates).toMatchObject([
      { status: "unsearched", reasons: [expect.stringContaining("skills.maxFolders")] },
    ]);
  });
});
