import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it that are missing. Node's own recursive way never comes back where a parent
 * says "no such file" to everything, as below `/proc`.
 *
 * @param mode - Permissions of each folder that is made. Default 0700.
 * @throws The system's error for the first folder that cannot be made.
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
