import { expect, it } from "vitest";
import { followRun, type StartRun, type Watcher } from "../../src/cli/follow.ts";
import { createTextRenderer } from "../../src/cli/render.ts";
import { SkillgraphError } from "../../src/errors.ts";
import type { SkillAgent } from "../../src/index.ts";
import { createTestScreen } from "../support/screen.ts";

const agent = {} as SkillAgent; // Nothing is answered.
const gone = new SkillgraphError(
  "checkpoint-unavailable",
  'Checkpoints in "db": the server cannot be reached.',
);
const busy = new SkillgraphError("thread-busy", 'Thread "t-1" is in use.');

function failWith(error: Error, isKept = true): StartRun {
  return async function* () {
    yield { type: "run-start", thread: "t-1", model: "offline", modelReason: "no key is set" };
    if (isKept) yield { type: "checkpoint", id: "c-1", step: 0 };
    throw error;
  };
}

function follow(start: StartRun, kept: Pick<Watcher, "carried">) {
  return followRun(agent, start, { renderer: createTextRenderer(createTestScreen()), ...kept });
}

it("a run whose store went away in the middle says how it goes on", async () => {
  await expect(follow(failWith(gone), { carried: "--allow" })).rejects.toMatchObject({
    code: "checkpoint-unavailable",
    message: `${gone.message} Once that is mended, go on with: skillgraph resume t-1 --allow`,
  });
});

it("a run that has no step yet, whose threads are not kept, or that failed otherwise says no such thing", async () => {
  await expect(follow(failWith(gone, false), { carried: "" })).rejects.toBe(gone);
  await expect(follow(failWith(gone), {})).rejects.toBe(gone);
  await expect(follow(failWith(busy), { carried: "" })).rejects.toBe(busy);
});
