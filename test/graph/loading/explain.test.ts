import { describe, expect, it } from "vitest";
import { explainMistypedSkill, explainUnknownSkill } from "../../../src/graph/loading/explain.ts";
import { createScriptedAgent, send } from "../../support/agent.ts";
import { toSkill } from "../../support/skill.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const many = Array.from({ length: 24 }, (_, index) =>
  toSkill(`skill-${String.fromCharCode(97 + index)}`, "x"),
);
const names = many.map(({ name }) => name);

describe("a name that is no skill", () => {
  it("is answered with the nearest names", () => {
    expect(explainUnknownSkill("skil-a", { skills: many.slice(0, 1) })).toBe(
      'No skill named "skil-a". Nearest: skill-a.',
    );
  });

  it("is answered with a part of the names, how many more there are and where they are found", () => {
    const listed = names.slice(0, 20).join(", ");
    expect(explainUnknownSkill("zzzzzz", { skills: many })).toBe(
      `No skill named "zzzzzz". Known skills: ${listed} … and 4 more; see "skillgraph list".`,
    );
    expect(explainUnknownSkill("zzzzzz", { skills: many }, names)).toBe(
      `No skill named "zzzzzz". Known skills: ${listed} … and 4 more; SearchSkills finds them.`,
    );
  });

  it("is answered with all names where they fit", () => {
    const skills = many.slice(0, 20);
    expect(explainUnknownSkill("zzzzzz", { skills })).not.toContain("more");
    expect(explainUnknownSkill("zzzzzz", { skills }, [])).toContain("There are no skills here.");
  });
});

describe("a message that begins nearly with a skill", () => {
  const skills = [
    toSkill("file-organizer", "x"),
    toSkill("tmq", "x"),
    toSkill("quiet", "x", { userInvocable: false }),
  ];
  it.each(["/file-organiser inbox", " /file-organizr", "/file-organizers\nplease"])("%j is told", (text) => {
    expect(explainMistypedSkill(text, { skills })).toMatch(
      /^No skill named "file-organi\S+"; nearest: file-organizer\. The message was sent as text\.$/,
    );
  });

  it.each([
    "/file-organizer inbox",
    "/file-organiser/inbox",
    "/file-organiser.md is where?",
    "see /file-organiser",
    "$file-organiser",
    "/etc-passwd",
    "/tmp is full",
    "/quiet",
    "/quietly",
    "/",
    "",
  ])("%j is not", (text) => expect(explainMistypedSkill(text, { skills })).toBeUndefined());

  it("is sent as text, with a notice", async () => {
    const workspace = createWorkspace({
      "skills/log-cleaner/SKILL.md": skillText(
        { name: "log-cleaner", description: "Cleans logs." },
        "Clean.",
      ),
      "skills/log reader/SKILL.md": skillText({ name: "log reader", description: "Reads logs." }, "Read."),
    });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "No." }, { text: "Read." }]);
    const notices = async (task: string) =>
      (await send(agent, task)).events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(await notices("/log-cleanr now")).toEqual([
      'No skill named "log-cleanr"; nearest: log-cleaner. The message was sent as text.',
    ]);
    expect(await notices("/log reader")).toEqual([]);
    server.assertDone();
  });
});
