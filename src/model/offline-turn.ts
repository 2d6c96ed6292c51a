/** A tool as it was bound to the model. */
export interface BoundTool {
  name: string;
  description: string;
}

/** What the model says in one turn, and the call that it makes, if any. */
export interface PlannedTurn {
  text: string;
  calls: { name: string; input: Record<string, unknown> }[];
  /** True when what was to be done failed or was refused. */
  failed?: true;
}

/** A turn that only speaks. */
export function say(text: string): PlannedTurn {
  return { text, calls: [] };
}

/** A turn that speaks and ends the work as failed. */
export function fail(text: string): PlannedTurn {
  return { text, calls: [], failed: true };
}

/** Whether the model was given a tool of this name. */
export function hasTool(tools: BoundTool[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}
