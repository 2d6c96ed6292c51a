import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const bench = fileURLToPath(new URL("..", import.meta.url));

/** A line of the file that is read in each turn. */
export const MARKER = "Remember the milk.";

const VERBS = ["review", "convert", "summarize", "check", "draft", "deploy", "translate", "compare"];
const NOUNS = ["invoice", "contract", "changelog", "dataset", "meeting", "schema", "release", "survey"];

/** Packages that decide what is measured. */
const SHARED = ["@langchain/core", "@langchain/langgraph", "@langchain/langgraph-checkpoint", "zod"];

/**
 * A temporary folder with the skills, and with the measuring code twice: once beside the packages of skillgraph,
 * once beside those of the benchmark, so that each contender meets one copy of LangGraph only.
 */
export async function createPlace(kind = "turns") {
  const library = join(root, "dist/index.js");
  if (!existsSync(library)) throw new Error(`${library} is not there: run "npm run build" first.`);
  const folder = mkdtempSync(join(tmpdir(), "skillgraph-bench-"));
  for (const [name, packages] of [
    ["ours", join(root, "node_modules")],
    ["peers", join(bench, "node_modules")],
  ]) {
    mkdirSync(join(folder, name));
    symlinkSync(packages, join(folder, name, "node_modules"));
    for (const file of ["child.mjs", "contenders.mjs", "scripted-model.mjs"])
      cpSync(join(bench, "turns", file), join(folder, name, file));
    cpSync(join(bench, kind), join(folder, name), { recursive: true });
  }
  await build({
    entryPoints: [join(root, "src/checkpoint/index.ts")],
    outfile: join(folder, "ours/checkpoint.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return {
    folder,
    entry: pathToFileURL(library).href,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A workspace with the notes and so many skills; gives its path and that of the skills. */
export function createWorkspace(folder, count) {
  const workspace = join(folder, `workspace-${count}`);
  mkdirSync(join(workspace, "skills"), { recursive: true });
  writeFileSync(join(workspace, "notes.md"), `# Notes\n\n${MARKER}\n`);
  for (let index = 0; index < count; index += 1) {
    const name = `${VERBS[index % 8]}-${NOUNS[(index >> 3) % 8]}-${index}`;
    mkdirSync(join(workspace, "skills", name));
    writeFileSync(join(workspace, "skills", name, "SKILL.md"), writeSkill(name));
  }
  return { workspace, skills: count > 0 ? join(workspace, "skills") : undefined };
}

/** A header with a description of about 200 characters and a body of about 3,000. */
function writeSkill(name) {
  const words = name.replaceAll("-", " ");
  const description =
    `Helps to ${words}: reads what is there, follows the house rules and reports what was done. ` +
    `Use when someone asks to ${words} or names such a file. Not for anything that is sent to others.`;
  const step = `Look at the ${words} as it is, note what is missing, and ask when a choice is not yours to make.\n`;
  return `---\nname: ${name}\ndescription: "${description}"\n---\n\n# ${words}\n\n${`- ${step}`.repeat(29)}`;
}

/** The versions of what is measured. Both sides must stand on the same LangGraph. */
export function readVersions() {
  for (const name of SHARED) {
    const [ours, peers] = [readVersion(root, name), readVersion(bench, name)];
    if (ours !== peers)
      throw new Error(
        `${name} is ${ours} for skillgraph and ${peers} in test/bench/package.json: make them one.`,
      );
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const peers = ["deepagents", "langchain"].map((name) => [name, readVersion(bench, name)]);
  const shared = SHARED.slice(0, 3).map((name) => [name, readVersion(bench, name)]);
  return Object.fromEntries([["skillgraph", version], ...peers, ...shared]);
}

function readVersion(folder, name) {
  return JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
}
