import { SkillgraphError } from "../../errors.ts";
import { loadSettings } from "../../runtime/settings.ts";
import { listTrusted, setTrust } from "../../runtime/trust.ts";
import { exitCodes } from "../exit-code.ts";
import type { TrustFlags } from "../flags.ts";
import { toProgramName } from "../program-name.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, note, print } from "../screen.ts";

/**
 * `skillgraph trust`: trusts a folder, the current project by default, or takes the trust back.
 *
 * @throws SkillgraphError `usage` for a folder that is not there
 */
export async function trustFolder(folder: string | undefined, flags: TrustFlags): Promise<number> {
  const screen = createScreen();
  if (flags.list && (flags.remove || folder !== undefined)) {
    throw new SkillgraphError("usage", "--list shows what is trusted; it takes no folder and no --remove.");
  }
  const { configFolder, project } = loadSettings();
  if (flags.list) {
    const folders = listTrusted(configFolder);
    if (flags.json) screen.out.write(toJsonDocument({ folders }));
    else if (folders.length === 0) note(screen, "No folder is trusted.");
    else for (const entry of folders) print(screen, toSafeLine(entry, 4096));
    return exitCodes.finished;
  }
  const result = setTrust(configFolder, folder ?? project, !flags.remove);
  if (flags.json) {
    screen.out.write(toJsonDocument(result));
    return exitCodes.finished;
  }
  const state = result.trusted ? "trusted" : "not trusted";
  print(screen, `${toSafeLine(result.folder, 4096)} is ${result.changed ? "now" : "already"} ${state}.`);
  if (result.trusted)
    note(
      screen,
      `Its settings, skills and .env count from now on. Take it back with: ${toProgramName()} trust --remove`,
    );
  return exitCodes.finished;
}
