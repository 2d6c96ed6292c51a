import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { closeAgent, createSkillAgent } from "../../../src/index.ts";
import { examine } from "../../../src/runtime/doctor/doctor.ts";
import { send } from "../../support/agent.ts";
import { createWorkspace, skillText, type Workspace } from "../../support/workspace.ts";

type Options = NonNullable<Parameters<typeof examine>[0]>;

/** The checks of a name, as `status text`. */
async function check(workspace: Workspace, name: string, options: Options = {}): Promise<string[]> {
  const environment = { ...workspace.environment, ...options.environment };
  // To try a sandbox takes a while.
  const checks = await examine({ cwd: workspace.folder, sandbox: "off", ...options, environment });
  return checks.filter((each) => each.name === name).map(({ status, text }) => `${status} ${text}`);
}

const settings = (value: object) => ({ "skillgraph.json": JSON.stringify(value) });
const person = (workspace: Workspace, value: object) =>
  workspace.write("../home/.config/skillgraph/settings.json", JSON.stringify(value));

describe("examine", () => {
  it("counts the rules that were added for this project", async () => {
    const workspace = createWorkspace(settings({ permissions: { allow: ["Read"] } }));
    const allow = (...rules: string[]) => ({ permissions: { allow: rules } });
    person(workspace, {
      ...allow("Glob"),
      projects: { [workspace.folder]: allow("Grep", "Bash(ls)", "Edit") },
    });
    expect(await check(workspace, "permissions", { trust: true })).toEqual([
      "ok mode ask; rules: 5 allow (1 yours, 3 added for this project, 1 the project's), no ask, no deny",
    ]);
    expect(await check(workspace, "permissions")).toEqual([
      "ok mode ask; rules: 4 allow (1 yours, 3 added for this project), no ask, no deny",
    ]);
  });

  it("has nothing to complain of in an empty folder, and leaves it empty", async () => {
    const workspace = createWorkspace();
    const checks = await examine({ cwd: workspace.folder, environment: workspace.environment });
    expect(checks.filter(({ status }) => status === "error")).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual([
      ...["skillgraph", "node", "workspace", "project", "trust", "your settings", "project settings"],
      ...["model", "key", "threads", "permissions", "skills", "bash", "git", "sandbox"],
    ]);
    expect(readdirSync(workspace.folder)).toEqual([]);
    expect(readdirSync(workspace.home)).toEqual([]);
  });

  it("says what makes a folder the project", async () => {
    const workspace = createWorkspace({ "sub/x": "" });
    const sub = { cwd: join(workspace.folder, "sub") };
    expect(await check(workspace, "project", sub)).toEqual([
      `ok ${sub.cwd} (no skillgraph.json or .git is above it)`,
    ]);
    workspace.write("skillgraph.json", "{}");
    expect(await check(workspace, "project", sub)).toEqual([
      `ok ${workspace.folder} (it holds skillgraph.json)`,
    ]);
  });
});

describe("the model", () => {
  it.each<[string, Record<string, string>, string | undefined, string[]]>([
    [
      "nothing",
      {},
      undefined,
      [
        "ok offline: no model, OPENAI_API_KEY or OPENAI_BASE_URL is set",
        "ok OPENAI_API_KEY is not set, and the offline model needs none",
      ],
    ],
    [
      "a key",
      { OPENAI_API_KEY: "sk-secret" },
      undefined,
      ["ok gpt-5-mini: the default when a key is set", "ok OPENAI_API_KEY is set"],
    ],
    [
      "a base URL",
      { OPENAI_BASE_URL: "http://localhost:11434/v1" },
      undefined,
      [
        "ok gpt-5-mini: the default when a base URL is set",
        "ok OPENAI_API_KEY is not set: the base URL is sent a placeholder",
        "ok http://localhost:11434/v1 (from OPENAI_BASE_URL)",
      ],
    ],
    [
      "a named model alone",
      { SKILLGRAPH_MODEL: "gpt-5" },
      undefined,
      [
        "ok gpt-5: named by SKILLGRAPH_MODEL",
        expect.stringMatching(/^error OPENAI_API_KEY is not set, and gpt-5 needs it\. /) as unknown as string,
      ],
    ],
    [
      "offline by name",
      { SKILLGRAPH_MODEL: "gpt-5", OPENAI_API_KEY: "sk-secret" },
      "offline",
      ["ok offline: named by the option model", "ok OPENAI_API_KEY is set"],
    ],
    [
      "a base URL that is none",
      { OPENAI_BASE_URL: "localhost:11434" },
      "m",
      [
        "ok m: named by the option model",
        "ok OPENAI_API_KEY is not set: the base URL is sent a placeholder",
        "error it is no http or https URL (from OPENAI_BASE_URL)",
      ],
    ],
  ])("with %s", async (_name, environment, model, expected) => {
    const workspace = createWorkspace();
    const options = { environment, ...(model === undefined ? {} : { model }) };
    const found = [];
    for (const name of ["model", "key", "base URL"]) found.push(...(await check(workspace, name, options)));
    expect(found).toEqual(expected);
  });

  it("a secret is in no text", async () => {
    const workspace = createWorkspace();
    const environment = {
      ...workspace.environment,
      OPENAI_API_KEY: "sk-secret",
      OPENAI_BASE_URL: "https://user:sk-secret@host.test/v1?key=sk-secret",
    };
    const checks = await examine({ cwd: workspace.folder, environment });
    expect(JSON.stringify(checks)).not.toContain("sk-secret");
    expect(JSON.stringify(checks)).toContain("https://host.test/v1 without what may be secret in it");
  });

  it("a name that the settings map is told with what it stands for", async () => {
    const workspace = createWorkspace();
    person(workspace, { model: "quick", models: { quick: "offline" } });
    expect(await check(workspace, "model")).toEqual([
      "ok quick (offline by the settings' models): named in the settings",
    ]);
    expect((await check(workspace, "key"))[0]).toContain("the offline model needs none");
  });
});

