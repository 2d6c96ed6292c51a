import { type Catalog, loadCatalog } from "../skills/catalog.ts";
import type { Settings } from "./settings.ts";

/** The catalog of everything the settings' roots hold. Reads headers only. */
export function openCatalog(settings: Pick<Settings, "roots">): Catalog {
  return loadCatalog(settings.roots);
}
