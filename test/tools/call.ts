import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { reduceEnvironment } from "../../src/tools/process/environment.ts";
import type { Tool, ToolContext } from "../../src/tools/tool.ts";
import { parseInput } from "../../src/tools/toolbox.ts";

/** A temporary folder with a workspace in it, removed when the test ends. */
export function createPlace(files: Record<string, string | Uint8Array> = {}): {
  root: string;
  context: ToolContext;
} {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tools-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const workspace = join(root, "app");
  mkdirSync(workspace);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), content);
  }
  const environment = reduceEnvironment(process.env);
  return {
    root,
    context: { workspace, readableFolders: [], environment, outputFolder: join(root, "outputs") },
  };
}

/** Parses the arguments as a model sends them, asks for the target as the rules do, and runs the tool. */
export async function call(tool: Tool, raw: unknown, context: ToolContext): Promise<string> {
  const parsed = parseInput(tool, raw);
  if (!parsed.ok) throw new Error(parsed.message);
  tool.target(parsed.input, context);
  return tool.run(parsed.input, context);
}
