import { createSkillAgent } from "../src/index.ts";

/** The agent pinned to one wizard; another one is a matter of the assistant's context. */
export const graph = await createSkillAgent({ checkpointer: false, wizard: "release" });
