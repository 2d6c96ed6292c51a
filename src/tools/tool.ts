import type { z } from "zod";
import type { Target } from "../permissions/decide.ts";
import type { SkillSearch } from "../skills/listing/search.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/** Where a call runs and what it may use. Built by the graph for each call. */
export interface ToolContext {
  /** Real absolute path of the workspace: files are read and written only below it. */
  workspace: string;
  /** Real folders of the active skills: readable, never writable. */
  readableFolders: string[];
  /** Where a relative path that the workspace does not have is looked for when reading, the first one first. */
  relativeFolders?: string[];
  /** The environment that commands see; already reduced to an allow-list, without model keys. */
  environment: Record<string, string>;
  /** Where the full text of a capped output is written. */
  outputFolder: string;
  /**
   * True when the rules let this file be read without asking; Grep and Glob leave out the others. Takes a real
   * absolute path. Without it every file of the workspace is open.
   */
  mayRead?: (path: string) => boolean;
  /** How commands are confined; absent when they are not. */
  sandbox?: Sandbox;
  /** Why no command may run: a sandbox is required, and there is none. */
  sandboxMissing?: string;
  /** The real place that the rules said yes to: of a file, or the folder of a command. It is this one, or nothing. */
  decidedPath?: string;
  /** True when a person agreed to this very call, knowing what it touches. */
  approved?: boolean;
  /** True when the rules let this address be fetched without asking; for redirects. */
  mayFetch?: (url: string) => boolean;
  /** Hosts such as `localhost:3000` that may be fetched from although their addresses are private. */
  privateHosts?: string[];
  /** Finds skills that the model may know of. Absent where there are none. */
  searchSkills?: (query: string, limit: number) => SkillSearch;
  signal?: AbortSignal;
  /** The id of the call that is carried out. */
  callId?: string;
  /**
   * Told when a command's process group starts and ends, so that a later run can end what was left. A command begins
   * when its start is noted.
   */
  onProcessGroup?: (change: "start" | "end", group: ProcessGroup) => void | Promise<void>;
}

/** A process group by its leader, with the leader's start time so that a reused pid is not mistaken. */
export interface ProcessGroup {
  pid: number;
  startTime: string;
}

/** Something the model can call. `run` returns text for the model and may throw; a throw becomes an error result. */
export interface Tool<Input = unknown> {
  /** Canonical name, `[A-Za-z0-9_-]{1,64}`. */
  name: string;
  description: string;
  input: z.ZodType<Input>;
  /** What models are shown instead of the schema made from `input`. */
  jsonSchema?: Record<string, unknown>;
  /** What permission rules are matched against. Resolves links; throws for a path outside the workspace. */
  target: (
    input: Input,
    context: Pick<ToolContext, "workspace" | "readableFolders" | "relativeFolders">,
  ) => Target;
  /** What it would change of a file, as a patch; absent where that cannot be told. For the person who is asked. */
  preview?: (
    input: Input,
    context: Pick<ToolContext, "workspace" | "readableFolders" | "relativeFolders">,
  ) => string | undefined;
  /** True when it changes nothing: such calls run side by side. */
  readOnly: boolean;
  /** True when running it twice has the effect of running it once. */
  idempotent: boolean;
  /** True when `run` itself may ask a person by pausing the graph, as a caller's own tool can. */
  mayPause?: boolean;
  run: (input: Input, context: ToolContext) => Promise<string>;
}

/** Keeps a tool's own input type for its author and forgets it for the toolbox: callers parse with `input` first. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}
