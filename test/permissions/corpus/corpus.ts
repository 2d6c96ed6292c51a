import { CHAINS } from "./commands/chains.ts";
import { HARMLESS } from "./commands/harmless.ts";
import { HIDDEN } from "./commands/hidden.ts";
import { ODD } from "./commands/odd.ts";
import { PROGRAMS } from "./commands/programs.ts";
import { REDIRECTIONS } from "./commands/redirections.ts";
import { WRAPPERS } from "./commands/wrappers.ts";
import type { Entry } from "./entry.ts";

/** Every command of the corpus, in our own words. */
export const CORPUS: Entry[] = [
  ...HARMLESS,
  ...REDIRECTIONS,
  ...CHAINS,
  ...HIDDEN,
  ...WRAPPERS,
  ...PROGRAMS,
  ...ODD,
];
