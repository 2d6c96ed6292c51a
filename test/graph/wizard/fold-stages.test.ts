import { describe, expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import type { ChatRequest } from "../../support/openai-server.ts";
import { complete, stageText, tripFiles } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const read = (id: string, path: string) => ({ calls: [{ id, name: "Read", arguments: { path } }] });
const rome = { places: ["Rome"] };
const planned = { days: 2, route: "by train" };

/** All that the model sees of the thread, the calls too. */
function seenIn(request: ChatRequest | undefined): string {
  return JSON.stringify(request?.body.messages);
}

/** `weigh` needs nothing of `look`, and `pack` nothing but `weigh`. */
const packFiles = {
  "skills/pack/SKILL.md": skillText({ name: "pack", description: "Packs in stages." }, "INTRO"),
  "skills/pack/stages/1-look.md": stageText(["title: Look"], "LOOK"),
  "skills/pack/stages/2-weigh.md": stageText(["title: Weigh", "needs: []"], "WEIGH"),
  "skills/pack/stages/3-pack.md": stageText(["title: Pack", "needs: [weigh]"], "PACK"),
  "look.txt": "SEEN BY LOOK",
  "weigh.txt": "SEEN BY WEIGH",
};

describe("a stage sees the work that it needs, and no other", () => {
  it("what a stage does not need is left out with its calls, also in a new process; a person's words stay", async () => {
    const { agent, server, reopen } = await createScriptedAgent(createWorkspace(packFiles), [
      { text: "Hello there." },
      read("r1", "look.txt"),
      complete("s1", { seen: "OUTPUT OF LOOK" }),
      complete("s1b", { seen: "SECOND OUTPUT OF LOOK" }),
      read("r2", "weigh.txt"),
      complete("s2", { kilos: "OUTPUT OF WEIGH" }),
      complete("s3"),
      { text: "All done." },
    ]);
    const { end } = await send(agent, "hi");
    await send(agent, "/pack", { thread: end.thread });
    // A message while the gate is open withdraws its question, and the same stage goes on.
    await send(agent, "only small things", { thread: end.thread });
    await answer(await reopen(), end.thread, { reply: true });
    const weigh = seenIn(server.requests[4]);
    for (const text of ["Hello there.", "/pack", "only small things", "INTRO", "WEIGH"])
      expect(weigh).toContain(text);
    for (const text of ["SEEN BY LOOK", "OUTPUT OF LOOK", "LOOK"]) expect(weigh).not.toContain(text);
    await answer(await reopen(), end.thread, { reply: true });
    const pack = seenIn(server.requests[6]);
    for (const text of ["SEEN BY WEIGH", "OUTPUT OF WEIGH", "only small things", "PACK"])
      expect(pack).toContain(text);
    for (const text of ["SEEN BY LOOK", "OUTPUT OF LOOK"]) expect(pack).not.toContain(text);
    expect((await answer(agent, end.thread, { reply: true })).end.answer).toBe("All done.");
    // When all is complete, the model tells of all of it; and people can look back at all of it at any time.
    expect(seenIn(server.requests[7])).toContain("SEEN BY LOOK");
    const { values } = await agent.getState({ configurable: { thread_id: end.thread } });
    expect(JSON.stringify(values.messages)).toContain("SEEN BY LOOK");
    server.assertDone();
  });

  it("a stage that needs all of the earlier ones sees all of them", async () => {
    const files = { ...tripFiles, "look.txt": "SEEN BY LOOK" };
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      read("r1", "look.txt"),
      complete("s1", rome),
      complete("s2", planned),
    ]);
    const { end } = await send(agent, "/trip");
    await answer(agent, end.thread, { reply: true });
    expect(seenIn(server.requests[2])).toContain("SEEN BY LOOK");
    server.assertDone();
  });

  it("a stage that is sent back sees what it did", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace({ ...packFiles }), [
      read("r1", "look.txt"),
      complete("s1", { seen: "FIRST" }),
      complete("s2", { seen: "SECOND" }),
    ]);
    const { end } = await send(agent, "/pack");
    await answer(agent, end.thread, { reply: { decisions: [{ type: "reject", message: "Look closer." }] } });
    const again = seenIn(server.requests[2]);
    for (const text of ["SEEN BY LOOK", "FIRST", "Look closer."]) expect(again).toContain(text);
    server.assertDone();
  });
});

