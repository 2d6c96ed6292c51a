import { describe, expect, it } from "vitest";
import { toFields } from "../../../src/skills/stages/read-wizard.ts";

describe("the placeholders of what stages handed over", () => {
  it("text stands for itself, numbers and switches for their text, all else for JSON", () => {
    const output = {
      version: "1.2.0",
      count: 3,
      dry: false,
      none: null,
      files: [{ path: "a b" }],
      empty: {},
    };
    expect(Object.fromEntries(toFields([{ id: "plan", summary: "Planned.", output }]))).toEqual({
      "{plan.version}": "1.2.0",
      "{plan.count}": "3",
      "{plan.dry}": "false",
      "{plan.none}": "null",
      "{plan.files}": '[{"path":"a b"}]',
      "{plan.files.0}": '{"path":"a b"}',
      "{plan.files.0.path}": "a b",
      "{plan.empty}": "{}",
      "{plan.summary}": "Planned.",
      "{plan.output}": JSON.stringify(output),
    });
  });

  it("fields of the output come before those of the result", () => {
    const fields = toFields([
      { id: "a", summary: "S", output: { summary: "own", answer: 1 } },
      { id: "b", summary: "S", output: "text", answer: { yes: true } },
    ]);
    expect(fields.get("{a.summary}")).toBe("own");
    expect(fields.get("{a.answer}")).toBe("1");
    expect(fields.get("{b.summary}")).toBe("S");
    expect(fields.get("{b.output}")).toBe("text");
    expect(fields.get("{b.answer.yes}")).toBe("true");
  });

  it("what a person filled in is never a field of the model's output", () => {
    const output = { answer: { target: "model", other: "model" }, answers: "model" };
    const fields = toFields([{ id: "ask", summary: "S", output, answer: { target: "person" } }]);
    expect(fields.get("{ask.answer.target}")).toBe("person");
    expect(fields.get("{ask.answer}")).toBe('{"target":"person"}');
    expect(fields.has("{ask.answer.other}")).toBe(false);
    expect(fields.get("{ask.answers}")).toBe("model");
    const plain = toFields([{ id: "ask", summary: "S", output: { answer: "model" }, answer: "person" }]);
    expect(plain.get("{ask.answer}")).toBe("person");
  });

  it("four names deep at most, own ones only, and none that no placeholder could spell", () => {
    const output = { a: { b: { c: { d: { e: 1 } } } }, "with blank": 1, "a.b": 1, 'q"': 1 };
    const names = [...toFields([{ id: "x", summary: "", output }]).keys()];
    expect(names).toContain("{x.a.b.c.d}");
    expect(names.filter((name) => /\.e}|blank|"/.test(name))).toEqual([]);
    expect(toFields([{ id: "x", summary: "", output }]).get("{x.a.b}")).toBe('{"c":{"d":{"e":1}}}');
    expect(names.some((name) => /constructor|__proto__|length/.test(name))).toBe(false);
  });

  it("stale results make none", () => {
    expect(toFields([{ id: "a", summary: "S", stale: true }]).size).toBe(0);
  });

  it("a huge list neither takes the place of other fields nor grows without end", () => {
    const files = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const fields = toFields([
      { id: "scan", summary: "S", output: { files, last: "x" } },
      { id: "plan", summary: "P", output: { version: "1" } },
    ]);
    expect(fields.size).toBeLessThan(2100);
    expect([fields.get("{scan.last}"), fields.get("{plan.version}"), fields.get("{scan.summary}")]).toEqual([
      "x",
      "1",
      "S",
    ]);
    expect(fields.get("{scan.files.0}")).toBe('{"index":0}');
  });
});
