import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

const MAX_LINES = 250;

const FLOORS = new Map([
  ["errors.ts", -1],
  ["skills", 0],
  ["permissions", 0],
  ["tools", 1],
  ["model", 2],
  ["checkpoint", 2],
  ["graph", 3],
  ["runtime", 4],
  ["cli", 5],
  ["server", 5],
  ["index.ts", 6],
]);

/** What may be imported, or used, in one file or folder only. */
const DOORS: { what: string; pattern: RegExp; allowed: (file: string) => boolean }[] = [
  { what: "gray-matter", pattern: /from "gray-matter"/, allowed: is("skills/frontmatter.ts") },
  { what: "ajv", pattern: /["']ajv[-/"']/, allowed: is("skills/json-schema/json-schema.ts") },
  {
    what: "interrupt()",
    pattern: /import \{[^}]*\binterrupt\b[^}]*\} from "@langchain\/langgraph"/,
    allowed: is("graph/nodes/review.ts"),
  },
  { what: "new StateGraph", pattern: /new StateGraph\b/, allowed: is("graph/graph.ts") },
  { what: "@langchain/openai", pattern: /["']@langchain\/openai["']/, allowed: is("model/openai.ts") },
  {
    what: "node:child_process",
    pattern: /["']node:child_process["']/,
    allowed: is("tools/process/process.ts"),
  },
  { what: "process.env", pattern: /\bprocess\.env\b/, allowed: is("runtime/settings.ts") },
  { what: "console", pattern: /\bconsole\.\w/, allowed: isIn("cli") },
  { what: "process.exit", pattern: /\bprocess\.exit(Code)?\b/, allowed: isIn("cli") },
  {
    what: "LangChain",
    pattern: /["']@langchain\//,
    allowed: (file) => ["model", "checkpoint", "graph", "runtime", "cli"].includes(topOf(file)),
  },
  {
    what: "zod",
    pattern: /(?<!import type [^;]*)from "zod"/,
    allowed: (file) => !["skills", "permissions", "cli"].includes(topOf(file)),
  },
];

describe("the floors", () => {
  it("every file imports lower floors or its own folder, through the doors, and is short", () => {
    expect(findBreaches(join(root, "src"))).toEqual([]);
  });

  it("graphs/ uses the public API only", () => {
    const files = listFiles(join(root, "graphs"));
    const foreign = files.flatMap((file) =>
      importsOf(readFileSync(file, "utf8"))
        .filter((path) => path.startsWith(".") && !path.endsWith("/src/index.ts") && !path.startsWith("./"))
        .map((path) => `${relative(root, file)} imports ${path}`),
    );
    expect(foreign).toEqual([]);
  });

  it.each([
    [
      "an upward import",
      "skills/bad.ts",
      'import { x } from "../graph/state.ts";',
      /skills\/bad\.ts imports graph/,
    ],
    [
      "a sideways import",
      "skills/bad.ts",
      'import { x } from "../permissions/rule.ts";',
      /imports permissions/,
    ],
    ["a closed door", "tools/bad.ts", "const home = process.env.HOME;", /process\.env/],
    ["a lazy upward import", "model/bad.ts", 'await import("../runtime/agent.ts");', /imports runtime/],
    ["a console", "graph/bad.ts", 'console.log("x");', /console/],
    ["an empty catch", "tools/bad.ts", "try { x(); } catch {}", /empty catch/],
    ["a long file", "tools/bad.ts", "\n".repeat(MAX_LINES + 1), /lines/],
    ["an inner barrel", "tools/index.ts", 'export * from "./tool.ts";', /barrel/],
  ])("a planted breach is seen: %s", (_name, file, text, expected) => {
    const folder = mkdtempSync(join(tmpdir(), "floors-"));
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
    expect(findBreaches(folder).join("\n")).toMatch(expected);
  });
});

function findBreaches(source: string): string[] {
  return listFiles(source).flatMap((path) => {
    const file = relative(source, path).split(sep).join("/");
    const text = readFileSync(path, "utf8");
    const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return [
      ...findUpwardImports(source, path, file, code),
      ...DOORS.filter(({ pattern, allowed }) => !allowed(file) && pattern.test(code)).map(
        ({ what }) => `${file} uses ${what}, which has a door of its own`,
      ),
      ...(text.split("\n").length - 1 > MAX_LINES ? [`${file} has more than ${MAX_LINES} lines`] : []),
      ...(/catch\s*(\([^)]*\))?\s*\{\s*\}/.test(code) ? [`${file} has an empty catch`] : []),
      ...(/^export \* from/m.test(code) ? [`${file} is a barrel`] : []),
    ];
  });
}

function findUpwardImports(source: string, path: string, file: string, code: string): string[] {
  const own = topOf(file);
  const ownFloor = FLOORS.get(own);
  if (ownFloor === undefined) return [`${file} stands on no floor`];
  return importsOf(code)
    .filter((target) => target.startsWith("."))
    .map((target) =>
      topOf(
        relative(source, resolve(dirname(path), target))
          .split(sep)
          .join("/"),
      ),
    )
    .filter((target) => target !== own && (FLOORS.get(target) ?? Number.POSITIVE_INFINITY) >= ownFloor)
    .map((target) => `${file} imports ${target}, which is no lower floor`);
}

function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)["']([^"']+)["']/g)].map(
    (match) => match[1]!,
  );
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

function topOf(file: string): string {
  return file.split("/")[0]!;
}

function is(file: string) {
  return (other: string) => other === file;
}

function isIn(folder: string) {
  return (file: string) => topOf(file) === folder;
}
