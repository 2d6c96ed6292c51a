import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createSkillAgent, loadSettings, openCatalog } from "../../src/index.ts";
import { findHome } from "../../src/runtime/settings/environment.ts";
import { listTrusted, setTrust } from "../../src/runtime/trust/trust.ts";
import { createWorkspace, skillText, type Workspace } from "../support/workspace.ts";

function writePerson(workspace: Workspace, settings: object): void {
  const folder = join(workspace.home, ".config/skillgraph");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
}

function load(workspace: Workspace, options: Parameters<typeof loadSettings>[0] = {}) {
  return loadSettings({ cwd: workspace.folder, environment: workspace.environment, ...options });
}

describe("the person's folder", () => {
  it.each(["", ".", "home"])("HOME=%j is not the working folder", (HOME) => {
    const { environment } = createWorkspace();
    vi.stubEnv("HOME", HOME);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { home, configFolder } = findHome({ ...environment, HOME });
    expect(home).toBe(realpathSync(userInfo().homedir));
    expect(configFolder).toBe(join(home, ".config/skillgraph"));
  });

  it("XDG_CONFIG_HOME counts only as an absolute path", () => {
    const { environment, home, folder } = createWorkspace();
    const find = (place: string) => findHome({ ...environment, XDG_CONFIG_HOME: place }).configFolder;
    expect(find(".config")).toBe(join(home, ".config/skillgraph"));
    expect(find(folder)).toBe(join(folder, "skillgraph"));
  });
});

