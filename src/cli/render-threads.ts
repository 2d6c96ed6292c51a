import type { ReviewRequest } from "../graph/review/request.ts";
import type { SkillRecord } from "../graph/skill-state.ts";
import type { ThreadSummary } from "../runtime/threads/list-threads.ts";
import { renderCall } from "./render-request.ts";
import { renderStageTitle } from "./render-stage.ts";
import { toSafeLine } from "./safe-text.ts";

/** Longest part of a task in a list, in characters. */
const TASK_LIMIT = 50;
/** Longest reason why a thread cannot be read. */
const FAULT_LIMIT = 500;

/** A thread in a list: one line, and under it how far its wizard has come and what is asked when it waits. */
export function renderThread(summary: ThreadSummary): string {
  const { thread, status, updatedAt, name, skill, stage, task, running, request, progress, fault } = summary;
  const about = [
    skill === undefined ? "" : toSafeLine(stage === undefined ? skill : `${skill}/${stage}`),
    name === undefined ? "" : toSafeLine(JSON.stringify(name)),
    task === undefined ? "" : toSafeLine(task, TASK_LIMIT),
  ];
  const state = (running ? "running" : status).padEnd(8);
  const line = [thread, state, updatedAt, ...about.filter((part) => part !== "")].join("  ").trimEnd();
  const under = [
    ...(progress ? [toSafeLine(progress.line)] : []),
    ...(request ? [`asks: ${renderAsked(request)}`] : []),
    ...(fault === undefined ? [] : [toSafeLine(fault, FAULT_LIMIT)]),
  ];
  return [line, ...under.map((text) => `  ${text}`), ""].join("\n");
}

const WAYS = {
  name: "named at the beginning of a message",
  mention: "mentioned in a message",
  preset: "set for the thread",
  tool: "by a call of Skill",
  read: "by reading its SKILL.md",
  activate: "by a call of a tool of its name",
} as const;

/** What happened to a skill, in one line. */
export function renderRecord({ type, name, tokens, by, way, version, files = [] }: SkillRecord): string {
  const about = [
    version === undefined ? "" : `version ${version}`,
    type === "unloaded" ? `${tokens} tokens less` : `${tokens} tokens`,
    `by the ${by}`,
    way === undefined ? "" : WAYS[way],
    files.length === 0 ? "" : files.join(", "),
  ];
  return toSafeLine(`${type}: ${name} (${about.filter((part) => part !== "").join("; ")})`, 1000);
}

/** What a thread asks, in one line. */
export function renderAsked({ items }: ReviewRequest): string {
  const first = Array.isArray(items) ? items[0] : undefined;
  if (!first) return "for an answer";
  if (first.kind === "stage")
    return toSafeLine(`${renderStageTitle(first)}: ${first.summary ?? ""}`.replace(/: $/, ""));
  const isCall = first.kind === "call" || first.kind === "outcome";
  const asked = isCall ? renderCall(first.name, first.args) : toSafeLine(first.description);
  const unknown = first.kind === "outcome" ? " (its end is not known)" : "";
  return `${asked}${unknown}${items.length > 1 ? ` (and ${items.length - 1} more)` : ""}`;
}
