import { describe, expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace } from "../support/workspace.ts";

describe("skillgraph doctor", () => {
  it("exits 0 where everything is in order, with a line for each check, and makes nothing", async () => {
    const workspace = createWorkspace();
    const { code, stdout, stderr } = await createCli(workspace).run(["doctor"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^ok skillgraph: \d+\.\d+\.\d+, in \S+\nok node: \d+\.\d+\.\d+ \(needed: >=20\.19\)\n/,
    );
    expect(stdout).toContain("\nok model: offline: no model, OPENAI_API_KEY or OPENAI_BASE_URL is set\n");
    expect(stdout.trimEnd().split("\n")).not.toContainEqual(expect.stringMatching(/^(✗|!)/));
    expect(workspace.exists(".skillgraph")).toBe(false);
  });

  it("exits 1 when something would fail, and names it", async () => {
    const { run } = createCli(createWorkspace());
    const { code, stdout } = await run(["doctor", "--model", "gpt-5", "--checkpoint", "ftp://x"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "\nok model: gpt-5: named by the option model\n✗  key: OPENAI_API_KEY is not set,",
    );
    expect(stdout).toContain('\n✗  threads: "ftp://x" is not a place for checkpoints.');
  });

  it("a warning alone exits 0", async () => {
    const { run } = createCli(createWorkspace({ "skillgraph.json": '{"model": "gpt-5"}' }));
    const { code, stdout } = await run(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n! {2}trust: not trusted: .* Without effect: model\. /);
  });

  it("--json is one document, and holds no key", async () => {
    const { run } = createCli(createWorkspace());
    const { code, stdout } = await run(["doctor", "--json"], { env: { OPENAI_API_KEY: "sk-secret" } });
    expect(code).toBe(0);
    const { checks } = JSON.parse(stdout);
    expect(checks).toContainEqual({ name: "key", status: "ok", text: "OPENAI_API_KEY is set" });
    expect(stdout).not.toContain("sk-secret");
  });

  it("flags that exclude each other, and folders that are not there, are wrong usage", async () => {
    const { run } = createCli(createWorkspace());
    for (const words of [
      ["--ask", "--allow"],
      ["--cwd", "gone"],
      ["--skills", "gone"],
    ]) {
      expect((await run(["doctor", ...words])).code).toBe(2);
    }
  });
});
