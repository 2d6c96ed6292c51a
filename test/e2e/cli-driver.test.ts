import { expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

/** What Node says of a package that was installed without the part for this platform. */
const MISSING = "Cannot find module '@libsql/linux-x64-gnu'\nRequire stack:\n- libsql/index.js";

const hook = toModule(`export async function resolve(name, context, next) {
  if (name === "libsql") throw new Error(${JSON.stringify(MISSING)});
  return next(name, context);
}`);
const withoutDriver = toModule(`import { register } from "node:module"; register(${JSON.stringify(hook)});`);

function toModule(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

it("E9: without the SQLite driver run names the one command to fix, and what needs no threads works", async () => {
  const skill = skillText({ name: "tidy", description: "Tidies a folder." }, "Tidy up.");
  const workspace = createWorkspace({ "skills/tidy/SKILL.md": skill });
  const { run } = createCli(workspace);
  const runWithout = (...words: string[]) => run(words, { nodeOptions: ["--import", withoutDriver] });

  const failed = await runWithout("run", "hello", "--model", "offline");
  expect(failed).toMatchObject({ code: 1, stdout: "" });
  expect(failed.stderr).toMatch(
    /^skillgraph: Checkpoints in ".+threads\.db": the SQLite driver "libsql" cannot be loaded \(Cannot find .+\); run "npm install --include=optional"\.\n$/,
  );
  expect(workspace.exists(".skillgraph")).toBe(false);

  const lines = [["--version"], ["--help"], ["list"], ["show", "tidy"], ["lint"]];
  const results = await Promise.all(lines.map((words) => runWithout(...words)));
  expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    lines.map(() => ({ code: 0, stderr: "" })),
  );
  expect(results.map(({ stdout }) => stdout)).toEqual([
    expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    expect.stringContaining("Usage: skillgraph"),
    expect.stringContaining("tidy"),
    expect.stringContaining("Tidies a folder."),
    expect.not.stringContaining("libsql"),
  ]);
});