describe("the threads", () => {
  const open = (workspace: Workspace, trust = false) =>
    createSkillAgent({ cwd: workspace.folder, environment: workspace.environment, model: "offline", trust });

  it("a file that is not there yet is told, and not made", async () => {
    const workspace = createWorkspace();
    const path = join(workspace.folder, ".skillgraph/threads.db");
    expect(await check(workspace, "threads")).toEqual([
      `ok ${path}, which the first run makes (the default)`,
    ]);
    expect(existsSync(path)).toBe(false);
  });

  it("a file that is there is opened and counted", async () => {
    const workspace = createWorkspace();
    const agent = await open(workspace);
    await send(agent, "hello");
    await closeAgent(agent);
    expect(await check(workspace, "threads")).toEqual([
      expect.stringMatching(/^ok \S+threads\.db, 1 thread, \d+ KiB \(the default\)$/),
    ]);
  });

  it("a file that came along with an untrusted folder is an error, and is not taken for known", async () => {
    const workspace = createWorkspace();
    closeAgent(await open(workspace));
    const stranger = { ...workspace.environment, HOME: join(workspace.home, "other") };
    mkdirSync(stranger.HOME);
    const [text] = await check(workspace, "threads", { environment: stranger });
    expect(text).toMatch(/^error .*came with a folder that is not trusted/);
    const trusted = await check(workspace, "threads", { environment: stranger, trust: true });
    expect(trusted[0]).toMatch(/^ok /);
    expect(readdirSync(stranger.HOME)).toEqual([]);
  });

  it.each<[string, (workspace: Workspace) => string, RegExp]>([
    ["another URL", () => "ftp://x", /^error "ftp:\/\/x" is not a place for checkpoints/],
    [
      "text",
      (workspace) => {
        workspace.write("text.db", "no database, only text".repeat(100));
        return "text.db";
      },
      /^error .*text\.db.*not a SQLite database/,
    ],
    [
      "a database of another program",
      (workspace) => {
        const database = new Libsql(join(workspace.folder, "other.db"));
        database.exec("CREATE TABLE x (y)");
        database.close();
        return "other.db";
      },
      /^error .*the SQLite database of another program/,
    ],
    [
      "a file where its folder should be",
      (workspace) => {
        workspace.write("file", "x");
        return "sqlite:file/deep/threads.db";
      },
      /^error .*file is no folder, so nothing can be made in it\.$/,
    ],
    [
      "a folder",
      (workspace) => {
        mkdirSync(join(workspace.folder, "folder.db"));
        return "folder.db";
      },
      /^error .*folder\.db/,
    ],
  ])("%s in place of a file is an error", async (_name, prepare, expected) => {
    const workspace = createWorkspace();
    const checkpoint = prepare(workspace);
    expect((await check(workspace, "threads", { checkpoint }))[0]).toMatch(expected);
  });

  it.skipIf(process.getuid?.() === 0)("a folder that cannot be written is an error", async () => {
    const workspace = createWorkspace({ "closed/x": "" });
    chmodSync(join(workspace.folder, "closed"), 0o500);
    const [text] = await check(workspace, "threads", { checkpoint: "sqlite:closed/threads.db" });
    expect(text).toMatch(/^error .*closed cannot be written/);
  });

  it("who named the place is told", async () => {
    const workspace = createWorkspace();
    const named = (options: Options) => check(workspace, "threads", options);
    expect(await named({ checkpoint: "memory:" })).toEqual([
      "ok in memory, gone with the process (named by --checkpoint)",
    ]);
    expect((await named({ environment: { SKILLGRAPH_CHECKPOINT: "memory:" } }))[0]).toContain(
      "(named by SKILLGRAPH_CHECKPOINT)",
    );
    person(workspace, { checkpoint: "memory:" });
    expect((await named({}))[0]).toMatch(/\(named in \S+settings\.json\)$/);
  });
});

