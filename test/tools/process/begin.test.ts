import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { hasProcessTable, readEntry } from "../../../src/tools/process/process-table.ts";
import { runCommand } from "../../../src/tools/process/run-command.ts";
import { createPlace } from "../call.ts";
import { bundle } from "../files/bundle.ts";
import { ways } from "./bubble.ts";

describe.each(ways)("a command %s", (_way, sandbox) => {
  function createStart() {
    const { root, context } = createPlace();
    const { workspace: cwd, environment, outputFolder } = context;
    const place = { workspace: cwd, cwd, readable: [], environment, approved: false };
    const confine = sandbox && ((words: string[]) => sandbox.wrap(words, place));
    return { root, options: { cwd, environment, outputFolder, timeoutMs: 10_000, confine } };
  }

  it("begins when its start is noted, and its time is counted from then", async () => {
    const { options } = createStart();
    const file = join(options.cwd, "begun");
    let wasThere = true;
    const onStart = async () => {
      await delay(1_500);
      wasThere = existsSync(file);
    };
    const result = await runCommand({
      ...options,
      timeoutMs: 1_200,
      command: "touch begun; cat <&7",
      onStart,
    });
    expect(wasThere).toBe(false);
    expect(existsSync(file)).toBe(true);
    expect(result.timedOut).toBe(false);
    // What it waited on is closed to it.
    expect(result.output.text).toMatch(/bad file descriptor/i);
  });

  it("that is cancelled while its start is noted never begins", async () => {
    const { options } = createStart();
    const signal = AbortSignal.timeout(200);
    const result = await runCommand({
      ...options,
      command: "touch begun",
      signal,
      onStart: () => delay(700),
    });
    expect(result).toMatchObject({ aborted: true, timedOut: false });
    expect(existsSync(join(options.cwd, "begun"))).toBe(false);
  });

  it.runIf(hasProcessTable())("never begins when its run is killed before its start is noted", async () => {
    const { root, options } = createStart();
    const words = sandbox?.wrap(["WORDS"], {
      ...{ workspace: options.cwd, cwd: options.cwd, readable: [], environment: {}, approved: false },
    });
    const script = bundle(
      root,
      "killed",
      `import { writeFileSync } from "node:fs";
      import { runCommand } from "./tools/process/run-command.ts";
      const sandbox = ${JSON.stringify(words?.slice(0, -1))};
      await runCommand({
        ...${JSON.stringify({ ...options, confine: undefined })},
        command: "touch begun; sleep 60",
        confine: sandbox && ((words) => [...sandbox, ...words]),
        onStart: ({ pid }) => {
          writeFileSync(${JSON.stringify(join(root, "pid"))}, String(pid));
          process.kill(process.pid, "SIGKILL");
          return new Promise(() => {});
        },
      });`,
    );
    await once(spawn(process.execPath, [script], { stdio: "ignore" }), "exit");
    const pid = Number(readFileSync(join(root, "pid"), "utf8"));
    await expect.poll(() => readEntry(pid)).toBeUndefined();
    expect(existsSync(join(options.cwd, "begun"))).toBe(false);
  });
});
