import type { SkillAgentOptions } from "../../src/index.ts";
import { loadSettings } from "../../src/runtime/settings.ts";
import { surveyProject } from "../../src/runtime/trust/survey-project.ts";
import { setTrust } from "../../src/runtime/trust/trust.ts";
import type { Workspace } from "./workspace.ts";

/** Trusts a workspace with its skills as they are now, as `skillgraph trust` does. */
export function trustWorkspace({ folder, environment }: Workspace): void {
  const settings = loadSettings({ cwd: folder, environment, trust: true });
  setTrust(settings.configFolder, folder, true, surveyProject([settings], folder).folders);
}

/** For `createScriptedAgent`: what was recorded counts, and no flag. */
export const asRecorded = { trust: undefined } as unknown as SkillAgentOptions;
