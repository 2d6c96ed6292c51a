import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds dist/ once before the tests, since the end-to-end tests spawn the real CLI. */
export default function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, ["scripts/build.mjs", "--no-types"], { cwd: root, stdio: "inherit" });
}
