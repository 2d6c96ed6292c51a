import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { createWorkspace } from "../support/workspace.ts";

const inbox = fileURLToPath(new URL("../../examples/inbox", import.meta.url));

function createInbox() {
  const workspace = createWorkspace();
  cpSync(inbox, workspace.folder, { recursive: true });
  return { workspace, cli: createCli(workspace) };
}

describe("the main job without a key", () => {
  it("a plan is shown and a person asked; the printed command moves the files; the same again is refused", async () => {
    const { workspace, cli } = createInbox();
    const run = await cli.run(["run", "/file-organizer inbox"]);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain("Plan for inbox: 12 files into 6 folders.");
    expect(run.stderr).toContain("model offline");
    expect(workspace.exists("inbox/todo.txt")).toBe(true);
    const words = /skillgraph (resume \S+ --request \S+ --approve)/.exec(run.stdout)?.[1]?.split(" ") ?? [];
    expect(words).toHaveLength(5);

    const resumed = await cli.run(words);
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain("Moved 12 files.");
    expect(workspace.exists("inbox/todo.txt")).toBe(false);
    expect(workspace.exists("inbox/documents/todo.txt")).toBe(true);

    const again = await cli.run(words);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("was answered already: approve by ");
    expect(again.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("plain words lead to the skill after a yes, and what is missing is asked for", async () => {
    const { workspace, cli } = createInbox();
    const run = await cli.run(["run", "tidy up my messy downloads", "--json"]);
    expect(run.code).toBe(3);
    expect(parseLines(run.stdout).at(-1)).toMatchObject({
      status: "waiting",
      request: { items: [{ kind: "skill", name: "file-organizer" }] },
    });
    const agreed = await cli.run(["resume", "--approve", "--json"]);
    expect(parseLines(agreed.stdout).at(-1)).toMatchObject({ request: { items: [{ kind: "question" }] } });
    const answered = await cli.run(["resume", "--answer", "inbox", "--json"]);
    expect(parseLines(answered.stdout).at(-1)).toMatchObject({
      request: { items: [{ kind: "call", name: "Bash" }] },
    });
    expect((await cli.run(["resume", "--approve"])).code).toBe(0);
    expect(workspace.exists("inbox/documents/todo.txt")).toBe(true);
  });

  it("a refusal moves nothing, and the report says so", async () => {
    const { workspace, cli } = createInbox();
    expect((await cli.run(["run", "/file-organizer inbox"])).code).toBe(3);
    const refused = await cli.run(["resume", "--reject", "not today"]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("not today");
    expect(workspace.exists("inbox/todo.txt")).toBe(true);
  });

  it("--deny makes the plan and refuses the move; --allow does both", async () => {
    const denied = createInbox();
    const run = await denied.cli.run(["run", "/file-organizer inbox", "--deny", "--json"]);
    expect(run.code).toBe(1);
    expect(parseLines(run.stdout).some(({ type }) => type === "tool-denied")).toBe(true);
    expect(parseLines(run.stdout).at(-1)).toMatchObject({ status: "finished", outcome: "failed" });
    expect(denied.workspace.exists("inbox/todo.txt")).toBe(true);
    const allowed = createInbox();
    expect((await allowed.cli.run(["run", "/file-organizer inbox", "--allow"])).code).toBe(0);
    expect(allowed.workspace.exists("inbox/documents/todo.txt")).toBe(true);
  });

  it("words that fit no skill get an honest answer and exit 0", async () => {
    const { cli } = createInbox();
    const run = await cli.run(["run", "compose a sonnet about the sea"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("OPENAI_API_KEY");
  });
});
