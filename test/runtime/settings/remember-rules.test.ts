import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { rememberRules } from "../../../src/runtime/settings/remember-rules.ts";
import { loadSettings } from "../../../src/runtime/settings.ts";
import { createWorkspace } from "../../support/workspace.ts";

function createPlace(content?: string) {
  const workspace = createWorkspace({ "skillgraph.json": "{}" });
  const settings = loadSettings({ cwd: workspace.folder, environment: workspace.environment });
  const file = join(settings.configFolder, "settings.json");
  mkdirSync(settings.configFolder, { recursive: true });
  if (content !== undefined) writeFileSync(file, content);
  const reload = () => loadSettings({ cwd: workspace.folder, environment: workspace.environment });
  return { settings, file, reload, workspace };
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));

describe("rememberRules", () => {
  it("makes the file, for its owner alone, and the rules count for this project only", () => {
    const { settings, file, reload } = createPlace();
    expect(rememberRules(settings, ["Bash(npm test:*)", "Write(./a)"])).toEqual([
      "Bash(npm test:*)",
      "Write(./a)",
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(reload().permissions.allow).toEqual(["Bash(npm test:*)", "Write(./a)"]);
    const other = createWorkspace({ "skillgraph.json": "{}" });
    const elsewhere = loadSettings({
      cwd: other.folder,
      environment: { ...other.environment, XDG_CONFIG_HOME: join(settings.configFolder, "..") },
    });
    expect(elsewhere.configFolder).toBe(settings.configFolder);
    expect(elsewhere.permissions.allow).toEqual([]);
  });

  it("adds what is absent, once, and writes nothing when there is nothing to add", () => {
    const { settings, file } = createPlace();
    rememberRules(settings, ["Read", "Read"]);
    const { ino } = statSync(file);
    expect(rememberRules(settings, ["Read"])).toEqual([]);
    expect(statSync(file).ino).toBe(ino);
    expect(rememberRules(settings, ["Read", "Bash(ls)"])).toEqual(["Bash(ls)"]);
    expect(read(file).projects[settings.project].permissions.allow).toEqual(["Read", "Bash(ls)"]);
  });

  it("keeps every other key in its order, the mode, and a byte-order mark does no harm", () => {
    const before = {
      unknown: [1],
      model: "m",
      permissions: { deny: ["Bash(rm:*)"] },
      projects: { "/x": {} },
    };
    const { settings, file } = createPlace(`\uFEFF${JSON.stringify(before)}`);
    chmodSync(file, 0o644);
    rememberRules(settings, ["Read"]);
    const allow = { permissions: { allow: ["Read"] } };
    expect(readFileSync(file, "utf8")).toBe(
      `${JSON.stringify({ ...before, projects: { "/x": {}, [settings.project]: allow } }, null, 2)}\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it.each([
    ["no JSON", "{ // mine\n}", /is no JSON/],
    ["no object", "[]", /must hold a JSON object/],
    ["projects of another kind", '{"projects": {"/x": 1}}', /"projects" is/],
  ])("refuses a file with %s, and leaves it as it was", (_what, content, message) => {
    const { settings, file } = createPlace(content);
    expect(() => rememberRules(settings, ["Read"])).toThrow(message);
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(readdirSync(settings.configFolder)).toEqual(["settings.json"]);
  });

  it("refuses what is no rule", () => {
    const { settings, file } = createPlace();
    expect(() => rememberRules(settings, ["Read", "Bash(rm"])).toThrow('"Bash(rm" is no permission rule.');
    expect(existsSync(file)).toBe(false);
  });

  it("says so when the file cannot be written", () => {
    const { settings } = createPlace();
    const blocked = join(settings.configFolder, "file");
    writeFileSync(blocked, "");
    const place = { ...settings, configFolder: join(blocked, "below") };
    expect(() => rememberRules(place, ["Read"])).toThrow(/^Cannot write .*settings\.json: .+\.$/);
  });

  it("a link stays a link, and what it leads to is written", () => {
    const { settings, file, workspace } = createPlace();
    const real = join(workspace.home, "dotfiles.json");
    writeFileSync(real, "{}");
    symlinkSync(real, file);
    rememberRules(settings, ["Read"]);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(read(real).projects[settings.project]).toEqual({ permissions: { allow: ["Read"] } });
  });

  it("a lock that a process left behind when it died does not hold for ever", () => {
    const { settings, file } = createPlace();
    writeFileSync(`${file}.lock`, "");
    const past = new Date(Date.now() - 60_000);
    utimesSync(`${file}.lock`, past, past);
    expect(rememberRules(settings, ["Read"])).toEqual(["Read"]);
    expect(readdirSync(settings.configFolder)).toEqual(["settings.json"]);
  });

  it("of several processes that add at the same time none loses what another added", async () => {
    const { settings, file } = createPlace('{"model": "m"}');
    const program = join(settings.configFolder, "../remember-rules.cjs");
    buildSync({
      entryPoints: [join(import.meta.dirname, "../../../src/runtime/settings/remember-rules.ts")],
      outfile: program,
      ...{ bundle: true, platform: "node", format: "cjs" },
    });
    const place = JSON.stringify({ configFolder: settings.configFolder, project: settings.project });
    const code = (name: string) =>
      `const { rememberRules } = require(${JSON.stringify(program)});
       for (let index = 0; index < 10; index += 1) rememberRules(${place}, [\`Bash(${name}\${index})\`]);`;
    const run = promisify(execFile);
    await Promise.all(["a", "b", "c"].map((name) => run(process.execPath, ["-e", code(name)])));
    const { projects, model } = read(file);
    expect(model).toBe("m");
    expect(projects[settings.project].permissions.allow).toHaveLength(30);
    expect(readdirSync(settings.configFolder)).toEqual(["settings.json"]);
  });
});