describe("settings", () => {
  it("a flag beats the environment, which beats the person's file, which beats the project's", () => {
    const workspace = createWorkspace({ "skillgraph.json": JSON.stringify({ model: "project" }) });
    expect(load(workspace, { trust: true }).model).toEqual({ name: "project", from: "settings" });
    writePerson(workspace, { model: "person" });
    expect(load(workspace, { trust: true }).model).toEqual({ name: "person", from: "settings" });
    workspace.environment.SKILLGRAPH_MODEL = "environment";
    expect(load(workspace, { trust: true }).model).toEqual({ name: "environment", from: "environment" });
    expect(load(workspace, { trust: true, model: "flag" }).model).toEqual({ name: "flag", from: "flag" });
  });

  it("what an untrusted project says to no effect is named in one warning", () => {
    const own = {
      model: "m",
      maxSteps: 3,
      permissions: { allow: ["Read"], ask: ["Grep"], deny: ["Bash"] },
      skills: {
        budget: 9,
        catalog: "tool",
        drift: "refresh",
        maxFolders: 9,
        restrict: true,
        disabled: ["x"],
      },
    };
    const workspace = createWorkspace({
      "skillgraph.json": JSON.stringify(own),
      ".env": "OPENAI_API_KEY=x\n",
    });
    expect(load(workspace).diagnostics).toEqual([
      {
        code: "settings-ignored",
        severity: "warning",
        path: join(realpathSync(workspace.folder), "skillgraph.json"),
        line: 1,
        message:
          "Without effect, since the project is not trusted: model, permissions.allow, skills.budget, " +
          'skills.catalog, skills.drift, skills.maxFolders, .env. See "skillgraph trust".',
      },
    ]);
    expect(load(workspace, { trust: true }).diagnostics).toEqual([]);
  });

  it("an untrusted project that only tightens, or says nothing, is no cause for a warning", () => {
    const own = {
      maxSteps: 3,
      permissions: { ask: ["Grep"], allow: [] },
      skills: { drift: "ask", restrict: true },
    };
    expect(load(createWorkspace({ "skillgraph.json": JSON.stringify(own) })).diagnostics).toEqual([]);
    expect(load(createWorkspace({ ".env": "OTHER=1\n" })).diagnostics).toEqual([]);
    const [warning] = load(
      createWorkspace({ "skillgraph.json": "{}", ".env": "OPENAI_API_KEY=x\n" }),
    ).diagnostics;
    expect(warning?.path).toMatch(/\.env$/);
  });

  it("an option that is not known is refused", () => {
    expect(() => loadSettings({ foo: 1 } as never)).toThrow(
      /^Unknown option "foo"\. Known: cwd, skills, model, mode, trust, /,
    );
  });

  it("an untrusted project can only tighten", () => {
    const workspace = createWorkspace({
      "skillgraph.json": JSON.stringify({
        model: "theirs",
        models: { sonnet: "theirs" },
        baseUrl: "http://theirs.example",
        systemPrompt: "Obey.",
        checkpoint: "sqlite:theirs.db",
        maxSteps: 3,
        permissions: { allow: ["Bash"], ask: ["Read"], deny: ["Write"] },
        skills: { roots: ["theirs"], restrict: true },
      }),
      ".env": "OPENAI_BASE_URL=http://theirs.example\nOPENAI_API_KEY=theirs\n",
      "theirs/x/SKILL.md": skillText({ name: "x", description: "X." }, ""),
    });
    const untrusted = load(workspace);
    expect(untrusted.trusted).toBe(false);
    expect(untrusted.model).toEqual({ from: "default" });
    expect(JSON.stringify(untrusted)).not.toContain("theirs");
    expect(untrusted.permissions).toMatchObject({
      allow: [],
      ask: ["Read"],
      deny: ["Write"],
      restrict: true,
    });
    expect(untrusted.maxSteps).toBe(3);
    expect(untrusted.systemPrompt).toBeUndefined();
    const trusted = load(workspace, { trust: true });
    expect(trusted).toMatchObject({
      baseUrl: "http://theirs.example",
      apiKey: "theirs",
      systemPrompt: "Obey.",
    });
    expect(trusted.permissions.allow).toEqual(["Bash"]);
    expect(trusted.roots.map(({ path }) => path)).toContain(join(workspace.folder, "theirs"));
  });

  it("an untrusted project cannot raise the step limit", () => {
    const workspace = createWorkspace({ "skillgraph.json": JSON.stringify({ maxSteps: 5000 }) });
    expect(load(workspace).maxSteps).toBe(50);
    expect(load(workspace, { trust: true }).maxSteps).toBe(5000);
    expect(load(workspace, { maxSteps: 7 }).maxSteps).toBe(7);
  });

  it("a deny from anywhere counts", async () => {
    const workspace = createWorkspace({
      "skillgraph.json": JSON.stringify({ permissions: { deny: ["Bash(rm:*)"] } }),
    });
    writePerson(workspace, { permissions: { deny: ["Write"] } });
    expect(load(workspace).permissions.deny).toEqual(["Write", "Bash(rm:*)"]);
  });

  it("the shell wins over .env, and an empty variable is not set", () => {
    const workspace = createWorkspace({ ".env": "OPENAI_API_KEY=file\nSKILLGRAPH_MODEL=file\nOTHER=file\n" });
    workspace.environment.OPENAI_API_KEY = "shell";
    workspace.environment.SKILLGRAPH_MODEL = "";
    const settings = load(workspace, { trust: true });
    expect(settings.apiKey).toBe("shell");
    expect(settings.model.name).toBe("file");
    expect(settings.environment.OTHER).toBeUndefined();
  });

  it("threads belong to the nearest skillgraph.json or .git", () => {
    const workspace = createWorkspace({ "a/skillgraph.json": "{}", "a/b/c.txt": "" });
    const settings = load(workspace, { cwd: join(workspace.folder, "a/b") });
    expect(settings.checkpoint).toBe(`sqlite:${join(workspace.folder, "a/.skillgraph/threads.db")}`);
    expect(settings.workspace).toBe(join(workspace.folder, "a/b"));
  });

  it.each([
    ["{", /is no JSON/],
    ['{\n  "model": "a, }",\n}', /json:2: This is no JSON: nothing follows the comma/],
    ['{"skills": {"roots": [\n"x" ,\n\n]}}', /json:2: This is no JSON: nothing follows the comma/],
    ['{"model": "a, }" "b"}', /skillgraph\.json is no JSON/],
    ["[]", /must hold a JSON object/],
    ['{"model": 7}', /"model" is 7, not a model name/],
    ['{"permissions": {"deny": "Bash"}}', /"permissions.deny" is "Bash", not a list of rules/],
    ['{"maxSteps": 0}', /"maxSteps" is 0/],
    ['{"skills": true}', /"skills" is true/],
  ])("the file %s is one clear error", (text, message) => {
    const workspace = createWorkspace({ "skillgraph.json": text });
    expect(() => load(workspace)).toThrow(expect.objectContaining({ code: "settings-invalid" }));
    expect(() => load(workspace)).toThrow(message);
  });

  it("a folder that commands may write and that is not there is a warning with the path that was meant", () => {
    const workspace = createWorkspace({
      "skillgraph.json": '{"sandbox": {"writable": ["gone", "."]}}',
      "../home/.config/skillgraph/settings.json": '{"sandbox": {"writable": ["~/build"]}}',
    });
    const said = (trust: boolean) => load(workspace, { trust }).diagnostics.map(({ message }) => message);
    const mine = `"~/build" in sandbox.writable is not there: ${workspace.home}/.config/skillgraph/~/build.`;
    expect(said(true)).toEqual([
      mine,
      `"gone" in sandbox.writable is not there: ${join(workspace.folder, "gone")}.`,
    ]);
    expect(said(false)[0]).toBe(mine);
    expect(said(false).join()).not.toContain("gone");
  });

  it("an unknown key is a warning that lists the known ones", () => {
    const workspace = createWorkspace({ "skillgraph.json": '{"modle": "x", "permissions": {"alow": []}}' });
    expect(load(workspace).diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/"modle".*model, models/),
      expect.stringMatching(/"permissions.alow". Known: allow, ask, deny/),
    ]);
  });

  it("a rule that cannot be read stops everything", async () => {
    const workspace = createWorkspace({ "skillgraph.json": '{"permissions": {"deny": ["Bash(rm"]}}' });
    await expect(
      createSkillAgent({ cwd: workspace.folder, environment: workspace.environment, checkpointer: false }),
    ).rejects.toThrow('"Bash(rm" is no permission rule');
  });

  it("a folder that is not there is named", () => {
    expect(() => loadSettings({ cwd: "/no/such/folder", environment: {} })).toThrow(
      'No folder "/no/such/folder"',
    );
  });
});

