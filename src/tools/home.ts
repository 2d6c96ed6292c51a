import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { SkillgraphError } from "../errors.ts";

/**
 * The person's home folder. An empty or relative HOME would lead into the working folder, which may be anybody's:
 * then the account's home folder counts.
 *
 * @param named - What HOME says; that of this process by default.
 * @throws SkillgraphError `settings-invalid` when there is none.
 */
export function findHomeFolder(named?: string): string {
  try {
    const home = named ?? homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch (error) {
    // The account is not listed on this machine, as in some containers.
    const shown = named === undefined ? "not set to a folder" : JSON.stringify(named);
    const message = `HOME is ${shown}, and this account has no home folder. Set HOME to an absolute path.`;
    throw new SkillgraphError("settings-invalid", message, { cause: error });
  }
}
