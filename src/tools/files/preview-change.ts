import { isUtf8 } from "node:buffer";
import { lstatSync, readFileSync } from "node:fs";
import { findProtection } from "../../permissions/places/protected.ts";
import { type Place, resolvePath, toShownPath } from "../workspace.ts";
import { createPatch } from "./patch.ts";

/** More than a person looks through. */
const MAX_BYTES = 1024 * 1024;

/**
 * What a call would change of a file that is there, as a patch; undefined for one that is new, large, no text, or
 * that may hold secrets, which are not kept elsewhere.
 *
 * @param change makes the new text of the old one; where it throws, nothing would be changed
 */
export function previewChange(
  path: string,
  place: Place,
  change: (before: string) => string,
): string | undefined {
  try {
    const real = resolvePath(path, place, "write");
    const { workspace } = place;
    if (findProtection(real, { workspace, skillFolders: [] }, "read") !== undefined) return undefined;
    const stat = lstatSync(real, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || stat.size > MAX_BYTES) return undefined;
    const bytes = readFileSync(real);
    if (bytes.includes(0) || !isUtf8(bytes)) return undefined;
    const before = bytes.toString("utf8");
    const after = change(before);
    if (before === after) return undefined;
    const shown = toShownPath(real, workspace);
    return createPatch(shown, `${shown} (changed)`, before, after);
  } catch {
    return undefined; // The call fails, too, and says why.
  }
}