describe("trust, settings and permissions", () => {
  const own = {
    model: "m",
    permissions: { allow: ["Read"], deny: ["Bash(rm:*)"] },
    skills: { roots: ["more"], catalog: "tool", drift: "refresh", maxFolders: 9, disabled: ["x"] },
  };

  it("what an untrusted project sets in vain is a warning", async () => {
    const workspace = createWorkspace({ ...settings(own), ".env": "OPENAI_API_KEY=x\n" });
    const [text] = await check(workspace, "trust");
    expect(text).toMatch(/^warning not trusted: /);
    expect(text).toContain(
      "Without effect: model, permissions.allow, skills.roots, skills.catalog, skills.drift, skills.maxFolders, .env.",
    );
    expect((await check(workspace, "settings")).join()).not.toContain("Without effect");
    expect((await check(workspace, "trust", { trust: true }))[0]).toMatch(/^ok trusted: /);
    const plain = createWorkspace({ ...settings({ permissions: { ask: ["Read"] } }), ".env": "OTHER=1\n" });
    expect((await check(plain, "trust"))[0]).toMatch(/^ok not trusted: /);
  });

  it("counts the rules by whose they are", async () => {
    const workspace = createWorkspace(settings(own));
    person(workspace, { permissions: { allow: ["Grep", "Glob"], ask: ["Bash"] } });
    expect(await check(workspace, "permissions", { mode: "deny" })).toEqual([
      "ok mode deny; rules: 2 allow (yours), 1 ask (yours), 1 deny (the project's)",
    ]);
    expect(await check(workspace, "permissions", { trust: true })).toEqual([
      "ok mode ask; rules: 3 allow (2 yours, 1 the project's), 1 ask (yours), 1 deny (the project's)",
    ]);
    expect(await check(createWorkspace(), "permissions")).toEqual([
      "ok mode ask; rules: no allow, no ask, no deny",
    ]);
  });

  it("faults in a settings file are told with their place", async () => {
    const workspace = createWorkspace(settings({ nope: 1, permissions: { deny: ["Bash(rm", "Nope"] } }));
    expect(await check(workspace, "settings")).toEqual([
      expect.stringMatching(/^warning \S+skillgraph\.json:1: Unknown setting "nope"/),
      expect.stringMatching(/^error \S+skillgraph\.json:1: "Bash\(rm" in permissions\.deny is no/),
      expect.stringMatching(/^warning \S+skillgraph\.json:1: "Nope" in permissions\.deny/),
    ]);
  });

  it("a settings file that cannot be used is an error, after what can be told without it", async () => {
    const workspace = createWorkspace({ "skillgraph.json": "{" });
    const checks = await examine({ cwd: workspace.folder, environment: workspace.environment });
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "skillgraph ok",
      "node ok",
      "settings error",
    ]);
  });
});

describe("skills and commands", () => {
  it("counts skills by root, and tells of faulty ones with their place", async () => {
    const bad = Object.fromEntries(
      [..."abcdefg"].map((name) => [`skills/${name}/SKILL.md`, "---\nname: x\n---\nx\n"]),
    );
    const workspace = createWorkspace({
      ...bad,
      "skills/good/SKILL.md": skillText({ name: "good", description: "G." }, "x"),
    });
    const found = await check(workspace, "skills");
    expect(found[0]).toBe(`ok 1 in ${join(workspace.folder, "skills")} (project, not trusted)`);
    expect(found.filter((text) => text.startsWith("warning"))).toEqual([
      ...[..."abcde"].map((name) => expect.stringContaining(`skills/${name}/SKILL.md:1: `)),
      'warning 2 more faults: see "skillgraph list"',
    ]);
  });

  it("bash and git are those that commands find", async () => {
    const workspace = createWorkspace();
    expect((await check(workspace, "bash"))[0]).toMatch(/^ok \d+\.\d+/);
    expect((await check(workspace, "git"))[0]).toMatch(/^ok \d+\.\d+/);
    workspace.write("bin/x", "");
    const environment = { PATH: `${join(workspace.home)}:/nowhere` };
    expect(await check(workspace, "git", { environment })).toEqual([
      "warning there is no git on the PATH that commands see",
    ]);
  });
});
