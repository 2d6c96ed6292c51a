import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join, relative, sep } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FOLDER_LIMIT } from "../../src/skills/discovery/discover.ts";
import type { Diagnostic } from "../../src/skills/schema.ts";
import { createCli } from "../support/cli.ts";
import { createWorkspace, skillText, type Workspace } from "../support/workspace.ts";

const GOOD = ["alpha", "beta", "gamma", "zeta", "änderung"];
const MIB = 1024 * 1024;

/** Puts something that is called SKILL.md into a folder that is there. */
type Plant = (path: string, marker: string) => unknown;

/** What hides behind the name of a file, and the code of the one diagnostic that says so. */
const NO_FILES: Record<string, [Plant, string]> = {
  "dangling-link": [link("nowhere/SKILL.md"), "file-refused"],
  "dev-zero-link": [link("/dev/zero"), "file-refused"],
  "folder-called-skill": [(path) => mkdirSync(path), "file-refused"],
  "link-outside": [link("/etc/hostname"), "file-refused"],
  "link-to-itself": [link("SKILL.md"), "file-refused"],
  "named-pipe": [(path) => execFileSync("mkfifo", [path]), "file-refused"],
  socket: [listen, "file-refused"],
};

/** Bytes that nobody can read, or should. */
const BYTES: Record<string, [Plant, string]> = {
  "300-mb": [
    (path) => {
      head("description: Is long.")(path);
      truncateSync(path, 300 * MIB);
    },
    "file-unreadable",
  ],
  "cesu-surrogate": [head("description: a \xed\xa0\x80 b"), "file-unreadable"],
  "latin-1": [head("description: caf\xe9"), "file-unreadable"],
  "nul-byte": [head("description: a \0 b"), "header-control"],
  "terminal-escape": [head("description: a \x1b]0;title\x07 b"), "header-control"],
};

/** Headers that cannot be used; a third part is what `lint` says where that is something else. */
const HEADERS: Record<string, [Plant, string, string?]> = {
  "10000-keys": [head("description: x", ...repeat(10_000, (at) => `key${at}: ${at}`)), "header-too-long"],
  "1-mb-description": [head(`description: ${"x".repeat(MIB)}`), "header-too-long"],
  "1-mb-header": [
    head("description: x", ...repeat(20_000, (at) => `# ${at} ${"x".repeat(48)}`)),
    "header-too-long",
  ],
  "alias-bomb": [
    head(
      "description: x",
      "a0: &a0 [x]",
      ...repeat(30, (at) => `a${at + 1}: &a${at + 1} [${repeat(9, () => `*a${at}`).join(", ")}]`),
      "metadata: *a30",
    ),
    "header-too-deep",
  ],
  "deep-nesting": [head(`description: ${"[".repeat(7000)}${"]".repeat(7000)}`), "header-too-deep"],
  "js-header": [
    (path, marker) => {
      const run = `require("fs").writeFileSync(${JSON.stringify(marker)}, "")`;
      writeFileSync(path, `---js\n{ name: "js-header", description: String(${run}) }\n---\n`);
    },
    "header-language",
  ],
  "name-bidi": [head('name: "a\\u202Eb"', "description: x"), "name-invisible"],
  "name-newline": [head('name: "a\\nb"', "description: x"), "name-invisible"],
  "name-path": [head("name: ../x", "description: x"), "name-path"],
  "proto-key": [head("__proto__:", "  description: Inherited."), "description-missing"],
};

const BAD: typeof HEADERS = { ...NO_FILES, ...BYTES, ...HEADERS };

/** A SKILL.md of these header lines, one byte a character; called like its folder unless a line names it. */
function head(...lines: string[]): Plant & ((path: string) => void) {
  return (path: string) => {
    const name = lines.some((line) => line.startsWith("name:")) ? [] : [`name: ${basename(dirname(path))}`];
    writeFileSync(path, `---\n${[...name, ...lines].join("\n")}\n---\nBODY\n`, "latin1");
  };
}

function link(target: string): Plant {
  return (path) => symlinkSync(target, path);
}

function repeat(length: number, line: (index: number) => string): string[] {
  return Array.from({ length }, (_, index) => line(index));
}

async function listen(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
}

