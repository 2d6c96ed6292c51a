import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkSandbox } from "../../../src/runtime/doctor/check-sandbox.ts";
import { createSandbox, findSandbox } from "../../../src/runtime/sandbox.ts";
import { loadSettings, type SettingsOptions } from "../../../src/runtime/settings.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";
import { whyNot } from "../../tools/sandbox/confine.ts";

const works = describe.skipIf(whyNot !== "");
const isRootOnly = process.getuid?.() === 0;

function load(workspace: Workspace, options: SettingsOptions = {}) {
  const environment = { ...workspace.environment, ...options.environment };
  return loadSettings({ cwd: workspace.folder, ...options, environment });
}

/** A PATH with what a shell needs and no bwrap. */
function toBarePath(workspace: Workspace): string {
  const folder = join(workspace.home, "..", "bin");
  mkdirSync(folder);
  for (const name of ["bash", "sh", "true", "mkfifo"]) symlinkSync(join("/bin", name), join(folder, name));
  return folder;
}

describe("where bwrap is not on the PATH", () => {
  it("auto says that commands are not confined and what to install; required is an error", async () => {
    const workspace = createWorkspace();
    const environment = { PATH: toBarePath(workspace) };
    const why = "bwrap is not on the PATH (install bubblewrap)";
    expect(await checkSandbox(load(workspace, { environment }))).toEqual({
      name: "sandbox",
      status: "warning",
      text: `auto: commands are not confined: ${why}`,
    });
    expect(await checkSandbox(load(workspace, { environment, sandbox: "required" }))).toEqual({
      name: "sandbox",
      status: "error",
      text: `required, and there is none: no command can run: ${why}`,
    });
  });

  it("an agent has none with auto, and refuses commands with required", async () => {
    const workspace = createWorkspace();
    const environment = { PATH: toBarePath(workspace) };
    expect(await createSandbox(load(workspace, { environment }))()).toEqual({});
    const { missing, sandbox } = await createSandbox(load(workspace, { environment, sandbox: "required" }))();
    expect(sandbox).toBeUndefined();
    expect(missing).toBe(
      'No command can run: a sandbox is required, and bwrap is not on the PATH (install bubblewrap). A person can set "sandbox" to "auto" or "off", or use --sandbox.',
    );
  });
});

describe("a bwrap that is there", () => {
  it("is not used for the whole machine as the workspace", async () => {
    expect(await findSandbox({ ...load(createWorkspace()), workspace: "/" })).toEqual({
      fault: "the workspace is /, which leaves nothing to close",
    });
  });

  it("is not taken from the workspace", async () => {
    const workspace = createWorkspace();
    workspace.write("bin/bwrap", "#!/bin/sh\ntouch started\n");
    chmodSync(join(workspace.folder, "bin/bwrap"), 0o755);
    const environment = { PATH: `${workspace.folder}/bin:${toBarePath(workspace)}` };
    expect(await findSandbox(load(workspace, { environment }))).toEqual({
      fault: "bwrap is not on the PATH (install bubblewrap)",
    });
    expect(workspace.exists("started")).toBe(false);
  });

  it("and does not work is named with what it said, and tried once", async () => {
    const workspace = createWorkspace();
    const folder = toBarePath(workspace);
    const log = join(workspace.home, "log");
    writeFileSync(join(folder, "bwrap"), `#!/bin/bash\necho x >> ${log}\necho bubblewrap 0.8.0\n`);
    chmodSync(join(folder, "bwrap"), 0o755);
    const settings = load(workspace, { environment: { PATH: folder } });
    const text = expect.stringMatching(/^auto: commands are not confined: \S+bwrap does not start: /);
    expect(await checkSandbox(settings)).toMatchObject({ status: "warning", text });
    const tries = readdirSync(workspace.home).includes("log") ? workspace.read("../home/log") : "";
    expect(await createSandbox(settings)()).toEqual({});
    expect(workspace.read("../home/log")).toBe(tries);
  });
});

describe("off", () => {
  it.each<[string, SettingsOptions, string]>([
    ["by the flag", { sandbox: "off" }, "off by --sandbox: commands are not confined"],
    ["by settings", {}, "off by the settings: commands are not confined"],
  ])("%s", async (_name, options, text) => {
    const workspace = createWorkspace();
    workspace.write("../home/.config/skillgraph/settings.json", '{"sandbox": "off"}');
    const settings = load(workspace, options);
    expect(await checkSandbox(settings)).toEqual({ name: "sandbox", status: "ok", text });
    expect(await createSandbox(settings)()).toEqual({});
  });
});

works(`where it works${whyNot && ` (${whyNot})`}`, () => {
  it("says what confines, what may be written, whether there is a network and what it costs, and makes nothing", async () => {
    const workspace = createWorkspace({ a: "" });
    const { status, text } = await checkSandbox(load(workspace));
    expect(status).toBe("ok");
    expect(text).toMatch(
      /^auto: bubblewrap \d+\.\S+ at \/\S+\/bwrap confines commands: only the workspace can be written; no network; \d+ ms a command$/,
    );
    expect(readdirSync(workspace.folder)).toEqual(["a"]);
  });

  it("says what the person's settings open", async () => {
    const workspace = createWorkspace();
    const more = join(workspace.home, "more");
    mkdirSync(more);
    const sandbox = { mode: "required", network: true, writable: [more] };
    workspace.write("../home/.config/skillgraph/settings.json", JSON.stringify({ sandbox }));
    expect((await checkSandbox(load(workspace))).text).toContain(
      `confines commands: only the workspace and ${more} can be written; the network is reached; `,
    );
  });

  it("nothing is looked for before the first command, and then once", async () => {
    const workspace = createWorkspace();
    const find = createSandbox(load(workspace));
    const first = await find();
    expect(first.sandbox?.program).toMatch(/bwrap$/);
    expect((await find()).sandbox).toBe(first.sandbox);
  });

  it.runIf(isRootOnly)(
    "root has none in a workspace that is another user's, since it could not write there",
    async () => {
      const workspace = createWorkspace();
      chownSync(workspace.folder, 1000, 1000);
      expect(await findSandbox(load(workspace))).toEqual({
        fault: "root could not write a workspace of user 1000 in it",
      });
    },
  );
});
