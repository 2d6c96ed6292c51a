import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../../src/tools/tool.ts";
import { createToolbox, parseInput } from "../../src/tools/toolbox.ts";

const toolbox = createToolbox();

function get(name: string): Tool {
  const tool = toolbox.get(name);
  if (tool === undefined) throw new Error(`No tool ${name}.`);
  return tool;
}

describe("createInput", () => {
  it.each(["Read", "Write", "Edit", "Glob", "Grep", "Bash", "AskUser"])(
    "of %s are an object with canonical keys",
    (name) => {
      for (const io of ["input", "output"] as const) {
        const schema = z.toJSONSchema(get(name).input, { io });
        expect(schema.type).toBe("object");
        expect(Object.keys(schema.properties ?? {}).length).toBeGreaterThan(0);
        expect(schema.required?.length).toBeGreaterThan(0);
        for (const alias of ["file_path", "block_until_ms", "contents"])
          expect(schema.properties).not.toHaveProperty(alias);
        for (const property of Object.values(schema.properties ?? {})) {
          expect(property).toMatchObject({ type: expect.any(String), description: expect.any(String) });
        }
      }
    },
  );

  it("take other names of a key, and the canonical one wins", () => {
    expect(parseInput(get("Read"), { file_path: "a" })).toEqual({ ok: true, input: { path: "a" } });
    expect(parseInput(get("Read"), { file_path: "a", path: "b" })).toEqual({
      ok: true,
      input: { path: "b" },
    });
    expect(parseInput(get("Read"), { path: null, file_path: "a" })).toEqual({
      ok: true,
      input: { path: "a" },
    });
    const wait = { command: "ls", block_until_ms: 5, requires_approval: false };
    expect(parseInput(get("Bash"), wait)).toEqual({ ok: true, input: { command: "ls", timeout_ms: 5 } });
  });

  it("take null for a key that is left out, and strings for numbers and booleans", () => {
    expect(parseInput(get("Read"), { path: "a", offset: null, limit: "20" })).toEqual({
      ok: true,
      input: { path: "a", limit: 20 },
    });
    const edit = { path: "a", old_string: "1", new_string: "true", replace_all: "false" };
    expect(parseInput(get("Edit"), edit)).toEqual({ ok: true, input: { ...edit, replace_all: false } });
    const form = { type: "object", properties: { name: { type: "string" } } };
    const question = { question: "Who?", form: JSON.stringify(form) };
    expect(parseInput(get("AskUser"), question)).toEqual({ ok: true, input: { question: "Who?", form } });
  });

  it("are never changed by keys of the prototype", () => {
    const raw: unknown = JSON.parse('{"path":"a","__proto__":{"offset":3},"constructor":1}');
    expect(parseInput(get("Read"), raw)).toEqual({ ok: true, input: { path: "a" } });
  });
});
