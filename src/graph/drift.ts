import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { hasDrifted } from "../skills/snapshot.ts";
import { readWizard } from "../skills/stages/read-wizard.ts";
import { emitEvent } from "./events.ts";
import type { State } from "./state.ts";

/** Tells of active skills whose files are no longer those that were loaded. */
export function reportDrift(state: State, config: LangGraphRunnableConfig): void {
  for (const { name, path, directory, digest, wizard } of state.active) {
    const isOther = hasDrifted({ name, path }, digest);
    const stages =
      wizard && !isOther ? readWizard({ name, path, directory, metadata: {} }, { asked: true }) : undefined;
    if (isOther || (stages && stages.digest !== wizard?.digest)) {
      emitEvent(config, { type: "skill-drifted", name, path, choice: "pin", files: [] });
    }
  }
}
