import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { createToolbox, parseInput } from "../../src/tools/toolbox.ts";

const toolbox = createToolbox();

function get(name: string): Tool {
  const tool = toolbox.get(name);
  if (tool === undefined) throw new Error(`No tool ${name}.`);
  return tool;
}

function createTool(name: string): Tool {
  return defineTool({
    name,
    description: "",
    input: z.object({}),
    target: () => ({ kind: "none" }),
    readOnly: true,
    idempotent: true,
    run: async () => "extra",
  });
}

describe("createToolbox", () => {
  it("finds tools by name and by the names that public skills use", () => {
    expect(toolbox.list().map(({ name }) => name)).toEqual([
      "Read",
      "Write",
      "Edit",
      "Glob",
      "Grep",
      "Bash",
      "WebFetch",
      "AskUser",
    ]);
    expect(get("execute_command").name).toBe("Bash");
    expect(get("read_file").name).toBe("Read");
    expect(get("fetch_url").name).toBe("WebFetch");
    expect(toolbox.get("constructor")).toBeUndefined();
    expect(toolbox.get("__proto__")).toBeUndefined();
  });

  it("names what is written alike", () => {
    expect(toolbox.nearest("Raed")).toContain("Read");
    expect(toolbox.nearest("BashTool2")[0]).toBe("Bash");
    expect(toolbox.nearest("completely-different-thing")).toEqual([]);
  });

  it("takes further tools, and one in place of a built-in", () => {
    const extended = createToolbox([createTool("Weather"), createTool("Bash")]);
    expect(extended.get("Weather")?.name).toBe("Weather");
    expect(extended.list()).toHaveLength(toolbox.list().length + 1);
    expect(extended.get("Bash")).not.toBe(get("Bash"));
  });

  it("refuses names that are taken, are aliases, or that models refuse", () => {
    expect(() => createToolbox([createTool("two words")])).toThrow('Tool name "two words"');
    expect(() => createToolbox([createTool("shell")])).toThrow("another name of Bash");
    expect(() => createToolbox([createTool("X"), createTool("X")])).toThrow('Two tools are named "X"');
  });
});

describe("parseInput", () => {
  it.each([[null], [[1]], ["text"], [7], [undefined]])("refuses %j, which is no object", (raw) => {
    const parsed = parseInput(get("Read"), raw);
    expect(parsed).toMatchObject({
      ok: false,
      message: expect.stringContaining("Read takes an object, not "),
    });
  });

  it("says which field is wrong, what was expected and what came", () => {
    expect(parseInput(get("Read"), {})).toEqual({
      ok: false,
      message:
        'Read was not run: "path" is missing (expected string). Expected {path: string, offset?: integer, limit?: integer}.',
    });
    const wrong = parseInput(get("Read"), { path: { nested: true }, offset: 0 });
    expect(wrong).toMatchObject({ ok: false, message: expect.stringContaining('"path": expected string') });
    expect(wrong).toMatchObject({ message: expect.stringContaining('got {"nested":true}') });
    expect(wrong).toMatchObject({ message: expect.stringMatching(/"offset": Too small.*got 0/) });
  });

  it("keeps its message short whatever came", () => {
    const parsed = parseInput(get("Write"), { path: ["x".repeat(100_000)], content: 1 });
    expect(parsed.ok ? "" : parsed.message.length).toBeLessThan(500);
  });
});
