import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCatalog } from "../../../src/runtime/catalog.ts";
import { loadSettings } from "../../../src/runtime/settings.ts";
import { createTrustDesk, markTrust, openCheckedCatalog } from "../../../src/runtime/trust/skill-trust.ts";
import { surveyProject } from "../../../src/runtime/trust/survey-project.ts";
import { readTrust, setTrust } from "../../../src/runtime/trust/trust.ts";
import { trustWorkspace } from "../../support/trust.ts";
import { createWorkspace, skillText, type Workspace } from "../../support/workspace.ts";

const one = skillText({ name: "one", description: "O.", "allowed-tools": "Bash" }, "One.");
const two = skillText({ name: "two", description: "T." }, "Two.");

const load = ({ folder, environment }: Workspace) => loadSettings({ cwd: folder, environment });

function findSkill(workspace: Workspace, name: string) {
  const skill = openCatalog(load(workspace)).get(name);
  if (!skill) throw new Error(`No skill "${name}".`);
  return skill;
}

describe("what is recorded", () => {
  it("is the digest of each skill's files, by the real path of its folder, for the person alone", () => {
    const workspace = createWorkspace({ "skills/one/SKILL.md": one, "shared/two/SKILL.md": two });
    symlinkSync("../shared/two", join(workspace.folder, "skills/two"));
    trustWorkspace(workspace);
    const { configFolder } = load(workspace);
    const { skills } = readTrust(configFolder);
    expect([...skills.keys()].sort()).toEqual(
      [join(workspace.folder, "shared/two"), join(workspace.folder, "skills/one")].sort(),
    );
    expect([...(skills.get(join(workspace.folder, "skills/one"))?.files.keys() ?? [])]).toEqual(["SKILL.md"]);
    setTrust(configFolder, workspace.folder, false);
    expect(readTrust(configFolder)).toEqual({ folders: [], skills: new Map() });
  });

  it("of another folder stays when one is not trusted any more", () => {
    const workspace = createWorkspace({ "skills/one/SKILL.md": one, "skills-of-others/x": "" });
    trustWorkspace(workspace);
    const { configFolder } = load(workspace);
    setTrust(configFolder, join(workspace.folder, "skills-of-others"), true);
    setTrust(configFolder, join(workspace.folder, "skills-of-others"), false);
    expect(readTrust(configFolder).skills.size).toBe(1);
  });

  it.each([
    ["a list", []],
    ["a text", "all"],
    ["an entry without a digest", { "/p": {} }],
    ["an entry that is none", { "/p": null }],
    ["the prototype", JSON.parse('{"__proto__": {"digest": 1}}')],
  ])("that cannot be read is nothing: %s", (_name, skills) => {
    const workspace = createWorkspace();
    const folder = join(workspace.home, ".config/skillgraph");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "trust.json"), JSON.stringify({ folders: ["/p"], skills }));
    expect(readTrust(folder)).toEqual({ folders: ["/p"], skills: new Map() });
  });

  it("keeps names that mean something to JavaScript", () => {
    const workspace = createWorkspace({ "skills/one/SKILL.md": one, "skills/one/__proto__": "x" });
    trustWorkspace(workspace);
    const { configFolder } = load(workspace);
    expect(JSON.parse(readFileSync(join(configFolder, "trust.json"), "utf8")).folders).toHaveLength(1);
    expect(createTrustDesk(load(workspace)).check(findSkill(workspace, "one")).trusted).toBe(true);
    workspace.write("skills/one/__proto__", "y");
    expect(createTrustDesk(load(workspace)).check(findSkill(workspace, "one")).files).toEqual([
      "__proto__ (changed)",
    ]);
  });
});

