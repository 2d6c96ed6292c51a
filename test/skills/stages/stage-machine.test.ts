import { describe, expect, it } from "vitest";
import type { Stage, Wizard } from "../../../src/skills/stages/stage.ts";
import {
  advance,
  findStage,
  listResults,
  type StageEvent,
  startWizard,
  type WizardState,
} from "../../../src/skills/stages/stage-machine.ts";

const version = {
  type: "object",
  required: ["version"],
  properties: { version: { type: "string" }, count: { type: "integer" } },
};

function toStage(id: string, needs: string[], change: Partial<Stage> = {}): Stage {
  return {
    id,
    title: id,
    gate: "approve",
    allowedTools: [],
    restrict: false,
    needs,
    maxAttempts: 2,
    text: id,
    ...change,
  };
}

function toWizard(...changes: Partial<Stage>[]): Wizard {
  const ids = ["inspect", "plan", "apply"];
  const stages = ids.map((id, index) => toStage(id, ids.slice(0, index), changes[index]));
  return { intro: "", stages };
}

function run(wizard: Wizard, ...events: StageEvent[]): WizardState {
  return events.reduce((state, event) => {
    const outcome = advance(wizard, state, event);
    if ("error" in outcome) throw new Error(outcome.error);
    return outcome.state;
  }, startWizard(wizard));
}

function errorOf(wizard: Wizard, state: WizardState, event: StageEvent): string | undefined {
  const outcome = advance(wizard, state, event);
  return "error" in outcome ? outcome.error : undefined;
}

const done: StageEvent = { type: "hand-over", summary: "Done." };
const approve: StageEvent = { type: "approve" };

describe("the way through a wizard", () => {
  it("each stage waits at its gate, and the last one ends it", () => {
    const wizard = toWizard();
    expect(startWizard(wizard)).toEqual({
      stage: "inspect",
      status: "working",
      results: [],
      attempts: 0,
      failures: [],
    });
    expect(run(wizard, done)).toMatchObject({
      stage: "inspect",
      status: "gate",
      handed: { summary: "Done." },
    });
    const state = run(wizard, done, approve);
    expect(state).toEqual({
      stage: "plan",
      status: "working",
      results: [{ id: "inspect", summary: "Done." }],
      attempts: 0,
      failures: [],
    });
    const end = run(wizard, done, approve, done, approve, done, approve);
    expect(end).toMatchObject({ stage: "apply", status: "finished" });
    expect(end.results.map(({ id }) => id)).toEqual(["inspect", "plan", "apply"]);
  });

  it("the gate none asks nobody", () => {
    const wizard = toWizard({ gate: "none" }, { gate: "none" }, { gate: "none" });
    expect(run(wizard, done)).toMatchObject({ stage: "plan", status: "working" });
    expect(run(wizard, done, done, done).status).toBe("finished");
  });

  it("an edit replaces the output, reads text by the schema, and must fit", () => {
    const wizard = toWizard({ output: version });
    const handOver: StageEvent = { type: "hand-over", summary: "S", output: { version: "1" } };
    const state = run(wizard, handOver, { type: "edit", output: { version: "2", count: "3" } });
    expect(state.results).toEqual([{ id: "inspect", summary: "S", output: { version: "2", count: 3 } }]);
    expect(errorOf(wizard, run(wizard, handOver), { type: "edit", output: { version: 2 } })).toBe(
      'The output of the stage "inspect" does not fit: "version": must be string, got 2.',
    );
  });

  it("an edit of a stage without a schema changes the summary where that is all there is", () => {
    const wizard = toWizard();
    expect(run(wizard, done, { type: "edit", output: { summary: "Better." } }).results).toEqual([
      { id: "inspect", summary: "Better." },
    ]);
    expect(run(wizard, done, { type: "edit", output: { a: 1 } }).results).toEqual([
      { id: "inspect", summary: "Done.", output: { a: 1 } },
    ]);
  });

  it("a rejection sends the stage back with the words, which stay until the stage is approved", () => {
    const wizard = toWizard();
    const rejected = run(wizard, done, { type: "reject", message: "Shorter." });
    expect(rejected).toEqual({ ...startWizard(wizard), feedback: "Shorter." });
    expect(run(wizard, done, { type: "reject", message: "Shorter." }, done).feedback).toBe("Shorter.");
    expect(
      run(wizard, done, { type: "reject", message: "Shorter." }, done, approve).feedback,
    ).toBeUndefined();
    expect(run(wizard, done, { type: "reject" }).feedback).toBe("");
  });

  it("failures are counted, and the last allowed one asks a person, who cannot approve", () => {
    const wizard = toWizard({ maxAttempts: 5 });
    const fails = ["a", "b", "c", "d"].map((reason): StageEvent => ({ type: "fail", reason }));
    expect(run(wizard, ...fails)).toMatchObject({
      status: "working",
      attempts: 4,
      failures: ["b", "c", "d"],
    });
    const asked = run(wizard, ...fails, { type: "fail", reason: "e" });
    expect(asked).toMatchObject({ status: "gate", attempts: 5, failures: ["c", "d", "e"] });
    expect(asked.handed).toBeUndefined();
    expect(errorOf(wizard, asked, approve)).toBe(
      'The stage "inspect" waits at its gate, where approve is not possible. Possible now: edit, reject, goto.',
    );
    expect(run(wizard, ...fails, { type: "fail", reason: "e" }, { type: "edit", output: 1 })).toMatchObject({
      stage: "plan",
      results: [{ id: "inspect", summary: "Written by the person.", output: 1 }],
    });
    const again = run(wizard, ...fails, { type: "fail", reason: "e" }, { type: "reject", message: "x" });
    expect(again).toMatchObject({ status: "working", attempts: 0, failures: [] });
    expect(run(wizard, ...fails, done)).toMatchObject({ status: "gate", attempts: 0, failures: [] });
  });

  it("a stage that asks nobody asks after its failures too", () => {
    const wizard = toWizard({ gate: "none", maxAttempts: 1 });
    expect(run(wizard, { type: "fail", reason: "a" }).status).toBe("gate");
  });
});

