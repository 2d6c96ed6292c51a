import { SkillgraphError } from "../errors.ts";
import { createSkillAgent, type SkillAgent } from "../runtime/agent.ts";
import { checkRules, findCheckpointFile } from "../runtime/doctor/check-rules.ts";
import { loadSettings, type Settings } from "../runtime/settings.ts";
import { isStoreThere } from "../runtime/store.ts";
import { type CommonFlags, toAgentOptions, toSettingsOptions } from "./flags.ts";

/** What an agent is opened for. */
export interface AgentUse {
  /** True when only threads that are kept matter: then nothing is made where nothing is. */
  isOnlyForKept?: boolean;
}

/**
 * The agent for the flags. What is wrong with the settings is told with the place it came from.
 *
 * @throws SkillgraphError `settings-invalid`, `checkpoint-url-invalid`, `checkpoint-unavailable` and the others
 * of `createSkillAgent`
 */
export async function openAgent(flags: CommonFlags, use: AgentUse = {}): Promise<SkillAgent> {
  const settings = loadSettings(toSettingsOptions(flags));
  const fault = checkRules(settings).find(({ severity }) => severity === "error");
  if (fault) throw new SkillgraphError("settings-invalid", `${fault.path}:${fault.line}: ${fault.message}`);
  try {
    const isEmpty = use.isOnlyForKept === true && !isStoreThere(settings);
    return await createSkillAgent({
      ...toAgentOptions(flags),
      ...(isEmpty ? { checkpoint: "memory:" } : {}),
    });
  } catch (error) {
    const place = findCheckpointPlace(flags, settings);
    if (!(error instanceof SkillgraphError) || !error.code.startsWith("checkpoint-") || !place) throw error;
    throw new SkillgraphError(error.code, `${place}: ${error.message}`, { cause: error });
  }
}

/** Who said where threads are kept; undefined when nobody did. */
function findCheckpointPlace(flags: CommonFlags, settings: Settings): string | undefined {
  if (settings.isDefaultCheckpoint) return undefined;
  if (flags.checkpoint !== undefined) return "--checkpoint";
  if (settings.environment.SKILLGRAPH_CHECKPOINT !== undefined) return "SKILLGRAPH_CHECKPOINT";
  return findCheckpointFile(settings);
}