describe("createTrustDesk", () => {
  it("at a glance trusts what nobody touched, and reads what somebody did", () => {
    const workspace = createWorkspace({ "skills/one/SKILL.md": one, "skills/two/SKILL.md": two });
    trustWorkspace(workspace);
    const desk = createTrustDesk(load(workspace));
    const skill = findSkill(workspace, "one");
    expect(desk.glance()(skill)).toBe(true);
    utimesSync(skill.path, 1, 1);
    expect(desk.glance()(skill)).toBe(true);
    workspace.write("skills/one/go.sh", "x");
    expect(desk.glance()(skill)).toBe(false);
    // One that runs no command is looked at when it is to be loaded.
    workspace.write("skills/two/go.sh", "x");
    expect(desk.glance()(findSkill(workspace, "two"))).toBe(true);
    expect(desk.check(findSkill(workspace, "two")).trusted).toBe(false);
  });

  it("names ten changed files at most, and counts the others", () => {
    const workspace = createWorkspace({ "skills/one/SKILL.md": one });
    trustWorkspace(workspace);
    for (let index = 10; index < 25; index += 1) workspace.write(`skills/one/f${index}`, "x");
    const { reason, files } = createTrustDesk(load(workspace)).check(findSkill(workspace, "one"));
    expect(files).toHaveLength(15);
    expect(reason).toMatch(/^15 files changed since it was trusted: f10 \(new\), .*f19 \(new\), and 5 more$/);
  });

  it("asks nothing of skills of the person and of an untrusted project", () => {
    const workspace = createWorkspace({ "skills/one/SKILL.md": one });
    expect(createTrustDesk(load(workspace)).check(findSkill(workspace, "one")).reason).toMatch(/not trusted/);
    const own = join(workspace.home, ".agents/skills/two");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "SKILL.md"), two);
    trustWorkspace(workspace);
    writeFileSync(join(own, "new.sh"), "x");
    expect(createTrustDesk(load(workspace)).check(findSkill(workspace, "two"))).toEqual({
      trusted: true,
      files: [],
    });
  });
});

describe("markTrust", () => {
  it("gives the catalog itself when every skill keeps its mark, and the same one while the marks stay", () => {
    const workspace = createWorkspace({ "skills/one/SKILL.md": one, "skills/two/SKILL.md": two });
    trustWorkspace(workspace);
    const catalog = openCatalog(load(workspace));
    expect(markTrust(catalog, () => true)).toBe(catalog);
    const marked = markTrust(catalog, ({ name }) => name !== "one");
    expect(markTrust(catalog, ({ name }) => name !== "one")).toBe(marked);
    expect([marked.get("one")?.trusted, marked.get("two")?.trusted]).toEqual([false, true]);
    expect(marked.get("one")).toBe(marked.skills.find(({ name }) => name === "one"));
    expect(marked.digest).not.toBe(catalog.digest);
    expect(catalog.get("one")?.trusted).toBe(true);
  });

  it("gives another catalog for other marks", () => {
    const workspace = createWorkspace({ "skills/one/SKILL.md": one, "skills/two/SKILL.md": two });
    trustWorkspace(workspace);
    const catalog = openCatalog(load(workspace));
    const digests = ["one", "two"].map((doubted) => {
      const marked = markTrust(catalog, ({ name }) => name !== doubted);
      expect(marked.skills.filter(({ trusted }) => !trusted).map(({ name }) => name)).toEqual([doubted]);
      return marked.digest;
    });
    expect(new Set(digests).size).toBe(2);
  });

  it("with a full check shows what changed", () => {
    const workspace = createWorkspace({ "skills/two/SKILL.md": two });
    trustWorkspace(workspace);
    workspace.write("skills/two/x", "");
    expect(openCheckedCatalog(load(workspace)).get("two")?.trusted).toBe(false);
  });
});

describe("surveyProject", () => {
  it("tells of each skill of the project what it asks for and how it stands to its record", () => {
    const workspace = createWorkspace({
      "skills/one/SKILL.md": one,
      "skills/two/SKILL.md": two,
      "skills/two/stages/01-a.md": "---\ntitle: A\nallowed-tools: Write\n---\nA.",
      ".claude/skills/one/SKILL.md": one,
      "skills/bad/SKILL.md": "no header",
    });
    trustWorkspace(workspace);
    workspace.write("skills/one/new", "");
    rmSync(join(workspace.folder, "skills/two/stages/01-a.md"));
    symlinkSync("/usr", join(workspace.folder, ".claude/skills/one/out"));
    workspace.write("skills/two/stages/01-b.md", "---\ntitle: B\nallowed-tools: Edit\n---\nB.");
    const { skills, folders } = surveyProject([load(workspace)], workspace.folder);
    expect(skills).toMatchObject([
      { name: "one", status: "changed", risk: "L2", asks: ["Bash"], files: ["new (new)"] },
      { name: "two", status: "changed", risk: "L1", asks: ["Edit"] },
      { name: "one", status: "unfit", fault: "out leads to a folder outside of it" },
    ]);
    expect([...folders.keys()]).toEqual([
      join(workspace.folder, "skills/one"),
      join(workspace.folder, "skills/two"),
    ]);
  });
});