describe("a gate with a form", () => {
  it("the form completes the output, which may be handed over in part", () => {
    const wizard = toWizard({ gate: "form", output: version });
    const handOver: StageEvent = { type: "hand-over", summary: "S", output: { count: 1 } };
    const state = run(wizard, handOver);
    expect(errorOf(wizard, state, approve)).toContain("Possible now: answer, reject, goto.");
    expect(errorOf(wizard, state, { type: "answer", values: { count: "x" } })).toContain(
      '"version": is missing',
    );
    expect(run(wizard, handOver, { type: "answer", values: { version: "1", count: "2" } }).results).toEqual([
      { id: "inspect", summary: "S", output: { version: "1", count: 2 } },
    ]);
    const whole: StageEvent = { type: "hand-over", summary: "S", output: { version: "1" } };
    expect(run(wizard, whole, approve).stage).toBe("plan");
    const failed: StageEvent = { type: "fail", reason: "x" };
    expect(
      run(wizard, failed, failed, { type: "answer", values: { version: "1" } }).results[0]?.output,
    ).toEqual({
      version: "1",
    });
  });

  it("a form of its own must be answered, and its values stand beside the output", () => {
    const form = {
      type: "object",
      required: ["yes"],
      properties: { yes: { type: "boolean" }, days: { type: "integer", default: 3 } },
    };
    const wizard = toWizard({ gate: "form", form, output: version });
    const handOver: StageEvent = { type: "hand-over", summary: "S", output: { version: "1" } };
    const state = run(wizard, handOver);
    expect(errorOf(wizard, state, approve)).toContain("approve is not possible");
    expect(errorOf(wizard, state, { type: "answer", values: {} })).toBe(
      'The form of the stage "inspect": "yes": is missing.',
    );
    expect(errorOf(wizard, startWizard(wizard), { type: "hand-over", summary: "S" })).toContain(
      "does not fit",
    );
    const answer: StageEvent = { type: "answer", values: { yes: "true" } };
    const result = { id: "inspect", summary: "S", output: { version: "1" }, answer: { yes: true, days: 3 } };
    expect(run(wizard, handOver, answer).results).toEqual([result]);
    const edit: StageEvent = { type: "edit", output: { version: "2" } };
    expect(errorOf(wizard, state, edit)).toContain("Possible now: answer, reject, goto.");
    const failed: StageEvent = { type: "fail", reason: "x" };
    expect(errorOf(wizard, run(wizard, failed, failed), answer)).toContain(
      "Possible now: edit, reject, goto.",
    );
    expect(run(wizard, failed, failed, edit)).toMatchObject({
      status: "gate",
      handed: { output: { version: "2" } },
    });
    expect(run(wizard, failed, failed, edit, answer).results[0]?.output).toEqual({ version: "2" });
  });

  it("a form that is complete as it is shown is taken by a plain yes, with its defaults", () => {
    const output = {
      type: "object",
      required: ["size", "color"],
      properties: { size: { type: "integer" }, color: { type: "string", default: "red" } },
    };
    const wizard = toWizard({ gate: "form", output });
    const handOver = (value: unknown): StageEvent => ({ type: "hand-over", summary: "S", output: value });
    expect(run(wizard, handOver({ size: 1 }), approve).results[0]?.output).toEqual({ size: 1, color: "red" });
    expect(errorOf(wizard, run(wizard, handOver({})), approve)).toContain("approve is not possible");
  });

  it("a question that is withdrawn leaves no feedback, and the stage is completed again", () => {
    const wizard = toWizard();
    const state = run(wizard, done, { type: "withdraw" });
    expect(state).toMatchObject({ stage: "inspect", status: "working", attempts: 0 });
    expect(state.feedback).toBeUndefined();
    expect(state.handed).toBeUndefined();
  });

  it("elsewhere there is nothing to answer", () => {
    const wizard = toWizard();
    expect(errorOf(wizard, run(wizard, done), { type: "answer", values: {} })).toContain(
      "answer is not possible",
    );
  });
});

