// Bundles src/ into dist/: the library, the CLI, and shared chunks that load on demand.
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);
const withTypes = !process.argv.includes("--no-types");

const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Not JavaScript alone, found by their place, or needed by few. */
const APART = [
  ...["libsql", "pg", "@langchain/langgraph-checkpoint-postgres"],
  ...["ignore", "node-html-markdown", "node-html-parser"],
].filter((name) => Object.hasOwn(dependencies, name));
/** In both bundles, since they load with every command. */
const EVERYWHERE = ["commander", "yaml", "gray-matter", "picocolors"];

for (const part of ["chunks", "cli", ...(withTypes ? ["types"] : [])]) {
  rmSync(join(root, "dist", part), { recursive: true, force: true });
}
const api = await bundle("index", "src/index.ts", {
  external: Object.keys(dependencies).filter((name) => !EVERYWHERE.includes(name)),
  chunkNames: "chunks/[name]-[hash]",
});
// Nobody hands anything over to the command line, and 600 small files take as long to load as all the rest.
const cli = await bundle("cli", "src/cli/main.ts", {
  external: APART,
  chunkNames: "cli/[name]-[hash]",
  minifyWhitespace: true,
  sourcesContent: false,
});
chmodSync(join(root, "dist/cli.js"), 0o755);
writeFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), readLicenses({ ...api.inputs, ...cli.inputs }));

// Tests run the bundle only; declarations take ten times as long.
if (withTypes) {
  const tsc = require.resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
}

/** Bundles what an entry reaches; what it imports on demand becomes a chunk of its own. */
async function bundle(name, entry, { external, ...options }) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: entry },
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: external.flatMap((name) => [name, `${name}/*`]),
    // What is bundled may be CommonJS, which requires Node's own modules.
    banner: {
      js: 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);',
    },
    minifySyntax: true,
    keepNames: true,
    sourcemap: true,
    metafile: true,
    ...options,
  });
  return metafile;
}

/** The licence of each package that is in the bundle: their terms want them to go with it. */
function readLicenses(inputs) {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
      const { name, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      return `${name} (${license})\n\n${file ? readFileSync(join(root, folder, file), "utf8").trim() : ""}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}
