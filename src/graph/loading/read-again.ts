import type { Catalog } from "../../skills/catalog.ts";
import { readCatalogFile } from "../../skills/discovery/catalog-file.ts";
import type { Skill } from "../../skills/schema.ts";

/**
 * A skill by its header as it is in its file now. The catalog may remember it from a file of the cache, which says
 * nothing about what a skill may do.
 *
 * @returns undefined when the header cannot be used any more
 */
export function readAgain(
  { path }: Pick<Skill, "path">,
  { files }: Pick<Catalog, "files">,
): Skill | undefined {
  const known = files.get(path);
  return known && readCatalogFile(known.file).skill;
}