/** All the bad ones, five good ones, links that go round and more folders than are searched, all in one root. */
async function plantAll(workspace: Workspace): Promise<string> {
  const root = join(workspace.folder, "collection");
  for (const name of GOOD) {
    const text = skillText(
      { name, description: `Does ${name}. Use when a person asks for ${name}.` },
      "Do it.",
    );
    workspace.write(`collection/${name}/SKILL.md`, text);
  }
  for (const [name, [plant]] of Object.entries(BAD)) {
    mkdirSync(join(root, name));
    await plant(join(root, name, "SKILL.md"), join(workspace.folder, "P"));
  }
  mkdirSync(join(root, "round/about"), { recursive: true });
  symlinkSync("../..", join(root, "round/about/back"));
  symlinkSync(".", join(root, "round/here"));
  for (let folder = 0; folder < FOLDER_LIMIT; folder += 1) {
    mkdirSync(`${root}/crowd/${folder % 10}/${folder}`, { recursive: true });
  }
  return root;
}

const TELL = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const spent = { milliseconds: (user + system) / 1000, kilobytes: process.resourceUsage().maxRSS };
  process.stderr.write("\\nSPENT " + JSON.stringify(spent));
});`;

/** Runs the CLI with little memory, and tells what it took. */
async function run(workspace: Workspace, words: string[]) {
  const watch = `--import=data:text/javascript,${encodeURIComponent(TELL)}`;
  const nodeOptions = ["--max-old-space-size=256", watch];
  const { code, stdout, stderr } = await createCli(workspace).run(words, { nodeOptions });
  const [told = "", spent = "{}"] = stderr.split("\nSPENT ");
  return { code, stdout, stderr: told, spent: JSON.parse(spent) };
}

/** The codes of the diagnostics, by the folder that they are about; of other places under the empty name. */
function groupByFolder(diagnostics: Diagnostic[], root: string): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const { path, code } of diagnostics) {
    const first = relative(root, path).split(sep)[0] ?? "";
    const folder = Object.hasOwn(BAD, first) ? first : "";
    groups[folder] = [...(groups[folder] ?? []), code];
  }
  return groups;
}

describe("A9: a folder that is full of hostile input", () => {
  it("costs neither the good skills beside it, nor more than one line each, nor much time and memory", async () => {
    const workspace = createWorkspace();
    const root = await plantAll(workspace);

    for (const start of ["cold", "warm"]) {
      const listed = await run(workspace, ["list", "--json", "--skills", root]);
      const { skills, diagnostics } = JSON.parse(listed.stdout);
      const own = skills.filter(({ tier }: { tier: string }) => tier === "flag");
      expect([listed.code, own.map(({ name }: { name: string }) => name)], start).toEqual([0, GOOD]);
      expect(groupByFolder(diagnostics, root), start).toEqual({
        ...Object.fromEntries(Object.entries(BAD).map(([name, [, code]]) => [name, [code]])),
        "": ["root-large"],
      });
      expect(listed.spent.milliseconds).toBeLessThan(5000);
      expect(listed.spent.kilobytes).toBeLessThan(200 * 1024);
    }

    const linted = await run(workspace, ["lint", "--json", root]);
    expect(linted.code).toBe(1);
    const faults = groupByFolder(JSON.parse(linted.stdout).diagnostics, root);
    for (const [name, [, code, own = code]] of Object.entries(BAD)) {
      expect(faults[name], name).toContain(own);
    }
    expect(linted.spent.milliseconds).toBeLessThan(10_000);
    expect(linted.spent.kilobytes).toBeLessThan(200 * 1024);

    for (const words of [
      ["list", "--skills", root],
      ["lint", root],
      ["why", "js-header", "--skills", root],
    ]) {
      const { stdout, stderr } = await run(workspace, words);
      expect(stdout + stderr, words[0]).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ufffd]/);
    }
    expect(workspace.exists("P")).toBe(false);
  }, 60_000);

  // Root reads what nobody may read.
  it.skipIf(process.getuid?.() === 0)(
    "a file and a folder without any permission are one line each",
    async () => {
      const workspace = createWorkspace();
      for (const name of ["good", "no-file", "no-folder/below"]) {
        workspace.write(
          `collection/${name}/SKILL.md`,
          skillText({ name: basename(name), description: "x" }, "x"),
        );
      }
      const closed = [
        join(workspace.folder, "collection/no-file/SKILL.md"),
        join(workspace.folder, "collection/no-folder"),
      ];
      for (const path of closed) chmodSync(path, 0);
      onTestFinished(() => {
        for (const path of closed) chmodSync(path, 0o755);
      });
      const listed = await run(workspace, [
        "list",
        "--json",
        "--skills",
        join(workspace.folder, "collection"),
      ]);
      const { skills, diagnostics } = JSON.parse(listed.stdout);
      expect(skills[0].name).toBe("good");
      expect(diagnostics.map(({ path }: Diagnostic) => path).sort()).toEqual(closed.sort());
    },
  );
});
