import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { loadSettings, openCatalog } from "../../src/index.ts";
import { createScriptedAgent, type RunResult, send } from "../support/agent.ts";
import type { ChatRequest } from "../support/openai-server.ts";
import { createWorkspace, skillText, type Workspace } from "../support/workspace.ts";

function open({ folder: cwd, environment }: Workspace) {
  return openCatalog(loadSettings({ cwd, environment }));
}

const tidy = skillText({ name: "tidy", description: "Tidies." }, "x");

describe("openCatalog", () => {
  it("remembers headers in the person's cache folder, which only they may enter", async () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy });
    const file = join(workspace.home, ".cache/skillgraph/catalog.jsonl");
    await setTimeout(2_100);
    open(workspace);
    expect(readFileSync(file, "utf8")).toContain("Tidies.");
    expect(statSync(join(workspace.home, ".cache/skillgraph")).mode & 0o777).toBe(0o700);
    expect(open(workspace).get("tidy")?.description).toBe("Tidies.");
  });

  it("reads all the same where no cache can be written", () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy });
    workspace.environment.XDG_CACHE_HOME = "/proc/nowhere";
    expect(open(workspace).get("tidy")).toBeDefined();
    workspace.write("file", "");
    workspace.environment.XDG_CACHE_HOME = join(workspace.folder, "file");
    expect(open(workspace).get("tidy")).toBeDefined();
  });

  it("writes nothing into a folder of another user", { skip: process.geteuid?.() !== 0 }, () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy });
    mkdirSync(join(workspace.home, ".cache"));
    chownSync(join(workspace.home, ".cache"), 65534, 65534);
    expect(open(workspace).get("tidy")).toBeDefined();
    expect(existsSync(join(workspace.home, ".cache/skillgraph"))).toBe(false);
  });

  it("a disabled skill is kept apart, and no weaker one of its name takes its place", () => {
    const workspace = createWorkspace({
      "skills/tidy/SKILL.md": tidy,
      ".claude/skills/tidy/SKILL.md": tidy,
      "skillgraph.json": '{"skills": {"disabled": ["tidy", "cafe\u0301"]}}',
      "skills/caf\u00e9/SKILL.md": skillText({ name: "caf\u00e9", description: "C." }, "x"),
    });
    const catalog = open(workspace);
    expect(catalog.disabled.map(({ name }) => name)).toEqual(["caf\u00e9", "tidy", "tidy"]);
    expect([catalog.get("tidy"), catalog.get("caf\u00e9")]).toEqual([undefined, undefined]);
    expect(catalog.skills.some(({ tier }) => tier === "project")).toBe(false);
    expect(catalog.shadowed).toEqual([]);
  });
});

describe("B9: the catalog of an agent", () => {
  const toSkill = (name: string, description: string) => skillText({ name, description }, `Body of ${name}.`);

  /** The descriptions that a request tells the model. */
  function listDescriptions(request: ChatRequest | undefined): string[] {
    const tool = request?.body.tools?.find((each) => each.function.name === "Skill");
    return JSON.stringify(tool ?? "").match(/Does (?:new |old )?[abc]\./g) ?? [];
  }

  function change(workspace: Workspace): void {
    workspace.write("skills/b/SKILL.md", toSkill("b", "Does b."));
    workspace.write("skills/c/SKILL.md", toSkill("c", "Does new c."));
    rmSync(join(workspace.folder, "skills/a"), { recursive: true });
  }

  it("the next turn of a thread sees what was added, edited and deleted", async () => {
    const workspace = createWorkspace({
      "skills/a/SKILL.md": toSkill("a", "Does a."),
      "skills/c/SKILL.md": toSkill("c", "Does old c."),
    });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "One." }, { text: "Two." }]);
    const { end } = await send(agent, "one");
    change(workspace);
    await send(agent, "two", { thread: end.thread });
    expect(server.requests.map(listDescriptions)).toEqual([
      ["Does a.", "Does old c."],
      ["Does b.", "Does new c."],
    ]);
    server.assertDone();
  });

  it("a thread in the middle of its run and another that begins meanwhile do not disturb one another", async () => {
    const workspace = createWorkspace({
      "skills/a/SKILL.md": toSkill("a", "Does a."),
      "skills/c/SKILL.md": toSkill("c", "Does old c."),
    });
    const second: RunResult[] = [];
    const { agent, server } = await createScriptedAgent(workspace, [
      async () => {
        change(workspace);
        second.push(await send(agent, "second"));
        return { calls: [{ id: "c1", name: "Skill", arguments: { name: "b" } }] };
      },
      { text: "Two." },
      { text: "One." },
    ]);
    const first = await send(agent, "first");
    expect(first.end).toMatchObject({ status: "finished", answer: "One." });
    expect(second[0]?.end).toMatchObject({ status: "finished", answer: "Two." });
    expect(second[0]?.end.thread).not.toBe(first.end.thread);
    expect(server.requests.map(listDescriptions)).toEqual([
      ["Does a.", "Does old c."],
      ["Does b.", "Does new c."],
      ["Does b.", "Does new c."],
    ]);
    expect(JSON.stringify(server.requests[1]?.body.messages)).not.toContain("first");
    expect(JSON.stringify(server.requests[2]?.body.messages)).toContain("Body of b.");
    server.assertDone();
  });
});
