import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**", "**/node_modules/**"],
    globals: true,
    globalSetup: ["test/support/build.ts"],
    // Most tests wait for processes: with one worker more than cores the processor is busy all the time.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    env: {
      LANGSMITH_TRACING: "false",
      LANGGRAPH_CLI_NO_ANALYTICS: "1",
      // What a test reads must not be remembered for the person who runs it.
      XDG_CACHE_HOME: mkdtempSync(join(tmpdir(), "skillgraph-cache-")),
    },
  },
});
