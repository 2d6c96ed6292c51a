import { describe, expect, it } from "vitest";
import { createSkillAgent } from "../../src/index.ts";
import { createCli } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const headings = "Intro.\n\n## Stage 1: Look\n\nLook.\n\n## Stage 2: Do it\n\nDo it.\n";
const skill = (name: string, more: Record<string, string> = {}, body = headings) =>
  skillText({ name, description: "Works.", ...more }, body);
const drawn = [
  "flowchart TD",
  '\tstart(["Skill works"])',
  '\tstage1["Stage 1: Look"]',
  '\tgate1{{"A person approves"}}',
  '\tstage2["Stage 2: Do it"]',
];

describe("skillgraph graph", () => {
  it("prints the graph that is built", async () => {
    const { code, stdout, stderr } = await createCli(createWorkspace()).run(["graph"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const agent = await createSkillAgent({ model: "offline", checkpointer: false });
    const graph = (await agent.getGraphAsync()).drawMermaid({ withStyles: false });
    expect(stdout.trim()).toBe(graph.trim());
  });

  it("prints the stages of a wizard skill by their headings", async () => {
    const workspace = createWorkspace({
      "skills/works/SKILL.md": skill("works", { metadata: '{wizard: "true"}' }),
    });
    const { run } = createCli(workspace);
    const { code, stdout, stderr } = await run(["graph", "works"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n").slice(0, 5)).toEqual(drawn);
    const json = JSON.parse((await run(["graph", "works", "--json"])).stdout);
    expect(json).toEqual({ mermaid: json.mermaid, diagnostics: [] });
    expect(`${json.mermaid}\n`).toBe(stdout);
  });

  it("prints gates, forms and checks of stage files", async () => {
    const workspace = createWorkspace({
      "skills/works/SKILL.md": skill("works", {}, "Intro."),
      "skills/works/stages/01-look.md": "---\ntitle: Look\ngate: none\ncheck: test -f x\n---\nLook.\n",
      "skills/works/stages/02-ask.md":
        "---\ntitle: Ask\ngate: form\nform: {type: object, properties: {when: {type: string}}}\n---\nAsk.\n",
    });
    const { stdout } = await createCli(workspace).run(["graph", "works"]);
    expect(stdout).toContain('check1[/"Check: test -f x"/]');
    expect(stdout).toContain('gate2{{"A person fills in when"}}');
    expect(stdout).toContain('check1 -- "exits with 0" --> stage2');
  });

  it("a skill without stages exits 1 and says what makes some, and --wizard takes unmarked headings", async () => {
    const workspace = createWorkspace({ "skills/works/SKILL.md": skill("works") });
    const { run } = createCli(workspace);
    const plain = await run(["graph", "works"]);
    expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code: 1, stdout: "" });
    expect(plain.stderr).toMatch(/^skillgraph: The skill "works" has no stages to draw\. .*--wizard.*\n$/);
    expect(plain.stderr).toContain("stages/01-plan.md");
    const asked = await run(["graph", "works", "--wizard"]);
    expect(asked.stdout.split("\n").slice(0, 5)).toEqual(drawn);
    workspace.write("skills/bare/SKILL.md", skill("bare", {}, "No headings."));
    const bare = await run(["graph", "bare", "--wizard", "--json"]);
    expect(bare.code).toBe(1);
    expect(JSON.parse(bare.stdout)).toMatchObject({ error: { code: "skill-unreadable" } });
  });

  it("faulty stages exit 1, the first faults with their places in the message and no fault twice", async () => {
    const workspace = createWorkspace({
      "skills/works/SKILL.md": skill("works", {}, "Intro."),
      "skills/works/stages/01-look.md": "---\ngate: mabye\nneeds: [x, y]\n---\nLook.\n",
      "skills/works/stages/02-do.md": "---\nmax-attempts: 0\ncolour: red\n---\nDo.\n",
      "skills/works/stages/03-end.md": "---\nneeds: [y]\n---\nEnd.\n",
    });
    const { run } = createCli(workspace);
    const { code, stdout, stderr } = await run(["graph", "works"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const [warning, rest, message = "", end] = stderr.split("\n");
    expect(warning).toMatch(/^warning: \S+\/02-do\.md:3: "colour" is no key .* \[stage-key\]$/);
    expect(rest).toMatch(/^error: \S+\/03-end\.md:2: "needs" names "y".* \[stage-needs\]$/);
    expect(message).toMatch(
      /^skillgraph: The stages of the skill "works" cannot be read\. \S+\/01-look\.md:2: The gate "mabye" is none of \S+ \S+ \S+ \S+\/02-do\.md:2: "max-attempts" .* \S+\/01-look\.md:3: "needs" names "x", which is no stage\. It is the first stage\.$/,
    );
    expect(end).toBe("");
  });

  it("with --json faults are in the document, and the message stands alone on standard error", async () => {
    const workspace = createWorkspace({
      "skills/works/SKILL.md": skill("works", {}, "Intro."),
      "skills/works/stages/01-look.md": "---\ngate: mabye\ncolour: red\n---\nLook.\n",
      "skills/fine/SKILL.md": skill("fine", {}, "Intro."),
      "skills/fine/stages/01-look.md": "---\ncolour: red\n---\nLook.\n",
    });
    const { run } = createCli(workspace);
    const colour = { code: "stage-key", severity: "warning" };
    const faulty = await run(["graph", "works", "--json"]);
    expect(faulty.code).toBe(1);
    expect(JSON.parse(faulty.stdout)).toMatchObject({
      error: { code: "skill-unreadable", message: expect.stringContaining('01-look.md:2: The gate "mabye"') },
      diagnostics: [colour, { code: "stage-gate", severity: "error", line: 2 }],
    });
    expect(faulty.stderr).toMatch(/^skillgraph: .*\n$/);
    const fine = await run(["graph", "fine", "--json"]);
    expect(fine).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(fine.stdout)).toMatchObject({ mermaid: expect.any(String), diagnostics: [colour] });
  });

  it("an unknown skill, and --wizard without one, are wrong usage", async () => {
    const { run } = createCli(createWorkspace());
    expect(await run(["graph", "gone"])).toMatchObject({ code: 2, stdout: "" });
    expect(await run(["graph", "--wizard"])).toMatchObject({ code: 2, stdout: "" });
  });
});