describe("after going back", () => {
  it("what was made from the old work is seen by nobody; the stage itself sees what it did", async () => {
    const { agent, server, reopen } = await createScriptedAgent(createWorkspace(tripFiles), [
      complete("s1", { places: ["ROME"] }),
      complete("s2", { days: 2, route: "BY-TRAIN" }),
      complete("s3", { places: ["OSLO"] }),
      complete("s4", { days: 3, route: "BY-SHIP" }),
      complete("s5"),
      { text: "Booked." },
    ]);
    const { end } = await send(agent, "/trip");
    await answer(agent, end.thread, { reply: true });
    await answer(await reopen(), end.thread, { reply: { goto: "look" } });
    const look = seenIn(server.requests[2]);
    expect(look).toContain("ROME");
    expect(look).not.toContain("BY-TRAIN");
    await answer(await reopen(), end.thread, { reply: true });
    const plan = seenIn(server.requests[3]);
    expect(plan).toContain("OSLO");
    for (const text of ["ROME", "BY-TRAIN"]) expect(plan).not.toContain(text);
    expect((await answer(agent, end.thread, { reply: true })).end.answer).toBe("Booked.");
    for (const request of server.requests.slice(4)) {
      for (const text of ["OSLO", "BY-SHIP"]) expect(seenIn(request)).toContain(text);
      for (const text of ["ROME", "BY-TRAIN"]) expect(seenIn(request)).not.toContain(text);
    }
    server.assertDone();
  });

  it("what does not depend on the stage is kept, and the wizard goes on behind it", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(packFiles), [
      complete("s1", { seen: "FIRST" }),
      complete("s2", { kilos: "WEIGHED" }),
      complete("s3"),
      complete("s4", { seen: "SECOND" }),
      complete("s5"),
    ]);
    const { end } = await send(agent, "/pack");
    await answer(agent, end.thread, { reply: true });
    await answer(agent, end.thread, { reply: true });
    await answer(agent, end.thread, { reply: { goto: "look" } });
    const next = await answer(agent, end.thread, { reply: true });
    expect(next.end.request?.items[0]).toMatchObject({ stage: "pack", number: 3 });
    const pack = seenIn(server.requests[4]);
    expect(pack).toContain("WEIGHED");
    for (const text of ["FIRST", "SECOND"]) expect(pack).not.toContain(text);
    server.assertDone();
  });

  it("a turn of several calls is left out whole when a person goes back from one of them", async () => {
    const files = { ...tripFiles, "note.txt": "READ FOR THE PLAN" };
    const bash = (id: string) => ({ id, name: "Bash", arguments: { command: `rm ${id}.txt` } });
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      complete("s1", rome),
      { calls: [{ id: "r1", name: "Read", arguments: { path: "note.txt" } }, bash("b1"), bash("b2")] },
      complete("s2", { places: ["OSLO"] }),
    ]);
    const { end } = await send(agent, "/trip");
    const asked = await answer(agent, end.thread, { reply: true });
    expect(asked.end.request?.items.map(({ id }) => id)).toEqual(["b1", "b2"]);
    await answer(agent, end.thread, { reply: { goto: "look" } });
    const look = seenIn(server.requests[2]);
    expect(look).toContain("Rome");
    expect(look).not.toContain("READ FOR THE PLAN");
    server.assertDone();
  });
});

describe("a wizard among other work", () => {
  it("a second wizard sees what the first one did, and folds its own stages only", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace({ ...tripFiles, ...packFiles }), [
      complete("s1", { places: ["ROME"] }),
      complete("s2", { days: 2, route: "BY-TRAIN" }),
      complete("s3"),
      { text: "Booked." },
      complete("s4", { seen: "OUTPUT OF LOOK" }),
      complete("s5"),
    ]);
    const { end } = await send(agent, "/trip");
    await answer(agent, end.thread, { reply: true });
    await answer(agent, end.thread, { reply: true });
    await send(agent, "/pack", { thread: end.thread });
    await answer(agent, end.thread, { reply: true });
    const weigh = seenIn(server.requests[5]);
    for (const text of ["ROME", "BY-TRAIN", "Booked."]) expect(weigh).toContain(text);
    expect(weigh).not.toContain("OUTPUT OF LOOK");
    server.assertDone();
  });

  it("a skill that a stage loaded keeps its text when that stage is left out", async () => {
    const files = {
      ...packFiles,
      "skills/help/SKILL.md": skillText({ name: "help", description: "Helps." }, "HELP TEXT"),
    };
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      { calls: [{ id: "k1", name: "Skill", arguments: { name: "help" } }] },
      complete("s1", { seen: "OUTPUT OF LOOK" }),
      complete("s2"),
    ]);
    const { end } = await send(agent, "go\n\n$pack");
    await answer(agent, end.thread, { reply: true });
    const weigh = seenIn(server.requests[2]);
    expect(weigh).toContain("HELP TEXT");
    expect(weigh).not.toContain("OUTPUT OF LOOK");
    // After what the person said, and not before it.
    expect(weigh.indexOf("HELP TEXT")).toBeGreaterThan(weigh.indexOf("$pack"));
    expect(weigh.indexOf("WEIGH")).toBeGreaterThan(weigh.indexOf("$pack"));
    server.assertDone();
  });
});
