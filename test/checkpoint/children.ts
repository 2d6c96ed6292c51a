import { type ChildProcess, spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { makeFolder } from "./support.ts";

const root = join(import.meta.dirname, "../..");
const started: ChildProcess[] = [];

afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

/** Another process; what it prints is read line by line. */
export interface Child {
  process: ChildProcess;
  /** The next line; undefined at the end. */
  readLine: () => Promise<string | undefined>;
  /** Kills it and waits until it is gone. */
  kill: () => Promise<void>;
}

/** Builds the script of the other process; returns how to start it. */
export async function buildChild(): Promise<(...words: (string | number)[]) => Child> {
  const folder = makeFolder();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const outfile = join(folder, "child.mjs");
  const entryPoints = [join(import.meta.dirname, "child.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });

  return (...words) => {
    const child = spawn(process.execPath, [outfile, ...words.map(String)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      process: child,
      readLine: async () => (await lines.next()).value,
      kill: () =>
        new Promise((resolve) => {
          child.once("exit", () => resolve());
          child.kill("SIGKILL");
        }),
    };
  };
}
