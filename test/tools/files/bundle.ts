import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** Writes a script that may import from `src/`, as one file that plain Node runs in a process of its own. */
export function bundle(folder: string, name: string, source: string): string {
  const resolveDir = fileURLToPath(new URL("../../../src", import.meta.url));
  const built = buildSync({
    stdin: { contents: source, resolveDir, loader: "ts" },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, built.outputFiles[0]?.contents ?? "");
  return path;
}
