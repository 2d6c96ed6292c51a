import { describe, expect, it } from "vitest";
import { checkValue, findSchemaFault } from "../../../src/skills/json-schema/json-schema.ts";
import type { JsonSchema } from "../../../src/skills/stages/stage.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";

const plan: JsonSchema = {
  type: "object",
  required: ["version"],
  additionalProperties: false,
  properties: {
    version: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$" },
    files: {
      type: "array",
      items: { type: "object", required: ["path"], properties: { path: { type: "string" } } },
    },
    level: { enum: ["patch", "minor"] },
    count: { anyOf: [{ type: "integer" }, { type: "null" }] },
    mail: { type: "string", format: "email" },
  },
};

describe("a schema that can be used", () => {
  it.each<[string, unknown]>([
    ["a usual one", plan],
    ["an empty one", {}],
    ["one with notes only", { title: "Anything", description: "x" }],
    ["one that refers to itself", { type: "object", properties: { next: { $ref: "#" } } }],
    ["one with definitions", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }],
    [
      "one of an older draft",
      { $schema: "http://json-schema.org/draft-07/schema#", $id: "x", type: "string" },
    ],
    ["a property called like a keyword", { properties: { $ref: { type: "string" }, type: { enum: ["a"] } } }],
    ["data that looks like a schema", { const: { $ref: "http://x", type: "nope" } }],
    ["an unknown format and extensions", { type: "string", format: "color", "x-order": 1, hint: "a" }],
    ["a pattern that is none in Unicode mode", { type: "string", pattern: "^[\\w\\-]+\\-$" }],
    ["a schema of true", { properties: { a: true }, additionalProperties: false }],
  ])("%s", (_title, schema) => {
    expect(findSchemaFault(schema)).toBeUndefined();
  });

  it("two schemas with one $id do not meet", () => {
    expect(checkValue({ $id: "https://a.example/x", type: "string" }, "a").ok).toBe(true);
    expect(checkValue({ $id: "https://a.example/x", type: "number" }, "a").ok).toBe(false);
  });
});

describe("a schema that cannot be used is refused, with the place", () => {
  it.each<[unknown, string]>([
    ["string", 'The schema must be an object, not "string".'],
    [null, "The schema must be an object, not null."],
    [[], "The schema must be an object, not []."],
    [{ type: "objct" }, '"type" must be one of string, number'],
    [{ properties: { a: { type: "text" } } }, '"properties.a.type" must be one of'],
    [{ type: ["string", null] }, 'Put "null" in quotes.'],
    [{ properties: { a: "string" } }, '"properties.a" must be a schema, not "string".'],
    [
      { properties: { a: { pattern: "(" } } },
      '"properties.a.pattern" must be a regular expression, not "(".',
    ],
    [{ patternProperties: { "[": {} } }, '"patternProperties" must be a regular expression'],
    [{ items: { $ref: "https://a.example/b" } }, '"items.$ref" must lead to a place in the schema itself'],
    [{ $ref: "file.json" }, '"$ref" must lead to'],
    [{ $ref: "#/$defs/none" }, "#/$defs/none"],
    [{ properties: { a: { $id: "b", type: "string" } } }, '"properties.a.$id" is not supported'],
    [{ required: "a" }, '"required" must be array'],
    [{ minimum: "1" }, '"minimum" must be number'],
    [
      { version: { type: "string" } },
      '"version" is no keyword of JSON Schema; fields stand under "properties".',
    ],
    [{ title: "string", version: "string" }, '"version" is no keyword'],
    [{ type: "object", version: { type: "string" } }, '"version" is no keyword'],
  ])("%j", (schema, fault) => {
    expect(findSchemaFault(schema)).toContain(fault);
  });

  it("a schema nested too deep, or in a circle, is refused at once", () => {
    let deep: JsonSchema = { type: "string" };
    for (let level = 0; level < 5000; level += 1) deep = { items: deep };
    expect(findSchemaFault(deep)).toContain("nested more than 32 levels");
    const circle: JsonSchema = {};
    circle.items = circle;
    expect(findSchemaFault(circle)).toContain("nested more than 32 levels");
  });
});

