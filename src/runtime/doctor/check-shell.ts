import { join } from "node:path";
import { toMessage } from "../../errors.ts";
import { reduceEnvironment } from "../../tools/process/environment.ts";
import { runCommand } from "../../tools/process/run-command.ts";
import type { Settings } from "../settings.ts";
import type { Check } from "./check.ts";

const COMMAND = `printf '%s\\n' "$BASH_VERSION"; command -v git > /dev/null && git --version`;
const TIMEOUT_MS = 10_000;

/** Whether commands can run, and what they find: asked of the shell itself, as a skill's command would be run. */
export async function checkShell(settings: Settings): Promise<Check[]> {
  const { workspace, environment, stateFolder } = settings;
  try {
    const { output } = await runCommand({
      command: COMMAND,
      cwd: workspace,
      environment: reduceEnvironment(environment, workspace),
      timeoutMs: TIMEOUT_MS,
      outputFolder: join(stateFolder, "output"),
    });
    const [bash = "", git = ""] = output.text.split("\n");
    return [
      bash === ""
        ? { name: "bash", status: "warning", text: "there is no bash, so commands run with sh" }
        : { name: "bash", status: "ok", text: bash },
      git.startsWith("git ")
        ? { name: "git", status: "ok", text: git.replace(/^git version /, "") }
        : { name: "git", status: "warning", text: "there is no git on the PATH that commands see" },
    ];
  } catch (error) {
    return [{ name: "bash", status: "error", text: toMessage(error) }];
  }
}
