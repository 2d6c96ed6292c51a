import type { ResolvedModel } from "../model/resolve.ts";
import type { Policy } from "../permissions/decide.ts";
import type { Catalog } from "../skills/catalog.ts";
import type { Sandbox } from "../tools/sandbox/sandbox.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { TrustDesk } from "./loading/trust.ts";

/** The policy as the runtime knows it; the graph adds the folders of the skills at each decision. */
export type BasePolicy = Omit<Policy, "skillFolders" | "readableFolders">;

/** A model for one call, and a word about it when the wanted one could not be had. */
export interface ChosenModel extends ResolvedModel {
  diagnostic?: string;
}

/** Which model is wanted: by the skill or its stage, and instead of the session's by the run's context. */
export interface WantedModel {
  skill?: string;
  session?: string;
}

/** In the description of the `Skill` tool, or in the system prompt, with the place of each SKILL.md. */
export type CatalogPlace = "tool" | "system-prompt";

/** Go on with the stored text, ask a person, or read the new one. */
export type DriftMode = "pin" | "ask" | "refresh";

/** Everything the nodes need. Built by the runtime, wired in `graph.ts`. */
export interface GraphParts {
  /** Looks for changes; files that did not change are not read again. */
  refreshCatalog: () => Catalog;
  /** The catalog as it was last seen. */
  catalog: () => Catalog;
  /** Says whether a skill is what a person trusts. */
  trust: TrustDesk;
  toolbox: Toolbox;
  /** The session's model, or the one that a skill's `model` maps to. */
  chooseModel: (wanted: WantedModel) => Promise<ChosenModel>;
  /** True when the session's model, or the one named in its place, chooses skills from words alone. */
  guesses: (session?: string) => boolean;
  /** A wizard that every new thread is worked through, unless the run's context names another. */
  wizard?: string;
  policy: BasePolicy;
  /** Folders in which skills are looked for, there or not: whoever writes there writes a skill. */
  skillPlaces: string[];
  environment: Record<string, string>;
  /** How commands are confined, tried at the first one; neither key is there where they are not. */
  sandbox: () => Promise<{ sandbox?: Sandbox; missing?: string }>;
  /** Hosts that may be fetched from although their addresses are private. */
  privateHosts: string[];
  /** Real path of the project, for which rules are added. */
  project: string;
  /** Adds allow rules to the person's settings for this project, and to the policy. Twice is as good as once. */
  rememberRules: (rules: string[]) => void;
  outputFolder: string;
  systemPrompt: string;
  /** True when gates that say `auto` are opened without a person. */
  autoGates: boolean;
  /** Model calls of one run. */
  maxSteps: number;
  /** Characters of the catalog in a request; absent for a share of the model's window. */
  listingBudget?: number;
  /** Where the model reads the catalog. */
  catalogPlace: CatalogPlace;
  /** What becomes of an active skill whose files changed; absent when nobody chose. */
  drift?: DriftMode;
  /** Characters of history in one request. */
  historyBudget: number;
}
