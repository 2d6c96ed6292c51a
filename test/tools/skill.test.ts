import { describe, expect, it } from "vitest";
import { z } from "zod";
import { askUserTool } from "../../src/tools/ask-user.ts";
import { createSkillTool } from "../../src/tools/skill.ts";
import { parseInput } from "../../src/tools/toolbox.ts";

describe("createSkillTool", () => {
  it("shows the catalog and offers the names, but lets another name through", () => {
    const tool = createSkillTool("- notes: Takes notes.", ["notes", "plan"]);
    expect(tool.description).toContain("- notes: Takes notes.");
    expect(z.toJSONSchema(tool.input)).toMatchObject({
      properties: { name: { type: "string", enum: ["notes", "plan"] } },
    });
    expect(parseInput(tool, { command: "ntes" })).toEqual({ ok: true, input: { name: "ntes" } });
    const both = parseInput(tool, { skill: "plan", args: "the trip" });
    expect(both).toEqual({ ok: true, input: { name: "plan", arguments: "the trip" } });
  });

  it("offers no empty list of names", () => {
    const schema = z.toJSONSchema(createSkillTool("", []).input);
    expect(schema.properties?.name).not.toHaveProperty("enum");
  });

  it("is answered by the graph, like AskUser", async () => {
    const context = { workspace: "/", readableFolders: [], environment: {}, outputFolder: "/" };
    await expect(createSkillTool("", []).run({ name: "x" }, context)).rejects.toThrow("graph");
    await expect(askUserTool.run({ question: "x" }, context)).rejects.toThrow("graph");
  });
});