describe("going back and stopping", () => {
  it("going back makes the results from there on stale, and their gates close again", () => {
    const wizard = toWizard();
    const back = run(wizard, done, approve, done, approve, { type: "goto", stage: "plan" });
    expect(back).toMatchObject({ stage: "plan", status: "working" });
    expect(back.results).toEqual([
      { id: "inspect", summary: "Done." },
      { id: "plan", summary: "Done.", stale: true },
    ]);
    const again = run(
      wizard,
      done,
      approve,
      done,
      approve,
      { type: "goto", stage: "inspect" },
      done,
      approve,
    );
    expect(again).toMatchObject({ stage: "plan", status: "working" });
    expect(listResults(wizard, again, wizard.stages[2]!)).toEqual([{ id: "inspect", summary: "Done." }]);
  });

  it("it is possible at work, at a gate and when all is complete", () => {
    const wizard = toWizard();
    const all = [done, approve, done, approve, done, approve];
    for (const count of [2, 3, 6]) {
      expect(run(wizard, ...all.slice(0, count), { type: "goto", stage: "inspect" })).toMatchObject({
        stage: "inspect",
        status: "working",
      });
    }
    const feedback = run(wizard, done, { type: "reject", message: "x" }, { type: "goto", stage: "inspect" });
    expect(feedback.feedback).toBeUndefined();
  });

  it("a later stage, and one that is not known, are refused with the choices", () => {
    const wizard = toWizard();
    const state = run(wizard, done, approve);
    expect(errorOf(wizard, state, { type: "goto", stage: "apply" })).toBe(
      '"apply" is not reached yet. goto can name: inspect, plan, __end__.',
    );
    expect(errorOf(wizard, state, { type: "goto", stage: "toString" })).toBe(
      '"toString" is no stage of the wizard. goto can name: inspect, plan, __end__.',
    );
  });

  it("the end stops it, and nothing follows", () => {
    const wizard = toWizard();
    const state = run(wizard, done, { type: "goto", stage: "__end__" });
    expect(state.status).toBe("stopped");
    for (const after of [done, approve, { type: "goto", stage: "inspect" }] as StageEvent[]) {
      expect(errorOf(wizard, state, after)).toBe("The wizard was stopped; nothing can follow.");
    }
  });

  it("what is not possible now says what is", () => {
    const wizard = toWizard();
    expect(errorOf(wizard, startWizard(wizard), approve)).toBe(
      'The stage "inspect" is still being worked on; approve is possible at its gate. Possible now: goto.',
    );
    expect(errorOf(wizard, run(wizard, done), done)).toContain(
      "hand-over is not possible. Possible now: approve, edit",
    );
    const finished = run(wizard, done, approve, done, approve, done, approve);
    expect(errorOf(wizard, finished, done)).toBe(
      "All stages are complete; only goto to a stage is possible.",
    );
    expect(errorOf(wizard, finished, { type: "goto", stage: "__end__" })).toContain(
      "is no stage of the wizard",
    );
    expect(errorOf(wizard, { ...finished, stage: "gone" }, done)).toBe(
      'The wizard has no stage "gone". Stages: inspect, plan, apply.',
    );
  });

  it("a stage is found in any Unicode form, and none by a name of JavaScript", () => {
    const wizard = { intro: "", stages: [toStage("\u00e9tape", [])] };
    expect(findStage(wizard, "e\u0301tape")?.id).toBe("\u00e9tape");
    expect(findStage(wizard, "constructor")).toBeUndefined();
  });

  it("only the results that a stage needs are listed, in the order of the stages", () => {
    const wizard = toWizard({}, {}, { needs: ["plan"] });
    const state = run(wizard, done, approve, done, approve);
    expect(listResults(wizard, state, wizard.stages[2]!).map(({ id }) => id)).toEqual(["plan"]);
  });
});

