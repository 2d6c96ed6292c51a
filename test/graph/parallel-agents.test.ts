import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { SkillAgent } from "../../src/index.ts";
import { createScriptedAgent } from "../support/agent.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const config = () => ({ configurable: { thread_id: crypto.randomUUID() } });

/** Two agents side by side in a graph of the caller's, each with a file to write; both ask. */
async function askBoth(around: (agent: SkillAgent) => unknown = (agent) => agent) {
  const workspace = createWorkspace();
  const builder = new StateGraph(MessagesAnnotation);
  for (const name of ["a", "b"]) {
    const call = { id: `w-${name}`, name: "Write", arguments: { path: name, content: name } };
    const { agent } = await createScriptedAgent(workspace, [{ calls: [call] }, { text: "Done." }], {
      checkpointer: false,
    });
    builder.addNode(name, around(agent) as never).addEdge(START, name as never);
  }
  return { workspace, ...(await begin(builder)) };
}

async function begin(builder: unknown) {
  const parent = (builder as StateGraph<typeof MessagesAnnotation>).compile({
    checkpointer: new MemorySaver(),
  });
  const place = config();
  const answer = (resume: unknown) => parent.invoke(new Command({ resume }), place);
  /** Ids of the open questions, by the order of the agents' names. */
  const readIds = async () =>
    (await parent.getState(place)).tasks
      .sort((one, other) => one.name.localeCompare(other.name))
      .map(({ interrupts }) => interrupts[0]?.id ?? "");
  const goOn = () => parent.invoke(null, place);
  await parent.invoke({ messages: [new HumanMessage("go")] }, place);
  return { answer, readIds, goOn };
}

const written = (workspace: Workspace) => ["a", "b"].filter((path) => workspace.exists(path));

/** The agent inside one more graph. */
function inGraph(agent: SkillAgent) {
  return new StateGraph(MessagesAnnotation)
    .addNode("inner", agent as never)
    .addEdge(START, "inner")
    .compile();
}

describe.each([
  ["nodes of a parent graph", undefined],
  ["nodes of graphs inside it", inGraph],
])("two agents that ask at once as %s", (_name, around) => {
  it("D3: a plain answer is refused with the list of questions, and answers none of them", async () => {
    const { answer, readIds, workspace } = await askBoth(around);
    const ids = await readIds();
    expect(ids).toHaveLength(2);
    const list = [...ids].sort().join(".*");
    const told = new RegExp(`^2 questions are open on .*, so a plain answer is for none of them..*${list}`);
    for (const plain of [true, "yes", { decisions: [{ type: "approve" }] }]) {
      await expect(answer(plain)).rejects.toMatchObject({
        code: "answer-invalid",
        message: expect.stringMatching(told),
      });
    }
    expect(written(workspace)).toEqual([]);
    expect(await readIds()).toEqual(ids);
  });

  it("D3: a map by id is taken, also after a plain answer was refused, and each gets its own", async () => {
    const { answer, readIds, workspace } = await askBoth(around);
    const [a = "", b = ""] = await readIds();
    await expect(answer(true)).rejects.toMatchObject({ code: "answer-invalid" });
    await answer({ [a]: false, [b]: true });
    expect(written(workspace)).toEqual(["b"]);
  });

  it("D3: a map with one of the ids leaves the other one open, and then a plain answer is for that one", async () => {
    const { answer, readIds, workspace } = await askBoth(around);
    const [a = ""] = await readIds();
    await answer({ [a]: true });
    expect(written(workspace)).toEqual(["a"]);
    await answer(true);
    expect(written(workspace)).toEqual(["a", "b"]);
  });
});

describe("a plain answer that was refused", () => {
  it.each([
    ["nodes of a parent graph", undefined],
    ["nodes of graphs inside it", inGraph],
  ])(
    "D3: is not taken later, when one question is left and the graph goes on without an answer: %s",
    async (_name, around) => {
      const { answer, readIds, workspace, goOn } = await askBoth(around);
      await expect(answer(true)).rejects.toMatchObject({ code: "answer-invalid" });
      await goOn();
      const [a = ""] = await readIds();
      await answer({ [a]: true });
      expect(written(workspace)).toEqual(["a"]);
      await goOn();
      await goOn();
      expect(written(workspace)).toEqual(["a"]);
      await answer(true);
      expect(written(workspace)).toEqual(["a", "b"]);
    },
  );
});

it("D2: two agents whose own tools ask and take their time get their own answer, once", async () => {
  const entered: string[] = [];
  const results: string[] = [];
  const builder = new StateGraph(MessagesAnnotation);
  for (const name of ["a", "b"]) {
    const own = tool(
      async () => {
        entered.push(name);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
        const answer = String(interrupt(`Name ${name}?`));
        results.push(`${name}=${answer}`);
        return answer;
      },
      { name: "confirm", description: "Asks.", schema: z.object({}) },
    );
    const { agent } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [{ id: `c-${name}`, name: "confirm", arguments: {} }] }, { text: "Done." }],
      { checkpointer: false, tools: [own], permissions: { allow: ["confirm"] } },
    );
    builder.addNode(name, agent as never).addEdge(START, name as never);
  }
  const { answer, readIds } = await begin(builder);
  const [a = "", b = ""] = await readIds();
  await expect(answer("either")).rejects.toThrow(/^2 questions are open on thread /);
  await answer({ [b]: "beta" });
  expect([...entered].sort()).toEqual(["a", "b", "b"]);
  await answer({ [a]: "alpha" });
  expect(results).toEqual(["b=beta", "a=alpha"]);
});
