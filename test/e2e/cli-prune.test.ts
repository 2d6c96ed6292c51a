import { expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace } from "../support/workspace.ts";

it("threads prune tells what it would remove, removes it, and names the forms of an age", async () => {
  const { run } = createCli(createWorkspace());
  expect((await run(["run", "hello", "--model", "offline"])).code).toBe(0);
  const prune = (...words: string[]) => run(["threads", "prune", "--older-than", ...words]);

  expect(await prune("30d")).toEqual({ code: 0, stdout: "0 threads removed.\n", stderr: "" });
  const line = /^[0-9a-f-]{36} finished \d{4}-\S+Z\n/;
  const tried = await prune("0d", "--dry-run");
  expect(tried.stdout).toMatch(new RegExp(`${line.source}1 thread would be removed\\.\\n$`));
  const removed = await prune("0d");
  expect(removed.stdout).toMatch(new RegExp(`${line.source}1 thread removed, 0\\.\\d MB given back\\.\\n$`));
  expect(JSON.parse((await prune("0d", "--json")).stdout)).toEqual({
    dryRun: false,
    removed: [],
    kept: [],
    freedBytes: 0,
  });

  const wrong = await prune("soon");
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toContain('"soon" is no age. Write a whole number and a unit: 90m, 12h, 30d or 8w.');
});
