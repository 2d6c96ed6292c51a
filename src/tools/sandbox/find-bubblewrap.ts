import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { reduceEnvironment } from "../process/environment.ts";

/**
 * The program `bwrap` on the PATH, but never one that the workspace holds.
 *
 * @param environment that of this process
 * @param workspace a real path
 */
export function findBubblewrap(
  environment: Record<string, string | undefined>,
  workspace: string,
): string | undefined {
  const { PATH = "" } = reduceEnvironment(environment, workspace);
  return PATH.split(delimiter)
    .map((folder) => join(folder, "bwrap"))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
