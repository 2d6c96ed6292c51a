import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { listScripts } from "../resources.ts";
import { readRegularFile } from "../snapshot.ts";

/** The largest script that is read, in bytes. */
const SCRIPT_LIMIT = 256 * 1024;

/** A script of a skill, as text. */
export interface Script {
  path: string;
  text: string;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The files under `scripts` that are text and not too large. */
export function readScripts(directory: string): Script[] {
  if (!existsSync(join(directory, "scripts"))) return [];
  return listScripts(directory).flatMap((name) => {
    const path = join(directory, name);
    const text = readText(path);
    return text === undefined ? [] : [{ path, text }];
  });
}

function readText(path: string): string | undefined {
  try {
    if (statSync(path).size > SCRIPT_LIMIT) return undefined;
    const text = utf8.decode(readRegularFile(path));
    return text.includes("\0") ? undefined : text;
  } catch {
    // A program in another form than text, or one that may not be read: the skill's own text is judged all the same.
    return undefined;
  }
}
