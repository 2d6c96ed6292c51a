import { tool } from "@langchain/core/tools";
import { expect, it } from "vitest";
import { z } from "zod";
import { type RuntimeEvent, readThread, type SkillAgentOptions } from "../../../src/index.ts";
import { answer, createScriptedAgent, type RunResult, send } from "../../support/agent.ts";
import type { ScriptedTurn } from "../../support/openai-server.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

type Random = (count: number) => number;

/** Whole numbers below a count, the same ones for the same seed. */
function createRandom(seed: number): Random {
  let state = seed * 2_654_435_761 + 1;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)]!;

/** The command of a call names the call, so that what ran can be told from what is said to have run. */
const noteCommand = (id: string) => `bash note.sh ${id}`;

function createCall(random: Random, id: string) {
  return pick(random, [
    { id, name: "Bash", arguments: { command: noteCommand(id) } },
    { id, name: "shell", arguments: { command: noteCommand(id), requires_approval: false } },
    { id, name: "Bash", arguments: { command: `echo ${id} && ${noteCommand(id)}` } },
    { id, name: "Bash", arguments: { command: `X=$(${noteCommand(id)}) git status` } },
    { id, name: "pay", arguments: { to: id } },
    { id, name: "Skill", arguments: { name: pick(random, ["noter", "strict"]) } },
    { id, name: "UnloadSkill", arguments: { name: "noter" } },
    { id, name: "AskUser", arguments: { question: id } },
    { id, name: "nothing", arguments: {} },
  ]);
}

function createPermissions(random: Random): NonNullable<SkillAgentOptions["permissions"]> {
  const rules = ["Bash(bash note.sh:*)", "pay", "Bash(echo:*)", "Bash"];
  return {
    allow: rules.filter(() => random(3) === 0),
    ask: rules.filter(() => random(8) === 0),
    deny: rules.filter(() => random(8) === 0),
    mode: pick(random, ["ask", "ask", "ask", "deny", "allow"] as const),
  };
}

function createReply(random: Random, { end }: RunResult) {
  const items = end.request?.items ?? [];
  const decisions = items.slice(0, 1 + random(items.length)).map(({ kind, name, id }) => {
    if (kind === "question") return { type: "respond", message: "that one" };
    if (kind === "call" && name === "Bash" && random(4) === 0)
      return { type: "edit", edited_action: { name, args: { command: noteCommand(`${id}e`) } } };
    return pick(random, [{ type: "approve" }, { type: "approve" }, { type: "reject", message: "no" }]);
  });
  return { decisions };
}

/** Each tool body that was entered, with the last word on its call before. */
function listEntered(events: RuntimeEvent[]) {
  const last = new Map<string, { verdict: string; by: string; subject: string }>();
  return events.flatMap((event) => {
    if (event.type === "call-decided") last.set(event.id, event);
    return event.type === "tool-start" ? [{ ...event, decided: last.get(event.id) }] : [];
  });
}

it.each(Array.from({ length: 10 }, (_, index) => index + 1))(
  "no body is entered but after an allow by the rules or the mode, or a person's yes to that very input (seed %d)",
  async (seed) => {
    const random = createRandom(seed);
    const header = { name: "noter", description: "Notes.", "allowed-tools": "Bash(bash note.sh:*)" };
    const workspace = createWorkspace({
      "note.sh": 'echo "$1" >> log',
      "skills/noter/SKILL.md": skillText(header, "NOTE"),
      "skills/strict/SKILL.md": skillText(
        { name: "strict", description: "S.", "disallowed-tools": "pay" },
        "STRICT",
      ),
    });
    const paid: string[] = [];
    const pay = tool(
      async ({ to }: { to: string }) => {
        paid.push(to);
        return "paid";
      },
      { name: "pay", description: "Pays.", schema: z.object({ to: z.string() }) },
    );
    let count = 0;
    const script: ScriptedTurn[] = Array.from({ length: 5 }, () => {
      const calls = Array.from({ length: 1 + random(3) }, () => {
        count += 1;
        return createCall(random, `c${count}x`);
      });
      return { calls };
    });
    const options: SkillAgentOptions = { tools: [pay], permissions: createPermissions(random) };
    const { agent, reopen } = await createScriptedAgent(
      workspace,
      [...script, { text: "Done." }, { text: "Done." }],
      options,
    );
    let result = await send(agent, random(2) === 0 ? "/noter" : "go");
    const events = [...result.events];
    for (let tries = 0; result.end.status === "waiting" && tries < 60; tries += 1) {
      const other = random(3) === 0 ? { permissions: createPermissions(random) } : {};
      const reply = createReply(random, result);
      result = await answer(random(2) === 0 ? await reopen(other) : agent, result.end.thread, { reply });
      events.push(...result.events);
    }

    const entered = listEntered(events);
    expect(entered.length).toBeGreaterThan(0);
    for (const { id, tool: name, input, decided } of entered) {
      expect(decided, `${name} ${id}`).toBeDefined();
      expect(["allow", "approve", "edit"]).toContain(decided?.verdict);
      if (decided?.verdict !== "allow") expect(decided?.by).toBe("person");
      if (name === "Bash") expect(decided?.subject).toBe(input.command);
    }
    // What ran is what was said to run.
    const noted = workspace.exists("log") ? workspace.read("log").trim().split("\n") : [];
    const told = entered.flatMap(({ tool: name, input }) => {
      if (name === "pay") return [String(input.to)];
      return name === "Bash" && !String(input.command).startsWith("X=")
        ? [String(input.command).split(" ").at(-1)]
        : [];
    });
    const hidden = entered.filter(({ input }) => String(input.command).startsWith("X=")).map(({ id }) => id);
    expect([...noted, ...paid].filter((id) => !hidden.includes(id)).sort()).toEqual(told.sort());
    expect(new Set(entered.map(({ id }) => id)).size).toBe(entered.length);
    const { decisions } = await readThread(agent, result.end.thread);
    const kept = events.flatMap((event) => (event.type === "call-decided" ? [event] : []));
    expect(kept.map(({ type: _type, ...record }) => record)).toEqual(decisions);
  },
  60_000,
);
