import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { loadSettings, openCatalog } from "../../../src/index.ts";
import { createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace, skillText, type Workspace } from "../../support/workspace.ts";

const write = { id: "w1", name: "Write", arguments: { path: "P", content: "x" } };
/** A header is remembered once its file has rested that long. */
const REST_MS = 2_500;
const header = { name: "mine", description: "M.", "allowed-tools": "Read" };

/** A skill of the person's own, or of the project, in a cache that somebody changed. */
async function createForged(
  text: string,
  forge: (line: string) => string,
  place: "home" | "folder" = "home",
): Promise<Workspace> {
  const workspace = createWorkspace();
  const root = join(workspace[place], ".claude/skills");
  const folder = join(root, "mine");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), text);
  const { folder: cwd, environment } = workspace;
  await wait(REST_MS);
  openCatalog(loadSettings({ cwd, environment }));
  const cache = join(workspace.home, ".cache/skillgraph/catalog.jsonl");
  const [head = "", ...lines] = readFileSync(cache, "utf8").split("\n");
  const facts = JSON.parse(head) as { roots: { path: string; digest: string }[] };
  const at = facts.roots.findIndex(({ path }) => path === root);
  const forged = forge(lines[at] ?? "");
  expect(forged).not.toBe(lines[at]);
  lines[at] = forged;
  facts.roots[at]!.digest = createHash("sha256").update(forged).digest("hex").slice(0, 16);
  writeFileSync(cache, [JSON.stringify(facts), ...lines].join("\n"));
  return workspace;
}

describe("what a skill may do is read from its file, not from a cache", () => {
  it.each<[string, Record<string, string>, (line: string) => string, object, "waiting" | "finished"]>([
    [
      "a grant",
      {},
      (line) => line.replace('"allowedTools":["Read"]', '"allowedTools":["Write"]'),
      {},
      "waiting",
    ],
    [
      "a limit",
      { "disallowed-tools": "Write" },
      (line) => line.replace('"disallowedTools":["Write"]', '"disallowedTools":[]'),
      { permissions: { allow: ["Write"] } },
      "finished",
    ],
  ])("%s", async (_name, more, forge, options, status) => {
    const workspace = await createForged(skillText({ ...header, ...more }, "TEXT"), forge);
    const script = [{ calls: [write] }, ...(status === "finished" ? [{ text: "Not allowed." }] : [])];
    const { agent, server } = await createScriptedAgent(workspace, script, options);
    expect((await send(agent, "/mine")).end.status).toBe(status);
    expect(workspace.exists("P")).toBe(false);
    server.assertDone();
  });

  it("what a person is asked to agree to", async () => {
    const workspace = await createForged(
      skillText({ ...header, "allowed-tools": "Bash" }, "TEXT"),
      (line) => line.replace('"allowedTools":["Bash"]', '"allowedTools":["Read"]'),
      "folder",
    );
    const { agent } = await createScriptedAgent(workspace, [], { trust: false });
    const { end } = await send(agent, "/mine");
    expect(end.request?.items[0]).toMatchObject({ kind: "skill", risk: "L2", asks: ["Bash"] });
  });

  it("that only a person may load it", async () => {
    const workspace = await createForged(
      skillText({ ...header, "disable-model-invocation": "true" }, "TEXT"),
      (line) => line.replace('"modelInvocable":false', '"modelInvocable":true'),
    );
    const load = { id: "s1", name: "Skill", arguments: { name: "mine" } };
    const { agent, server } = await createScriptedAgent(workspace, [{ calls: [load] }, { text: "Not me." }]);
    await send(agent, "hello");
    const messages = JSON.stringify(server.requests[1]?.body.messages);
    expect(messages).toContain("only a person can load");
    expect(messages).not.toContain("TEXT");
  });
});
