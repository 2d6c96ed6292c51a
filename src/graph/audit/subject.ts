import { relative } from "node:path";
import type { Policy, Target } from "../../permissions/policy.ts";
import { isRecord } from "../../skills/record.ts";
import type { Tool } from "../../tools/tool.ts";
import { parseInput, type Toolbox } from "../../tools/toolbox.ts";
import { toPlace } from "../judge.ts";
import type { PendingCall, State } from "../state.ts";
import { toLine } from "./line.ts";

/** Keys of the inputs of tools that touch nothing a rule's pattern could name. */
const SPOKEN_KEYS = ["question", "name", "query", "summary"];

/** Where a call is judged. */
export interface SubjectPlace {
  toolbox: Pick<Toolbox, "get">;
  policy: Pick<Policy, "workspace">;
  active: State["active"];
}

/** What a call is for, on one line: the command, the path or the address that the rules look at, else its input. */
export function toSubject(
  { tool: name, input }: Pick<PendingCall, "tool" | "input">,
  place: SubjectPlace,
): string {
  const tool = place.toolbox.get(name);
  const target = tool && findTarget(tool, input, place);
  return toLine(target ? toText(target, place.policy.workspace) : "") || describeInput(input);
}

function findTarget(tool: Tool, input: unknown, { policy, active }: SubjectPlace): Target | undefined {
  const parsed = parseInput(tool, input as Record<string, unknown>);
  if (!parsed.ok) return undefined;
  const readableFolders = active.map(({ directory }) => directory);
  try {
    return tool.target(parsed.input, toPlace({ workspace: policy.workspace, readableFolders }, { active }));
  } catch {
    return undefined; // A path that leads out of the workspace: what was written says more.
  }
}

function toText(target: Target, workspace: string): string {
  switch (target.kind) {
    case "command":
      return target.command;
    case "path": {
      const inside = relative(workspace, target.path);
      return inside.startsWith("..") ? target.path : inside || ".";
    }
    case "url":
      return target.url;
    case "none":
      return "";
  }
}

function describeInput(input: unknown): string {
  if (!isRecord(input)) return toLine(JSON.stringify(input) ?? "");
  const keys = Object.keys(input);
  if (keys.length === 0) return "";
  const spoken = ["command", "path", "file_path", "url", ...SPOKEN_KEYS].find(
    (key) => typeof input[key] === "string",
  );
  return toLine(spoken === undefined ? JSON.stringify(input) : String(input[spoken]));
}
