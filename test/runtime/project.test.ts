import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { findPackage } from "../../src/runtime/project.ts";
import { createFolder } from "../skills/temp-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Another program, with this library bundled into its own file and the libraries beside it. */
function bundleInto(app: string, source: string): string {
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  const { outputFiles } = buildSync({
    stdin: { contents: source, resolveDir: join(root, "src"), loader: "ts" },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  });
  const path = join(app, "app.mjs");
  writeFileSync(path, outputFiles[0]?.contents ?? "");
  return path;
}

describe("findPackage", () => {
  it("finds the folder and the version of this package", () => {
    const found = findPackage();
    expect(found).toMatchObject({ folder: root, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(found.node).toMatch(/^>=\d/);
  });

  it("ends at the root when another program bundled it: an agent without bundled skills", () => {
    const above = createFolder();
    writeFileSync(join(above, "package.json"), "{");
    const app = join(above, "shop");
    mkdirSync(app);
    writeFileSync(join(app, "package.json"), '{"name":"shop","version":"9.9.9"}');
    mkdirSync(join(app, ".git"));
    const script = bundleInto(
      app,
      `import { createSkillAgent, startThread } from "./index.ts";
      import { readAgentFacts } from "./runtime/agent.ts";
      import { examine } from "./runtime/doctor/doctor.ts";
      const options = { model: "offline", cwd: ${JSON.stringify(app)} };
      const agent = await createSkillAgent(options);
      const events = [];
      for await (const event of startThread(agent, "hello")) events.push(event);
      const [check] = await examine(options);
      console.log(JSON.stringify({
        status: events.at(-1).status, skills: readAgentFacts(agent).catalog().skills.length, check,
      }));`,
    );
    const printed = execFileSync(process.execPath, [script], {
      cwd: app,
      encoding: "utf8",
      timeout: 20_000,
      env: { PATH: process.env.PATH ?? "", HOME: app, LANGSMITH_TRACING: "false" },
    });
    expect(JSON.parse(printed.trim().split("\n").at(-1) ?? "")).toEqual({
      status: "finished",
      skills: 0,
      check: { name: "skillgraph", status: "warning", text: expect.stringContaining("bundled") },
    });
  });
});