describe("errors of a value", () => {
  const errorsOf = (schema: JsonSchema, value: unknown) => {
    const checked = checkValue(schema, value);
    return checked.ok ? [] : checked.errors;
  };

  it.each<[unknown, string[]]>([
    [{ version: "1.2.3" }, []],
    [{ version: "abc" }, ['"version": must match pattern "^\\d+\\.\\d+\\.\\d+$", got "abc"']],
    [{}, ['"version": is missing']],
    [7, ["the value: must be object, got 7"]],
    [{ version: "1.0.0", files: [{}] }, ['"files[0].path": is missing']],
    [{ version: "1.0.0", files: [{ path: 1 }] }, ['"files[0].path": must be string, got 1']],
    [{ version: "1.0.0", level: "big" }, ['"level": must be one of "patch", "minor", got "big"']],
    [{ version: "1.0.0", count: "x" }, ['"count": must be integer or null, got "x"']],
    [{ version: "1.0.0", mail: "x" }, ['"mail": must match format "email", got "x"']],
    [
      { version: "1.0.0", note: 1 },
      ['"note": is no known property; known: version, files, level, count, mail'],
    ],
  ])("%j", (value, errors) => {
    expect(errorsOf(plan, value)).toEqual(errors);
  });

  it("at most five are told, and long values are cut", () => {
    const errors = errorsOf({ items: { type: "string" } }, [1, 2, 3, 4, 5, 6, 7]);
    expect(errors).toHaveLength(5);
    expect(errorsOf({ type: "number" }, "x".repeat(1000))[0]?.length).toBeLessThan(120);
  });

  it("a choice that fits more than once says so", () => {
    expect(errorsOf({ oneOf: [{ type: "string" }, { minLength: 1 }] }, "a")).toEqual([
      'the value: must match exactly one schema in oneOf, got "a"',
    ]);
  });

  it("nothing is thrown for a schema or a value that runs in a circle, nor for a schema that is none", () => {
    const circle: Record<string, unknown> = {};
    circle.next = circle;
    expect(checkValue({ $ref: "#" }, 1).ok).toBe(false);
    expect(checkValue({ properties: { next: { $ref: "#" } } }, circle).ok).toBe(false);
    expect(checkValue({ properties: { next: { $ref: "#" } } }, circle, { coerce: true }).ok).toBe(false);
    expect(checkValue({ type: "nope" }, 1).ok).toBe(false);
    expect(checkValue({ $async: true, type: "string" }, "a")).toEqual({ ok: true, value: "a" });
    expect(checkValue({ type: "string" }, undefined).ok).toBe(false);
  });

  it("more schemas than are kept are still checked rightly", () => {
    for (let minimum = 0; minimum < 250; minimum += 1) {
      expect(checkValue({ minimum }, minimum).ok).toBe(true);
      expect(checkValue({ minimum }, minimum - 1).ok).toBe(false);
    }
  });

  it("without coerce the value is given back itself and nothing is filled in", () => {
    const value = { a: "3" };
    const schema = { properties: { a: { type: "number" }, b: { default: 1 } } };
    expect(checkValue(schema, value).ok).toBe(false);
    const fitting = { a: 3 };
    const checked = checkValue(schema, fitting);
    expect(checked.ok && checked.value).toBe(fitting);
    expect(fitting).toEqual({ a: 3 });
  });
});

