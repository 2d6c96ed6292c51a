import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Database from "libsql";
import { expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace } from "../support/workspace.ts";

it("a run says that it waits for a locked file of threads, and goes on once that is free", async () => {
  const workspace = createWorkspace();
  const { run } = createCli(workspace);
  const words = ["run", "hello", "--model", "offline", "--checkpoint", "sqlite:./t.db"];
  expect((await run(words)).code).toBe(0);
  const holder = new Database(join(workspace.folder, "t.db"));
  holder.exec("BEGIN IMMEDIATE");
  const waiting = run(words);
  await delay(4_000);
  holder.exec("ROLLBACK");
  holder.close();
  const { code, stderr } = await waiting;
  expect(code).toBe(0);
  expect(stderr.match(/Waiting for the checkpoints in "[^"]*t\.db" …\n/g)).toHaveLength(1);
});
