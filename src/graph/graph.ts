import { START, StateGraph } from "@langchain/langgraph";
import {
  actPaths,
  afterAct,
  afterObserve,
  afterReview,
  afterRoute,
  observePaths,
  reviewPaths,
  routePaths,
} from "./edges.ts";
import { createActNode } from "./nodes/act.ts";
import { createLoadSkillNode } from "./nodes/load-skill.ts";
import { createObserveNode } from "./nodes/observe.ts";
import { createReviewNode } from "./nodes/review.ts";
import { createRouteNode } from "./nodes/route.ts";
import { withOnlyChanges } from "./only-changes.ts";
import type { GraphParts } from "./parts.ts";
import { contextSchema, inputSchema, stateChannels, stateSchema } from "./state.ts";
import { withProgress } from "./wizard/progress.ts";

/** The graph: one loop over plain nodes. Compile it with {@link compileGraph} of `compile.ts`. */
export function createGraph(parts: GraphParts) {
  const watched = (name: Parameters<typeof withProgress>[0], node: Parameters<typeof withProgress>[1]) =>
    withOnlyChanges(withProgress(name, node, parts));
  const builder = new StateGraph({ state: stateSchema, input: inputSchema, context: contextSchema });
  Object.assign(builder.channels, stateChannels());
  return builder
    .addNode(
      "route",
      watched("route", createRouteNode(parts)),
      about("Decides which skills to load, and lists the others."),
    )
    .addNode(
      "load-skill",
      watched("load-skill", createLoadSkillNode(parts)),
      about("Reads a chosen skill and makes it active."),
    )
    .addNode("act", watched("act", createActNode(parts)), about("Makes exactly one model call."))
    .addNode(
      "observe",
      watched("observe", createObserveNode(parts)),
      about("Runs the allowed calls and records their results."),
    )
    .addNode(
      "review",
      watched("review", createReviewNode(parts)),
      about("Waits for a person; nothing else does."),
    )
    .addEdge(START, "route")
    .addEdge("load-skill", "act")
    .addConditionalEdges("route", afterRoute, routePaths)
    .addConditionalEdges("act", afterAct, actPaths)
    .addConditionalEdges("observe", afterObserve, observePaths)
    .addConditionalEdges("review", afterReview, reviewPaths);
}

function about(description: string) {
  return { metadata: { description } };
}
