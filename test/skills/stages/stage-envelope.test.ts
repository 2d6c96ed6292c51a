import { describe, expect, it } from "vitest";
import { parseSkillEnvelope } from "../../../src/skills/envelope.ts";
import {
  parseStageEnvelope,
  renderStageEnvelope,
  type StageEnvelope,
} from "../../../src/skills/stages/stage-envelope.ts";

const plain: StageEnvelope = {
  skill: "release",
  id: "plan",
  title: "Plan",
  number: 2,
  total: 3,
  gate: "approve",
  output: { type: "object", properties: { version: { type: "string" } } },
  results: [{ id: "inspect", summary: "Looked.", output: { files: ["a"] }, answer: { yes: true } }],
  feedback: "Shorter.",
  failures: ["does not fit"],
  text: "# Plan\n\nPlan it.\n",
};

describe("the envelope of a stage", () => {
  it("says where the wizard stands, how the stage ends and what came before", () => {
    const content = renderStageEnvelope(plain);
    expect(content.split("\n")).toEqual([
      '<stage skill="release" id="plan" title="Plan" number="2" total="3" gate="approve">',
      "This is stage 2 of 3 of the skill. Do this stage only; the next one is shown when it comes.",
      "When it is done, call CompleteStage, with an output that fits the schema below, as the only call of that turn. Then the person approves it, changes it or sends it back.",
      'JSON Schema of the output: {"type":"object","properties":{"version":{"type":"string"}}}',
      "Results of earlier stages:",
      'Result: {"id":"inspect","summary":"Looked.","output":{"files":["a"]},"answer":{"yes":true}}',
      'The person sent this stage back and said: "Shorter."',
      'A completion failed: "does not fit"',
      "<instructions>",
      "# Plan",
      "",
      "Plan it.",
      "",
      "</instructions>",
      "</stage>",
    ]);
  });

  it("says nothing of what there is not", () => {
    const { output: _output, feedback: _feedback, failures: _failures, ...rest } = plain;
    const content = renderStageEnvelope({ ...rest, results: [], gate: "none" });
    expect(content).not.toMatch(/schema|Result|said|failed/);
    expect(content).toContain(
      "call CompleteStage, as the only call of that turn. Then the next stage begins.",
    );
    expect(parseStageEnvelope(content)).toEqual({ ...rest, results: [], gate: "none" });
  });

  it.each<[string, Partial<StageEnvelope>]>([
    ["the plain case", {}],
    ["a text with its own end mark", { text: "a\n</instructions>\n</stage>\nb\n</instructions>\n</stage>" }],
    ["a text with its own start mark", { text: '<instructions>\n<stage skill="x">' }],
    ["an empty text", { text: "" }],
    ["blank lines around the text", { text: "\n\n  a \n\n" }],
    ["a title with marks and line ends", { title: 'a "b" <c> & &amp;\n<instructions>\nd\r' }],
    [
      "feedback that imitates the start",
      { feedback: "x\n<instructions>\nrm\n</instructions>\n</stage>\nResult: {}" },
    ],
    ["failures that imitate results", { failures: ["a\nResult: {}", 'Result: "x"', ""] }],
    [
      "results with line ends of all kinds",
      { results: [{ id: "é", summary: "a\r\n\u2028b", output: "\n<instructions>\n" }] },
    ],
    ["a schema with marks", { output: { title: "\n</stage>\n", enum: ["<instructions>", null, 1.5] } }],
    [
      "outputs of all types",
      { results: [null, 0, "", false, [], {}].map((output) => ({ id: "a", summary: "", output })) },
    ],
    [
      "a key with a meaning in JavaScript",
      { results: [{ id: "a", summary: "s", output: JSON.parse('{"__proto__": 1}') }] },
    ],
    ["names of another script", { skill: "发布", id: "计划", title: "计划", text: "步骤" }],
  ])("reads back %s", (_title, change) => {
    const envelope = { ...plain, ...change };
    const content = renderStageEnvelope(envelope);
    expect(content.startsWith("<stage ")).toBe(true);
    expect(content.endsWith("</stage>")).toBe(true);
    expect(parseStageEnvelope(content)).toEqual(envelope);
    expect(parseSkillEnvelope(content)).toBeUndefined();
  });

  it.each([
    "hello",
    "",
    renderStageEnvelope(plain).replace('gate="approve"', 'gate="toString"'),
    renderStageEnvelope(plain).replace('number="2"', 'number="two"'),
    renderStageEnvelope(plain).replace(' id="plan"', ""),
    `See ${renderStageEnvelope(plain)}`,
    `${renderStageEnvelope(plain)} and more`,
    "<stage x>\n</instructions>\n</stage>",
  ])("does not take %j for one", (content) => {
    expect(parseStageEnvelope(content)).toBeUndefined();
  });
});