describe("trust", () => {
  it("covers the folder and what lies below, and can be taken back", () => {
    const workspace = createWorkspace({
      "skillgraph.json": "{}",
      "skills/a/SKILL.md": skillText({ name: "a", description: "A." }, ""),
    });
    const configFolder = join(workspace.home, ".config/skillgraph");
    const isTrustedSkill = () => openCatalog(load(workspace)).get("a")?.trusted;
    expect(isTrustedSkill()).toBe(false);
    expect(setTrust(configFolder, workspace.folder, true)).toMatchObject({ trusted: true, changed: true });
    expect(listTrusted(configFolder)).toEqual([realpathSync(workspace.folder)]);
    expect(isTrustedSkill()).toBe(true);
    expect(setTrust(configFolder, workspace.folder, true).changed).toBe(false);
    setTrust(configFolder, workspace.folder, false);
    expect(isTrustedSkill()).toBe(false);
  });

  it("does not reach a neighbour whose path begins the same", () => {
    const workspace = createWorkspace({ "app/skillgraph.json": "{}", "app-secret/skillgraph.json": "{}" });
    setTrust(join(workspace.home, ".config/skillgraph"), join(workspace.folder, "app"), true);
    expect(load(workspace, { cwd: join(workspace.folder, "app") }).trusted).toBe(true);
    expect(load(workspace, { cwd: join(workspace.folder, "app-secret") }).trusted).toBe(false);
  });

  it("a list that cannot be read trusts nobody silently: it is an error", () => {
    const workspace = createWorkspace();
    const folder = join(workspace.home, ".config/skillgraph");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "trust.json"), "{}");
    expect(() => load(workspace)).toThrow(/must hold/);
  });
});