describe("what every object inherits is no field of it", () => {
  it.each(["constructor", "toString", "__proto__"])("a required %s is missing in {}", (name) => {
    expect(checkValue({ type: "object", required: [name] }, {})).toEqual({
      ok: false,
      errors: [`"${name}": is missing`],
      fields: { [name]: "is missing" },
    });
    const written = JSON.parse(`{"${name}": "x"}`);
    expect(checkValue({ type: "object", required: [name] }, written).ok).toBe(true);
  });

  it("an optional field may be called constructor", () => {
    const schema = { properties: { constructor: { type: "string" } }, additionalProperties: false };
    for (const coerce of [true, false]) {
      expect(checkValue(schema, {}, { coerce }).ok).toBe(true);
      expect(checkValue(schema, { constructor: "x" }, { coerce }).ok).toBe(true);
      expect(checkValue(schema, { constructor: 1 }, { coerce }).ok).toBe(false);
    }
  });
});

describe("a check ends", () => {
  const slow = "a".repeat(40);
  const doubled: JsonSchema = { $ref: "#/$defs/a0", $defs: { a26: { type: "string" } } };
  for (let level = 0; level < 26; level += 1) {
    const next = { $ref: `#/$defs/a${level + 1}` };
    (doubled.$defs as Record<string, unknown>)[`a${level}`] = { allOf: [next, next] };
  }

  it.each<[string, JsonSchema, unknown]>([
    ["a pattern that tries all ways", { type: "string", pattern: "^(a+)+$" }, `${slow}!`],
    ["the same for names", { patternProperties: { "^(a+)+$": {} } }, { [`${slow}!`]: 1 }],
    ["references that double at each step", doubled, {}],
  ])("after a second: %s", (_title, schema, value) => {
    const start = performance.now();
    expect(checkValue(schema, value, { coerce: true })).toEqual({
      ok: false,
      errors: ["the value takes too long to check"],
    });
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(checkValue({ type: "string" }, "a").ok).toBe(true);
    expect(checkValue({ type: "string" }, 1).ok).toBe(false);
  });

  it("the same for a schema", () => {
    let doubledParts: JsonSchema = { type: "string" };
    for (let level = 0; level < 31; level += 1) doubledParts = { allOf: [doubledParts, doubledParts] };
    expect(findSchemaFault(doubledParts)).toBe("The schema takes too long to check.");
    expect(findSchemaFault({ type: "string" })).toBeUndefined();
  });

  it("the limit costs a usual check almost nothing", () => {
    checkValue(plan, { version: "1.2.3" });
    const readCpu = startCpuClock();
    for (let round = 0; round < 1_000; round += 1) checkValue(plan, { version: "1.2.3" });
    expect(readCpu()).toBeLessThan(1_000);
  });
});

describe("errors stay short", () => {
  const words = Array.from({ length: 200_000 }, (_, index) => `word-${index}`);
  const errorOf = (schema: JsonSchema, value: unknown): string => {
    const checked = checkValue(schema, value);
    return checked.ok ? "" : (checked.errors[0] ?? "");
  };

  it("of many choices twenty are told", () => {
    const error = errorOf({ enum: words }, "no");
    expect(error).toContain('must be one of "word-0", "word-1", ');
    expect(error).toContain('"word-19" and 199980 more, got "no"');
    expect(error).not.toContain("word-20");
  });

  it.each<[string, JsonSchema, unknown]>([
    ["long choices", { enum: words.map((word) => word.padEnd(50, "x")) }, "no"],
    [
      "known properties",
      {
        properties: Object.fromEntries(words.slice(0, 5_000).map((word) => [word, {}])),
        additionalProperties: false,
      },
      { other: 1 },
    ],
    ["a pattern too long for any engine", { type: "string", pattern: `^${"b".repeat(100_000)}$` }, "a"],
    ["a long pattern", { type: "string", pattern: `^${"b".repeat(3_000)}$` }, "a"],
    ["a long name", { additionalProperties: false }, { ["n".repeat(100_000)]: 1 }],
  ])("%s", (_title, schema, value) => {
    expect(errorOf(schema, value)).not.toBe("");
    expect(errorOf(schema, value).length).toBeLessThan(700);
  });
});