describe("whatever happens, in whatever order", () => {
  it("no gate is passed without a person, no two are open, no stale result is used, no state is changed", () => {
    const random = createRandom(20_240_501);
    const seen = { steps: 0, passed: 0, finished: 0, stale: 0, refused: 0 };
    for (let walk = 0; walk < 400; walk += 1) {
      const wizard = createWizard(random);
      let state = startWizard(wizard);
      for (let step = 0; step < 60; step += 1) {
        const event = createEvent(random, wizard);
        const before = JSON.stringify(state);
        const outcome = advance(wizard, state, event);
        expect(JSON.stringify(state)).toBe(before);
        if ("error" in outcome) {
          expect(outcome.error).not.toBe("");
          seen.refused += 1;
          continue;
        }
        checkStep(wizard, state, event, outcome.state, seen);
        state = outcome.state;
        seen.steps += 1;
      }
    }
    expect(seen.steps).toBeGreaterThan(4_000);
    for (const count of [seen.passed, seen.finished, seen.stale, seen.refused])
      expect(count).toBeGreaterThan(100);
  });
});

function checkStep(
  wizard: Wizard,
  before: WizardState,
  event: StageEvent,
  after: WizardState,
  seen: Record<"passed" | "finished" | "stale", number>,
): void {
  const ids = wizard.stages.map(({ id }) => id);
  const [from, to] = [ids.indexOf(before.stage), ids.indexOf(after.stage)];
  const stage = wizard.stages[from]!;
  const current = wizard.stages[to]!;
  const isFinished = after.status === "finished";
  const valid = after.results.filter(({ stale }) => !stale).map(({ id }) => id);
  // What counts is exactly what lies behind the current stage.
  expect(valid).toEqual(ids.slice(0, isFinished ? ids.length : to));
  expect(new Set(after.results.map(({ id }) => id)).size).toBe(after.results.length);
  expect(listResults(wizard, after, current).map(({ id }) => id)).toEqual(
    ids.filter((id) => current.needs.includes(id)),
  );
  // One step forward at most, and only past the stage's own gate.
  expect(to - from).toBeLessThanOrEqual(1);
  const isPassed = to > from || (isFinished && before.status !== "finished");
  if (isPassed) {
    seen.passed += 1;
    if (event.type === "hand-over") expect([stage.gate, before.status]).toEqual(["none", "working"]);
    else {
      expect(["approve", "edit", "answer"]).toContain(event.type);
      expect(before.status).toBe("gate");
    }
    if (event.type === "approve") expect(before.handed).toBeDefined();
    const result = after.results.find(({ id }) => id === stage.id);
    if (stage.output) expect(result?.output).toMatchObject({ n: expect.any(Number) });
    if (stage.gate === "form" && stage.form && event.type !== "hand-over") {
      expect(result?.answer).toMatchObject({ ok: expect.any(Boolean) });
    }
  } else if (event.type !== "goto") expect(to).toBe(from);
  if (after.handed) expect(after.status).toBe("gate");
  if (after.status === "gate" && !after.handed)
    expect(after.attempts).toBeGreaterThanOrEqual(current.maxAttempts);
  if (after.status === "working") expect(after.attempts).toBeLessThan(current.maxAttempts);
  if (event.type === "goto") expect(to).toBeLessThanOrEqual(from);
  expect(before.status).not.toBe("stopped");
  expect(after.failures.length).toBeLessThanOrEqual(3);
  if (isFinished) seen.finished += 1;
  if (after.results.some(({ stale }) => stale)) seen.stale += 1;
}

