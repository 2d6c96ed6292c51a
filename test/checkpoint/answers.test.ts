import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { describeStores, type OpenStore } from "./stores.ts";
import { onThread, readTogether } from "./test-graph.ts";

const conflict = { code: "thread-conflict" };

/** Asks one question in a node of its own, then acts on the answer. */
function createAskingGraph(saver: OpenStore["saver"], act: (answer: string) => void) {
  const state = Annotation.Root({ answer: Annotation<string>(), acted: Annotation<string>() });
  return new StateGraph(state)
    .addNode("ask", () => ({ answer: interrupt<string, string>("May I?") }))
    .addNode("act", ({ answer }) => {
      act(answer);
      return { acted: answer };
    })
    .addEdge(START, "ask")
    .addEdge("ask", "act")
    .addEdge("act", END)
    .compile({ checkpointer: saver })
    .withConfig({ durability: "sync" } as never);
}

describeStores(({ open }) => {
  describe("answers", () => {
    it("D7: of two answers at once, one is acted on and the other gets thread-conflict", async () => {
      const { saver } = await open();
      const acted: string[] = [];
      const graph = createAskingGraph(saver, (answer) => acted.push(answer));
      await graph.invoke({}, onThread("t"));
      readTogether(saver, 2);
      const settled = await Promise.allSettled([
        graph.invoke(new Command({ resume: "yes" }), onThread("t")),
        graph.invoke(new Command({ resume: "no" }), onThread("t")),
      ]);
      expect(settled.find((run) => run.status === "rejected")?.reason).toMatchObject(conflict);
      const won = settled.find((run) => run.status === "fulfilled")?.value.answer;
      expect(acted).toEqual([won]);
      expect((await graph.getState(onThread("t"))).values).toEqual({ answer: won, acted: won });
    });

    it("D7: a second answer to the same checkpoint id is refused as already answered", async () => {
      const { saver } = await open();
      const acted: string[] = [];
      const graph = createAskingGraph(saver, (answer) => acted.push(answer));
      await graph.invoke({}, onThread("t"));
      const asked = (await graph.getState(onThread("t"))).config.configurable?.checkpoint_id;
      await graph.invoke(new Command({ resume: "yes" }), onThread("t", asked));
      const second = graph.invoke(new Command({ resume: "no" }), onThread("t", asked));
      await expect(second).rejects.toMatchObject({
        ...conflict,
        message: expect.stringContaining("already answered"),
      });
      expect(acted).toEqual(["yes"]);
      expect((await graph.getState(onThread("t"))).values).toEqual({ answer: "yes", acted: "yes" });
    });

    it("a run resumed after a pause goes on from the head", async () => {
      const { saver, place } = await open();
      await createAskingGraph(saver, () => undefined).invoke({}, onThread("t"));
      const acted: string[] = [];
      const later = createAskingGraph((await open(place)).saver, (answer) => acted.push(answer));
      expect(await later.invoke(new Command({ resume: "yes" }), onThread("t"))).toMatchObject({
        acted: "yes",
      });
      expect(acted).toEqual(["yes"]);
    });

    it("a question is asked again after a fork, and the new answer counts", async () => {
      const { saver } = await open();
      const acted: string[] = [];
      const graph = createAskingGraph(saver, (answer) => acted.push(answer));
      await graph.invoke({}, onThread("t"));
      const asked = (await graph.getState(onThread("t"))).config;
      await graph.invoke(new Command({ resume: "yes" }), onThread("t"));
      const fork = await graph.updateState(asked, null, "__copy__");
      await graph.invoke(null, fork);
      await graph.invoke(new Command({ resume: "no" }), onThread("t"));
      expect(acted).toEqual(["yes", "no"]);
      expect((await graph.getState(onThread("t"))).values).toMatchObject({ acted: "no" });
    });
  });

  describe("subgraphs", () => {
    function createNestedGraph(saver: OpenStore["saver"], isKept: boolean) {
      const state = Annotation.Root({
        log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
      });
      const inner = new StateGraph(state)
        .addNode("one", () => ({ log: ["one"] }))
        .addNode("ask", () => ({ log: [interrupt<string, string>("?")] }))
        .addEdge(START, "one")
        .addEdge("one", "ask")
        .addEdge("ask", END)
        .compile(isKept ? { checkpointer: true } : {});
      return new StateGraph(state)
        .addNode("before", () => ({ log: ["before"] }))
        .addNode("inner", inner)
        .addNode("after", () => ({ log: ["after"] }))
        .addEdge(START, "before")
        .addEdge("before", "inner")
        .addEdge("inner", "after")
        .addEdge("after", END)
        .compile({ checkpointer: saver })
        .withConfig({ durability: "sync" } as never);
    }

    it.each([false, true])(
      "pause, resume and time travel work in them (own history kept: %s)",
      async (isKept) => {
        const { saver } = await open();
        const graph = createNestedGraph(saver, isKept);
        const config = onThread("t");
        await graph.invoke({ log: ["start"] }, config);
        const asked = await graph.getState(config, { subgraphs: true });
        expect(asked.next).toEqual(["inner"]);
        const first = await graph.invoke(new Command({ resume: "yes" }), config);
        expect(first.log.slice(-2)).toEqual(["yes", "after"]);
        const history = [];
        for await (const snapshot of graph.getStateHistory(config)) history.push(snapshot);
        const old = history.find((snapshot) => snapshot.next[0] === "before");
        await graph.invoke(null, onThread("t", old?.config.configurable?.checkpoint_id));
        const again = await graph.invoke(new Command({ resume: "no" }), config);
        expect(again.log.slice(-2)).toEqual(["no", "after"]);
        await graph.invoke({ log: ["more"] }, config);
        expect((await graph.invoke(new Command({ resume: "third" }), config)).log.slice(-2)).toEqual([
          "third",
          "after",
        ]);
      },
    );

    it("of two runs that resume one subgraph at once, one is refused", async () => {
      const { saver } = await open();
      const graph = createNestedGraph(saver, false);
      await graph.invoke({ log: ["start"] }, onThread("t"));
      readTogether(saver, 2);
      const settled = await Promise.allSettled(
        ["yes", "no"].map((resume) => graph.invoke(new Command({ resume }), onThread("t"))),
      );
      expect(settled.map((run) => run.status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(settled.find((run) => run.status === "rejected")?.reason).toMatchObject(conflict);
    });
  });
});
