import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * What is measured. Each loads its library, so that loading can be timed apart, and says how a model asks it to
 * read the notes and how a graph is made of a model and a saver.
 */
export const contenders = {
  skillgraph: loadOurs,
  deepagents: loadDeepAgents,
  plain: (job) => loadPlain(job, false),
  "plain-delta": (job) => loadPlain(job, true),
};

async function loadOurs({ entry, workspace, skills }) {
  const { createSkillAgent } = await import(entry);
  return {
    call: { name: "Read", args: { path: "notes.md" } },
    create: (model, checkpointer) =>
      createSkillAgent({
        model,
        checkpointer,
        cwd: workspace,
        ...(skills ? { skills: [skills] } : {}),
        permissions: { allow: ["Read"] },
        maxSteps: 100_000,
      }),
  };
}

async function loadDeepAgents({ workspace, skills }) {
  const { createDeepAgent, FilesystemBackend } = await import("deepagents");
  const toBackendPath = (folder) => `${folder.slice(workspace.length)}/`;
  return {
    call: { name: "read_file", args: { file_path: "/notes.md" } },
    create: (model, checkpointer) =>
      createDeepAgent({
        model,
        checkpointer,
        backend: new FilesystemBackend({ rootDir: workspace, virtualMode: true }),
        ...(skills ? { skills: [toBackendPath(skills)] } : {}),
      }),
  };
}

/** LangGraph's own loop of a model and its tools, with the messages in the plain or in the delta channel. */
async function loadPlain({ workspace }, isDelta) {
  const { MessagesDeltaValue, StateSchema } = await import("@langchain/langgraph");
  const { createReactAgent } = await import("@langchain/langgraph/prebuilt");
  const { tool } = await import("@langchain/core/tools");
  const { z } = await import("zod");
  const read = tool(({ path }) => readFile(join(workspace, path), "utf8"), {
    name: "Read",
    description: "Read a text file.",
    schema: z.object({ path: z.string() }),
  });
  const stateSchema = isDelta ? new StateSchema({ messages: MessagesDeltaValue }) : undefined;
  return {
    call: { name: "Read", args: { path: "notes.md" } },
    create: (llm, checkpointer) =>
      createReactAgent({ llm, tools: [read], checkpointer, ...(isDelta ? { stateSchema } : {}) }),
  };
}