type Random = (limit: number) => number;

// mulberry32: small, and the same walk every time.
function createRandom(seed: number): Random {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

function createWizard(random: Random): Wizard {
  const ids = ["a", "b", "c", "d", "e"].slice(0, 1 + random(5));
  const output = { type: "object", required: ["n"], properties: { n: { type: "number" } } };
  const form = { type: "object", required: ["ok"], properties: { ok: { type: "boolean" } } };
  const stages = ids.map((id, index) =>
    toStage(
      id,
      ids.slice(0, index).filter(() => random(2) === 0),
      {
        gate: (["approve", "form", "none"] as const)[random(3)]!,
        maxAttempts: 1 + random(3),
        ...(random(2) === 0 ? { output } : {}),
        ...(random(2) === 0 ? { form } : {}),
      },
    ),
  );
  return { intro: "", stages };
}

function createEvent(random: Random, wizard: Wizard): StageEvent {
  const value = [{ n: 1 }, { n: "2" }, { n: "x" }, {}, undefined, "text", { ok: "yes" }, { ok: true, n: 3 }][
    random(8)
  ];
  const output = value === undefined ? {} : { output: value };
  const targets = [...wizard.stages.map(({ id }) => id), "nowhere"];
  const choice = random(40);
  if (choice < 14) return { type: "hand-over", summary: "S", ...output };
  if (choice < 19) return { type: "fail", reason: "F" };
  if (choice < 26) return { type: "approve" };
  if (choice < 30) return { type: "edit", output: value };
  if (choice < 35) return { type: "answer", values: value };
  if (choice < 37) return { type: "reject", ...(random(2) === 0 ? { message: "M" } : {}) };
  if (choice < 39) return { type: "goto", stage: targets[random(targets.length)]! };
  const rare: StageEvent[] = [{ type: "withdraw" }, { type: "goto", stage: "__end__" }];
  return rare[random(6)] ?? { type: "goto", stage: targets[0]! };
}
