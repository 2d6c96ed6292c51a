import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { createSkillAgent } from "../src/index.ts";
import { createWorkspace, type Workspace } from "./support/workspace.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const pages = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name));
const run = promisify(execFile);

/** The fenced blocks of a language in a text. */
function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    (match) => match[1]!,
  );
}

/** Type errors of the examples, which import the package by its name. */
function findTypeErrors(examples: string[]): string[] {
  const folder = join(root, "node_modules/.cache/skillgraph-examples");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = examples.map((text, index) => {
    const file = join(folder, `example-${index}.ts`);
    writeFileSync(file, text);
    return file;
  });
  const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram(files, {
    ...options,
    noEmit: true,
    noUnusedLocals: false,
    paths: { skillgraph: [join(root, "src/index.ts")] },
  });
  return ts
    .getPreEmitDiagnostics(program)
    .filter((diagnostic) => diagnostic.file && files.includes(diagnostic.file.fileName))
    .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where a text links to in this repository, outside of code. */
function listLinks(text: string): string[] {
  const prose = text.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map((match) => match[1]!);
}

function isThere(page: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const file = path === "" ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file)) return false;
  if (heading === undefined) return true;
  const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return headings.includes(heading);
}

function readDocExamples(): string[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readFileSync(join(root, "src", file), "utf8").matchAll(/^ \* ```ts\n([\s\S]*?)^ \* ```/gm),
    ])
    .map((match) => match[1]!.replaceAll(/^ \* ?/gm, ""))
    .filter((text) => text.includes('from "skillgraph"'));
}

async function runExample(text: string, workspace: Workspace): Promise<string> {
  const source = join(workspace.folder, "example.ts");
  writeFileSync(source, text);
  const outfile = join(root, "node_modules/.cache/skillgraph-examples/run.mjs");
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    alias: { skillgraph: join(root, "src/index.ts") },
  });
  cpSync(join(root, "examples/inbox/inbox"), join(workspace.folder, "inbox"), { recursive: true });
  const env = workspace.environment as NodeJS.ProcessEnv;
  return (await run(process.execPath, [outfile], { cwd: workspace.folder, env })).stdout;
}

describe("the README", () => {
  it("its code, and the examples in docs/ and the source, type-check", () => {
    const documented = pages.flatMap((page) => blocksOf(readFileSync(join(root, page), "utf8"), "ts"));
    const examples = [...blocksOf(readme, "ts"), ...documented, ...readDocExamples()];
    expect(examples.length).toBeGreaterThanOrEqual(5);
    const faulty = 'import { nothing } from "skillgraph";\nconsole.log(nothing);';
    expect(findTypeErrors([...examples, faulty])).toEqual([expect.stringContaining("'nothing'")]);
  }, 120_000);

  it("its example runs: it asks, is answered, and the files are moved", async () => {
    const workspace = createWorkspace();
    const output = await runExample(blocksOf(readme, "ts")[0]!, workspace);
    expect(output).toContain("asks:");
    expect(output).toContain("finished");
    expect(workspace.exists("inbox/documents/todo.txt")).toBe(true);
    expect(workspace.exists("inbox/todo.txt")).toBe(false);
  });

  it("its picture is the graph that is built", async () => {
    const agent = await createSkillAgent({ model: "offline", checkpointer: false });
    const drawn = (await agent.getGraphAsync()).drawMermaid({ withStyles: false });
    expect(blocksOf(readme, "mermaid")[0]!.trim()).toBe(drawn.trim());
  });

  it("every script and file that it names is there", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
    const named = [...readme.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1]!);
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
    const linked = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1]!);
    expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("every JSON in docs/ can be read, and every link in it leads to a file and a heading", () => {
    const faults = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...pages].flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      const unread = blocksOf(text, "json").filter((block) => !isJson(block));
      return [...unread, ...listLinks(text).filter((link) => !isThere(page, link))].map(
        (fault) => `${page}: ${fault}`,
      );
    });
    expect(faults).toEqual([]);
    expect(isThere("README.md", "docs/permissions.md#no-such-heading")).toBe(false);
    expect(isJson("{ unquoted: 1 }")).toBe(false);
  });
});
