// Faults on purpose: `kill` ends a process at every checkpoint write and tool boundary of a wizard, goes on in
// another one and compares with a quiet run; `storm` lets eight processes work on forty threads at once.
//
// node scripts/chaos.mjs kill [--store sqlite|postgres|URL]… [--delay MS]… [--limit N] [--only TEXT] [--seed N] [--jobs N]
// node scripts/chaos.mjs storm [--store sqlite|postgres|URL] [--seconds N] [--seed N]
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.env.LANGSMITH_TRACING = "false";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: "string", multiple: true, default: ["sqlite"] },
    delay: { type: "string", multiple: true, default: ["0", "40", "200"] },
    limit: { type: "string" },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string" },
    seconds: { type: "string", default: "60" },
  },
});
const numbers = Object.fromEntries(
  ["limit", "seed", "jobs", "seconds"].flatMap((name) =>
    values[name] === undefined ? [] : [[name, Number(values[name])]],
  ),
);

const folder = mkdtempSync(join(tmpdir(), "skillgraph-chaos-"));
let server;
try {
  await bundle(["matrix", "child", "storm", "storm-child"]);
  const load = (name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href);
  // A server of its own, where no address is given.
  if (values.store.includes("postgres")) server = await (await load("matrix")).startPostgres();
  const stores = values.store.map((store) =>
    store === "sqlite" ? "" : store === "postgres" ? server.toUrl("chaos") : store,
  );
  const [verb = "kill"] = positionals;
  const isWell =
    verb === "storm"
      ? await (await load("storm")).runStorm({ ...numbers, store: stores[0] })
      : await (await load("matrix")).tryAll({
          ...numbers,
          stores,
          delays: values.delay.map(Number),
          only: values.only,
        });
  process.exitCode = isWell ? 0 : 1;
} finally {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Built once: starting a process must not cost a compilation. */
async function bundle(names) {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  // The program looks for the package that it belongs to.
  writeFileSync(join(folder, "package.json"), '{ "name": "skillgraph", "version": "0.0.0" }');
  await build({
    entryPoints: names.map((name) => join(root, "test/chaos", `${name}.ts`)),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    outExtension: { ".js": ".mjs" },
  });
}