describe("coerce: what people type is read by the schema", () => {
  const field = (schema: JsonSchema, value: unknown) => {
    const checked = checkValue({ properties: { a: schema } }, { a: value }, { coerce: true });
    return checked.ok ? (checked.value as { a?: unknown }).a : checked.errors[0];
  };

  it.each<[JsonSchema, unknown, unknown]>([
    [{ type: "integer" }, " 3 ", 3],
    [{ type: "number" }, "-1.5e2", -150],
    [{ type: "integer" }, "3.5", '"a": must be integer, got 3.5'],
    [{ type: "number" }, "three", '"a": must be number, got "three"'],
    [{ type: "number" }, "0x10", '"a": must be number, got "0x10"'],
    [{ type: "boolean" }, "true", true],
    [{ type: "boolean" }, "No", false],
    [{ type: "boolean" }, "perhaps", '"a": must be boolean, got "perhaps"'],
    [{ type: "string" }, "3", "3"],
    [{ type: "string" }, "", ""],
    [{ type: "string" }, 3, '"a": must be string, got 3'],
    [{ type: ["string", "number"] }, "3", "3"],
    [{ type: ["integer", "null"] }, "", null],
    [{ type: "array", items: { type: "integer" } }, '[1, "2"]', [1, 2]],
    [{ type: "object" }, '{"b": 1}', { b: 1 }],
    [{ type: "object" }, "{broken", '"a": must be object, got "{broken"'],
    [{ type: "object", properties: { b: { type: "boolean" } } }, { b: "yes" }, { b: true }],
    [{ enum: [1, 2] }, "2", 2],
    [{ enum: ["1", 1] }, "1", "1"],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "4", 4],
    [
      { anyOf: [{ type: "object", properties: { b: { type: "integer" } } }, { type: "null" }] },
      { b: "1" },
      { b: 1 },
    ],
    [
      { allOf: [{ properties: { b: { type: "integer" } } }, { properties: { c: { default: 2 } } }] },
      { b: "1" },
      { b: 1, c: 2 },
    ],
    [{ type: "integer" }, "", undefined],
    [{ type: "integer", default: 7 }, " ", 7],
  ])("%j takes %j", (schema, value, expected) => {
    expect(field(schema, value)).toEqual(expected);
  });

  it("a required field that was left blank is missing", () => {
    const schema = { type: "object", required: ["a"], properties: { a: { type: "integer" } } };
    expect(checkValue(schema, { a: "" }, { coerce: true })).toEqual({
      ok: false,
      errors: ['"a": is missing'],
      fields: { a: "is missing" },
    });
  });

  it("defaults are filled in, through references too, and each value gets its own", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        list: { $ref: "#/$defs/list" },
        deep: { type: "object", properties: { on: { default: false } } },
      },
      $defs: { list: { type: "array", items: { type: "integer" }, default: [1] } },
    };
    const first = checkValue(schema, { deep: {} }, { coerce: true });
    expect(first).toEqual({ ok: true, value: { deep: { on: false }, list: [1] } });
    if (first.ok) (first.value as { list: number[] }).list.push(2);
    expect(checkValue(schema, '{"list": ["3"]}', { coerce: true })).toEqual({
      ok: true,
      value: { list: [3] },
    });
    expect(schema).toHaveProperty("$defs.list.default", [1]);
  });

  it("the given value is not changed, and keys with a meaning in JavaScript stay keys", () => {
    const value = JSON.parse('{"a": "1", "__proto__": {"x": 1}, "list": ["2"]}');
    const text = JSON.stringify(value);
    const schema = {
      properties: { a: { type: "integer" }, list: { items: { type: "integer" } }, d: { default: 1 } },
    };
    const checked = checkValue(schema, value, { coerce: true });
    expect(JSON.stringify(value)).toBe(text);
    expect(checked.ok && JSON.stringify(checked.value)).toBe('{"a":1,"__proto__":{"x":1},"list":[2],"d":1}');
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});
