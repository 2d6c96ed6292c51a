import { createSkillAgent, readModel } from "../src/index.ts";

/** The agent over every skill. The server brings the checkpointer and would replace one of ours unseen. */
export const graph = await createSkillAgent({ checkpointer: false });

const { name, reason } = readModel(graph);
process.stderr.write(`skillgraph: model ${name} (${reason})\n`);
