import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { complete, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const files = {
  "skills/go/SKILL.md": skillText({ name: "go", description: "Goes." }, "INTRO"),
  "skills/go/stages/01-look.md": stageText(["title: Look"], "SECRET-LOOK"),
  "skills/go/stages/02-plan.md": stageText(["title: Plan"], "SECRET-PLAN"),
  "skills/go/stages/03-apply.md": stageText(["title: Apply"], "SECRET-APPLY"),
  "skills/go/references/plan.md": "REFERENCE\n",
  "02-plan.md": "MINE\n",
};

const call = (id: string, name: string, input: object) => ({ id, name, arguments: input });
const read = (id: string, path: string) => call(id, "Read", { path });

interface Result {
  text: string;
  failed: boolean;
}

/** What calls give, by their ids; a person approves each gate. `links`: what else leads where. */
async function run(
  more: Record<string, string>,
  turns: object[],
  task = "/go",
  answers = 0,
  links: Record<string, string> = {},
) {
  const workspace = createWorkspace({ ...files, ...more });
  const all = { "link.md": "skills/go/stages/03-apply.md", ...links };
  for (const [path, target] of Object.entries(all)) symlinkSync(target, join(workspace.folder, path));
  const { agent } = await createScriptedAgent(
    workspace,
    [...turns, { text: "Done." }] as Parameters<typeof createScriptedAgent>[1],
    { permissions: { mode: "deny" } },
  );
  const { end } = await send(agent, task);
  for (let index = 0; index < answers; index += 1) await answer(agent, end.thread, { reply: true });
  const { values } = await agent.getState({ configurable: { thread_id: end.thread } });
  const results = new Map<string, Result>();
  for (const message of (values as { messages: Record<string, unknown>[] }).messages) {
    if (typeof message.tool_call_id !== "string") continue;
    results.set(message.tool_call_id, { text: String(message.content), failed: message.status === "error" });
  }
  return { results, end };
}

const NOT_YET = /^Not shown: .*the stage "(Plan|Apply)", which come when it begins\..*the stage "Look" first/;

it("the file of a stage to come is not read, however it is named; nobody is asked", async () => {
  const { results, end } = await run({}, [
    {
      calls: [
        read("a", "skills/go/stages/02-plan.md"),
        read("b", "stages/03-apply.md"),
        read("c", "link.md"),
        read("d", "skills/go/references/../stages/03-apply.md"),
      ],
    },
  ]);
  expect(end.status).toBe("finished");
  for (const id of ["a", "b", "c", "d"]) {
    expect(results.get(id)?.text).toMatch(NOT_YET);
    expect(results.get(id)?.failed).toBe(true);
  }
});

it("the current stage, files of the same name elsewhere and stages that began are read", async () => {
  const { results } = await run(
    {},
    [
      {
        calls: [
          read("a", "stages/01-look.md"),
          read("b", "skills/go/references/plan.md"),
          read("c", "02-plan.md"),
        ],
      },
      complete("s1"),
      { calls: [read("d", "stages/01-look.md"), read("e", "stages/02-plan.md")] },
    ],
    "/go",
    1,
  );
  const texts = ["a", "b", "c", "d", "e"].map((id) => results.get(id)?.text);
  for (const [index, word] of ["LOOK", "REFERENCE", "MINE", "LOOK", "PLAN"].entries()) {
    expect(texts[index]).toContain(word);
  }
});

it("a search leaves out the stages to come, and says that it left files out", async () => {
  const { results } = await run({}, [
    {
      calls: [
        call("a", "Grep", { pattern: "SECRET", path: "skills" }),
        call("b", "Grep", { pattern: "SECRET", path: "skills/go/stages/03-apply.md" }),
      ],
    },
  ]);
  expect(results.get("a")?.text).toContain("SECRET-LOOK");
  expect(results.get("a")?.text).not.toMatch(/SECRET-(PLAN|APPLY)/);
  expect(results.get("a")?.text).toContain("[Files left out: 2 ");
  expect(results.get("b")?.text).not.toContain("SECRET-APPLY");
});

it("once all stages are complete, and without a wizard, their files are files", async () => {
  const { results } = await run(
    {},
    [read("a", "skills/go/stages/03-apply.md")].map((each) => ({ calls: [each] })),
    "hi",
  );
  expect(results.get("a")?.text).toContain("SECRET-APPLY");
  const after = await run(
    {
      "skills/go/stages/01-look.md": stageText(["gate: none"], "SECRET-LOOK"),
      "skills/go/stages/02-plan.md": stageText(["gate: none"], "SECRET-PLAN"),
      "skills/go/stages/03-apply.md": stageText(["gate: none"], "SECRET-APPLY"),
    },
    [complete("s1"), complete("s2"), complete("s3"), { calls: [read("a", "stages/02-plan.md")] }],
  );
  expect(after.results.get("a")?.text).toContain("SECRET-PLAN");
});

it.each([
  ["steps/step-01-look.md", "steps/step-02-plan.md"],
  ["step-01-look.md", "step-02-plan.md"],
  ["steps-c/step-01-look.md", "steps-c/step-02.md"],
])("steps of other clients are stages, too: %s", async (first, second) => {
  const { results } = await run(
    {
      "skills/bmad/SKILL.md": skillText(
        { name: "bmad", description: "Goes.", metadata: '{wizard: "true"}' },
        "INTRO",
      ),
      [`skills/bmad/${first}`]: "# Look\n\nSECRET-LOOK\n",
      [`skills/bmad/${second}`]: "# Plan\n\nSECRET-PLAN\n",
      "skills/bmad/notes/step-02-plan.md": "NOTE\n",
    },
    [{ calls: [read("a", first), read("b", second), read("c", "notes/step-02-plan.md")] }],
    "/bmad",
  );
  expect(results.get("a")?.text).toContain("SECRET-LOOK");
  expect(results.get("b")?.text).toMatch(NOT_YET);
  expect(results.get("c")?.text).toContain("NOTE");
});

it("a stage that is a link in its folder is not read where it leads either", async () => {
  const { results } = await run(
    { "skills/go/shared/tell.md": stageText(["title: Apply"], "SECRET-TELL") },
    [
      {
        calls: [
          read("a", "stages/04-tell.md"),
          read("b", "shared/tell.md"),
          call("c", "Grep", { pattern: "SECRET", path: "skills" }),
        ],
      },
    ],
    "/go",
    0,
    { "skills/go/stages/04-tell.md": "../shared/tell.md" },
  );
  for (const id of ["a", "b"]) expect(results.get(id)?.text).toMatch(NOT_YET);
  expect(results.get("c")?.text).not.toContain("TELL");
});

const marked = skillText({ name: "other", description: "Goes.", metadata: '{wizard: "true"}' }, "INTRO");

it("of two steps of one name the second is not read in the first", async () => {
  const { results } = await run(
    {
      "skills/other/SKILL.md": marked,
      "skills/other/steps/step-01-plan.md": "# Look\n\nSECRET-LOOK\n",
      "skills/other/steps/step-02-plan.md": "# Plan\n\nSECRET-PLAN\n",
    },
    [{ calls: [read("a", "steps/step-01-plan.md"), read("b", "steps/step-02-plan.md")] }],
    "/other",
  );
  expect(results.get("a")?.text).toContain("SECRET-LOOK");
  expect(results.get("b")?.text).toMatch(NOT_YET);
});

it("a file that is called like a stage and is none is read", async () => {
  const { results } = await run(
    { "skills/go/stages/04-README.md": "# Apply\n\nSECRET\n", "skills/go/stages/README.md": "ABOUT\n" },
    [{ calls: [read("a", "stages/README.md"), read("b", "stages/04-README.md")] }],
  );
  expect(results.get("a")?.text).toContain("ABOUT");
  expect(results.get("b")?.text).toMatch(NOT_YET);
  const headings = "\n## Stage 1: Look\n\nLOOK\n\n## Stage 2: Plan\n\nPLAN\n";
  const beside = await run(
    { "skills/other/SKILL.md": marked + headings, "skills/other/step-02-plan.md": "NOTE\n" },
    [{ calls: [read("a", "step-02-plan.md"), read("b", "skills/other/SKILL.md")] }],
    "/other",
  );
  expect(beside.results.get("a")?.text).toContain("NOTE");
  expect(beside.results.get("b")?.text).toContain("Stage 2: Plan");
});
