import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { createWorkspace, skillText, type Workspace } from "../support/workspace.ts";
import { whyNot } from "../tools/sandbox/confine.ts";

const works = describe.skipIf(whyNot !== "");
const note = whyNot && ` (${whyNot})`;
const FENCE = "```";
const mine = ["--skills", "mine"];

/** A skill whose script tries what it may and what it may not. */
function createTries(script: string) {
  const block = `${FENCE}bash run\nsh "\${CLAUDE_SKILL_DIR}/scripts/try.sh"\n${FENCE}`;
  const workspace = createWorkspace({
    "mine/tries/SKILL.md": skillText(
      { name: "tries", description: "Tries things.", "allowed-tools": "Bash(sh *)" },
      block,
    ),
    "mine/tries/scripts/try.sh": script,
  });
  return { ...createCli(workspace), workspace };
}

/** A PATH with the programs of the system but for bwrap. */
function toPathWithout(workspace: Workspace): string {
  const folder = join(workspace.home, "..", "bin");
  mkdirSync(folder);
  for (const name of readdirSync("/usr/bin").filter((each) => each !== "bwrap")) {
    symlinkSync(join("/usr/bin", name), join(folder, name));
  }
  return folder;
}

/** What the tool gave back. */
function readResult(stdout: string): Record<string, unknown> {
  return parseLines(stdout).find(({ type }) => type === "tool-end") ?? {};
}

describe("without bubblewrap on the PATH", () => {
  it("doctor says that commands are not confined and what to install, and exits 0", async () => {
    const workspace = createWorkspace();
    const env = { PATH: toPathWithout(workspace) };
    const { code, stdout } = await createCli(workspace).run(["doctor"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(
      "\n!  sandbox: auto: commands are not confined: bwrap is not on the PATH (install bubblewrap)\n",
    );
  });

  it("doctor --sandbox required is an error, exits 1, and --json says the same", async () => {
    const workspace = createWorkspace();
    const { run } = createCli(workspace);
    const env = { PATH: toPathWithout(workspace) };
    const words = ["doctor", "--sandbox", "required"];
    const text =
      "required, and there is none: no command can run: bwrap is not on the PATH (install bubblewrap)";
    const plain = await run(words, { env });
    expect(plain.code).toBe(1);
    expect(plain.stdout).toContain(`\n✗  sandbox: ${text}\n`);
    const json = await run([...words, "--json"], { env });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout).checks).toContainEqual({ name: "sandbox", status: "error", text });
  });

  it("--sandbox required refuses a command and says why; auto runs it", async () => {
    const { run, workspace } = createTries("echo ran > made");
    const env = { PATH: toPathWithout(workspace) };
    const refused = await run(["run", ...mine, "--json", "--sandbox", "required", "/tries"], { env });
    expect(readResult(refused.stdout)).toMatchObject({
      status: "error",
      output: expect.stringMatching(
        /^No command can run: a sandbox is required, and bwrap is not on the PATH/,
      ),
    });
    expect(workspace.exists("made")).toBe(false);
    const ran = await run(["run", ...mine, "--json", "/tries"], { env });
    expect(readResult(ran.stdout)).toMatchObject({ status: "success" });
    expect(workspace.read("made")).toBe("ran\n");
  });
});

describe("the flag", () => {
  it("is carried in the printed resume command", async () => {
    const workspace = createWorkspace({
      "mine/asks/SKILL.md": skillText(
        { name: "asks", description: "Asks." },
        `${FENCE}bash run\ntouch made\n${FENCE}`,
      ),
    });
    const { code, stdout } = await createCli(workspace).run(["run", ...mine, "--sandbox", "off", "/asks"]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/skillgraph resume .*--sandbox off/);
  });

  it("of another value is wrong usage that lists the choices", async () => {
    const { code, stderr } = await createCli(createWorkspace()).run(["doctor", "--sandbox", "maybe"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/maybe.*auto, required, off/);
  });

  it("off beats a person's settings, and doctor says who said so", async () => {
    const workspace = createWorkspace();
    workspace.write("../home/.config/skillgraph/settings.json", '{"sandbox": "required"}');
    const { stdout } = await createCli(workspace).run(["doctor", "--sandbox", "off"]);
    expect(stdout).toContain("\nok sandbox: off by --sandbox: commands are not confined\n");
  });
});

works(`with bubblewrap${note}`, () => {
  it("doctor says what confines, and what it costs", async () => {
    const workspace = createWorkspace();
    const { code, stdout } = await createCli(workspace).run(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\nok sandbox: auto: bubblewrap \S+ at \S+ confines commands: only the workspace can be written; no network; \d+ ms a command\n/,
    );
    expect(workspace.exists(".skillgraph")).toBe(false);
  });

  it("a skill's script writes the workspace and nothing else, and reads no secret", async () => {
    const { run, workspace } = createTries(
      "echo ran > made\necho x > ../beside\ncat .env\ncat ~/private\necho x > mine/tries/SKILL.md\necho done",
    );
    workspace.write(".env", "KEY=secret\n");
    workspace.write("../home/private", "KEY=secret\n");
    const { stdout } = await run(["run", ...mine, "--json", "--sandbox", "required", "/tries"]);
    const { output } = readResult(stdout);
    expect(output).toMatch(/\ndone/);
    expect(output).not.toContain("KEY=");
    expect(workspace.read("made")).toBe("ran\n");
    expect(workspace.exists("../beside")).toBe(false);
    expect(workspace.read("mine/tries/SKILL.md")).toContain("name: tries");
  });

  it("off runs it as before", async () => {
    const { run, workspace } = createTries("echo x > ../beside");
    await run(["run", ...mine, "--json", "--sandbox", "off", "/tries"]);
    expect(workspace.read("../beside")).toBe("x\n");
  });

  it("an untrusted project can require one, and cannot turn it off or open more", async () => {
    const { run, workspace } = createTries("echo x > ../beside; echo tried");
    workspace.write("skillgraph.json", JSON.stringify({ sandbox: { mode: "off", writable: [".."] } }));
    const { stdout } = await run(["run", ...mine, "--json", "/tries"]);
    expect(readResult(stdout).output).toMatch(/tried/);
    expect(workspace.exists("../beside")).toBe(false);
  });
});
