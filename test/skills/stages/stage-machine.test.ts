import { describe, expect, it } from "vitest";
import type { Stage, Wizard } from "../../../src/skills/stages/stage.ts";
import {
  advance,
  findStage,
  type StageEvent,
  startWizard,
  type WizardState,
} from "../../../src/skills/stages/stage-machine.ts";
import { listResults } from "../../../src/skills/stages/stage-results.ts";

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
    expect(run(wizard, done, { type: "reject", message: " \n" }).feedback).toBe("");
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

  it("what does not depend on the stage stays, and is not done twice", () => {
    const wizard = toWizard({}, { needs: [] }, { needs: ["inspect"] });
    const back = run(wizard, done, approve, done, approve, done, { type: "goto", stage: "inspect" });
    expect(back.results).toEqual([
      { id: "inspect", summary: "Done.", stale: true },
      { id: "plan", summary: "Done." },
    ]);
    expect(errorOf(wizard, back, { type: "goto", stage: "plan" })).toBe(
      '"plan" is done, and comes after "inspect". goto can name: inspect, __end__.',
    );
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
    expect(again).toMatchObject({ stage: "apply", status: "working" });
    const all: StageEvent[] = [done, approve, done, approve, done, approve];
    const end = run(wizard, ...all, { type: "goto", stage: "plan" }, done, approve);
    expect(end).toMatchObject({ stage: "apply", status: "finished" });
    expect(end.results.every(({ stale }) => !stale)).toBe(true);
  });

  it("what depends on it by way of another stage counts no more", () => {
    const wizard = toWizard({}, { needs: ["inspect"] }, { needs: ["plan"] });
    const all: StageEvent[] = [done, approve, done, approve, done, approve];
    const back = run(wizard, ...all, { type: "goto", stage: "inspect" });
    expect(back.results.map(({ stale }) => stale)).toEqual([true, true, true]);
  });

  it("a new result makes stale what was made from the one before, however it came there", () => {
    const wizard = toWizard({}, { needs: ["inspect"] }, { needs: [] });
    const results = ["plan", "apply"].map((id) => ({ id, summary: "Old." }));
    const outcome = advance(wizard, { ...run(wizard, done), results }, approve);
    expect(outcome).toMatchObject({ state: { stage: "plan", status: "working" } });
    expect("state" in outcome && outcome.state.results.map(({ stale }) => stale === true)).toEqual([
      false,
      true,
      false,
    ]);
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
