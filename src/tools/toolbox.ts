import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { toToolName } from "../permissions/rule.ts";
import { findNearest } from "../skills/nearest.ts";
import { isRecord } from "../skills/record.ts";
import { askUserTool } from "./ask-user.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import type { Tool } from "./tool.ts";
import { createWebFetchTool } from "./web-fetch.ts";
import { writeTool } from "./write.ts";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const PREVIEW_CHARACTERS = 80;
const MAX_FAULTS = 5;

/** The tools of a run, by name. */
export interface Toolbox {
  /** A tool by its name or by another name that public skills use for it. */
  get(name: string): Tool | undefined;
  list(): Tool[];
  /** Names that are written like this one, best first. */
  nearest(name: string): string[];
}

/** An input that fits its tool, or what the model should change. */
export type ParsedInput = { ok: true; input: unknown } | { ok: false; message: string };

/**
 * The built-in tools `Read`, `Write`, `Edit`, `Glob`, `Grep`, `Bash`, `WebFetch` and `AskUser`, with others beside
 * or in place of them.
 *
 * @param extra - Further tools; one that bears a built-in name replaces the built-in.
 * @returns Lookup by name.
 * @throws SkillgraphError `usage` for a name that models refuse, that stands twice, or that is an alias.
 */
export function createToolbox(extra: readonly Tool[] = []): Toolbox {
  checkNames(extra);
  const builtIn = [
    readTool,
    writeTool,
    editTool,
    globTool,
    grepTool,
    bashTool,
    createWebFetchTool(),
    askUserTool,
  ];
  const tools = new Map([...builtIn, ...extra].map((tool) => [tool.name, tool]));
  return {
    get: (name) => tools.get(name) ?? tools.get(toToolName(name)),
    list: () => [...tools.values()],
    nearest: (name) => findNearest(name, [...tools.keys()]),
  };
}

/**
 * Reads the arguments of a call. Keys the tool does not know are ignored, other names of a key are normalised.
 *
 * @param tool - The tool that was called.
 * @param raw - The arguments as the model sent them.
 * @returns The input for `target` and `run`, or a message that names each wrong field, what was expected and
 *   a preview of what came.
 */
export function parseInput(tool: Tool, raw: unknown): ParsedInput {
  if (!isRecord(raw)) {
    return { ok: false, message: `${tool.name} takes an object, not ${toPreview(raw)}. ${toUsage(tool)}` };
  }
  const parsed = tool.input.safeParse(raw, { reportInput: true });
  if (parsed.success) return { ok: true, input: parsed.data };
  const faults = parsed.error.issues.slice(0, MAX_FAULTS).map(toFault);
  return { ok: false, message: `${tool.name} was not run: ${faults.join("; ")}. ${toUsage(tool)}` };
}

const schemas = new WeakMap<Tool, Record<string, unknown>>();

/** What a tool takes, as JSON Schema. */
export function toInputSchema(tool: Tool): Record<string, unknown> {
  const known = schemas.get(tool);
  if (known) return known;
  const made = tool.jsonSchema ?? z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" });
  const { $schema: _dialect, ...schema } = made as Record<string, unknown>;
  schemas.set(tool, schema);
  return schema;
}

function checkNames(extra: readonly Tool[]): void {
  const seen = new Set<string>();
  for (const { name } of extra) {
    if (!NAME.test(name)) {
      throw new SkillgraphError("usage", `Tool name "${name}" does not match ${NAME.source}.`);
    }
    // A rule for an alias is a rule for its tool, so nothing else may answer to that name.
    if (toToolName(name) !== name) {
      throw new SkillgraphError("usage", `Tool name "${name}" is another name of ${toToolName(name)}.`);
    }
    if (seen.has(name)) throw new SkillgraphError("usage", `Two tools are named "${name}".`);
    seen.add(name);
  }
}

function toFault(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? "the input" : `"${issue.path.map(String).join(".")}"`;
  if (issue.input === undefined && issue.code === "invalid_type") {
    return `${field} is missing (expected ${issue.expected})`;
  }
  const message = issue.message.replace(/^Invalid input: /, "");
  return `${field}: ${message}, got ${toPreview(issue.input)}`;
}

function toPreview(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > PREVIEW_CHARACTERS
    ? `${text.slice(0, PREVIEW_CHARACTERS)}… (${text.length} characters)`
    : text;
}

function toUsage(tool: Tool): string {
  const { properties, required: names } = toInputSchema(tool);
  const required = new Set(Array.isArray(names) ? names : []);
  const keys = Object.entries(isRecord(properties) ? properties : {}).map(([key, property]) => {
    const type = isRecord(property) && property.type !== undefined ? `: ${property.type}` : "";
    return `${key}${required.has(key) ? "" : "?"}${type}`;
  });
  return `Expected {${keys.join(", ")}}.`;
}
