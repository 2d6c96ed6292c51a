import { toMessage } from "../errors.ts";
import {
  type Decision,
  decideCall,
  type Grant,
  listsTool,
  mayRead,
  type Policy,
  toGrant,
} from "../permissions/decide.ts";
import { toToolName } from "../permissions/rule.ts";
import type { Catalog } from "../skills/catalog.ts";
import type { Tool } from "../tools/tool.ts";
import { parseInput, type Toolbox } from "../tools/toolbox.ts";
import { fillFolder } from "./fill-folder.ts";
import type { GraphParts } from "./parts.ts";
import type { PendingCall, State } from "./state.ts";
import { findOpenWizard, type OpenWizard, openToolbox, readOpenWizard } from "./wizard.ts";

/** A call as the wire handed it over. `fault` says why it cannot be carried out at all. */
export interface RequestedCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  fault?: string;
}

/** What a verdict depends on besides the call. */
export interface Bench {
  parts: Pick<GraphParts, "toolbox" | "policy" | "skillPlaces" | "outputFolder">;
  catalog: Catalog;
  state: Pick<State, "active" | "texts">;
  /** Names of the skills that the model is offered; all when absent. */
  offered?: ReadonlySet<string>;
}

/** Turns what the model requested into pending calls: each will run, be asked, be loaded or is settled. */
export function judgeCalls(calls: RequestedCall[], bench: Bench): PendingCall[] {
  return calls.map((call) => {
    const isCompletion = calls.length > 1 && toToolName(call.name) === "CompleteStage";
    return judgeCall(isCompletion ? { ...call, fault: NOT_ALONE } : call, bench);
  });
}

const NOT_ALONE = "Not taken: call CompleteStage alone, after you have seen the results of the other calls.";

/**
 * The policy's verdict on a call whose input fits its tool. For a call that a person approved the mode deny
 * does not count: it says what becomes of questions, and this one is answered.
 */
export function decidePendingCall(tool: Tool, input: unknown, bench: Bench, approved = false): Decision {
  const policy = toPolicy(bench);
  if (approved && policy.mode === "deny") policy.mode = "ask";
  const target = tool.target(input, policy);
  // Whatever runs a command is decided by the rules for commands.
  const call = { tool: target.kind === "command" ? "Bash" : tool.name, target };
  if (call.tool !== tool.name) {
    const own = decideCall(policy, toGrants(bench), { tool: tool.name, target: { kind: "none" } });
    if (own.verdict === "deny") return own;
  }
  for (const limiting of listLimits(bench.state)) {
    const limit = decideCall(
      { ...policy, restrict: true, mode: "ask" },
      [toStageGrant(limiting, true)],
      call,
    );
    if (limit.verdict === "deny" && tool.name !== "CompleteStage") return limit;
  }
  return decideCall(policy, toGrants(bench), call);
}

/** True for a tool that the current stage does not let be. */
export function isOutsideStage(tool: string, state: Bench["state"]): boolean {
  return listLimits(state).some((limiting) => !listsTool(toStageGrant(limiting, true), tool));
}

/** Stages whose tools are a limit: of every wizard under way, so that none is left by loading another. */
function listLimits({ active, texts }: Bench["state"]): OpenWizard[] {
  return active
    .map((skill) => readOpenWizard(skill, texts))
    .filter((open) => open?.stage.restrict === true)
    .filter((open) => open !== undefined);
}

/** What a search may show: files that the rules let be read without asking. */
export function createReadCheck(bench: Bench): (path: string) => boolean {
  const policy = toPolicy(bench);
  const grants = toGrants(bench);
  return (path) => mayRead(policy, grants, path);
}

function toGrants({ state, catalog }: Bench): Grant[] {
  // A skill whose file is not trusted any more, or is gone, grants nothing more.
  const isTrusted = (path: string) => catalog.files.get(path)?.skill?.trusted === true;
  const grants = state.active.map((skill) =>
    toGrant(skill.name, isTrusted(skill.path) ? skill.allowedTools : [], skill.disallowedTools),
  );
  const open = findOpenWizard(state);
  return open ? [...grants, toStageGrant(open, isTrusted(open.skill.path))] : grants;
}

function toStageGrant({ skill, stage }: OpenWizard, isTrusted: boolean): Grant {
  const entries = stage.allowedTools.map((entry) => fillFolder(entry, skill.directory));
  return toGrant(`${skill.name}/${stage.id}`, isTrusted ? entries : [], []);
}

function toPolicy({ parts, catalog, state: { active } }: Bench): Policy {
  return {
    ...parts.policy,
    skillFolders: [
      ...new Set([...parts.skillPlaces, ...[...catalog.skills, ...active].map((skill) => skill.directory)]),
    ],
    readableFolders: [...active.map((skill) => skill.directory), parts.outputFolder],
  };
}

function judgeCall(call: RequestedCall, bench: Bench): PendingCall {
  const settled = (result: string): PendingCall => ({
    id: call.id,
    tool: call.name,
    input: call.input,
    status: "settled",
    reason: result,
    result,
    failed: true,
  });
  if (call.fault) return settled(call.fault);
  const toolbox = openToolbox(bench.parts.toolbox, bench.state);
  const tool = toolbox.get(call.name);
  if (!tool) return settled(explainUnknownTool(call.name, toolbox, bench.catalog));
  const parsed = parseInput(tool, call.input);
  if (!parsed.ok) return settled(parsed.message);
  const pending = { id: call.id, tool: tool.name, input: parsed.input as Record<string, unknown> };
  let decision: Decision;
  try {
    decision = decidePendingCall(tool, parsed.input, bench);
  } catch (error) {
    return settled(toMessage(error));
  }
  if (decision.verdict === "deny") return { ...settled(`Not allowed: ${decision.reason}`), ...pending };
  if (tool.name === "Skill") return judgeSkillCall(pending, settled, bench);
  if (tool.name === "AskUser") return judgeQuestion(pending, bench.parts.policy.mode);
  const status = decision.verdict === "allow" ? "ready" : "ask";
  return { ...pending, status, reason: decision.reason };
}

/** A question waits for a person in every mode but `deny`, which promises that nobody is waited for. */
function judgeQuestion(
  pending: Pick<PendingCall, "id" | "tool" | "input">,
  mode: Policy["mode"],
): PendingCall {
  if (mode !== "deny") return { ...pending, status: "question", reason: "the model asks a person" };
  const result = "Nobody is here to answer. Go on without, or say what is missing.";
  return { ...pending, status: "settled", reason: "questions are refused", result, failed: true };
}

function judgeSkillCall(
  pending: Pick<PendingCall, "id" | "tool" | "input">,
  settled: (result: string) => PendingCall,
  { catalog, offered }: Bench,
): PendingCall {
  const name = String(pending.input.name ?? "");
  const skill = catalog.get(name);
  if (skill && offered && !offered.has(skill.name)) {
    const result = `The skill "${name}" is not offered in this run. Offered: ${[...offered].join(", ")}.`;
    return { ...settled(result), ...pending };
  }
  if (skill?.modelInvocable) return { ...pending, status: "load", reason: "the model asks for a skill" };
  if (skill) return { ...settled(`Only a person can load "${name}", by typing /${name}.`), ...pending };
  return { ...settled(explainUnknownSkill(name, catalog)), ...pending };
}

/** One line for a name that is no skill, with the nearest names. */
export function explainUnknownSkill(name: string, catalog: Catalog): string {
  const nearest = catalog.nearest(name);
  const known = nearest.length > 0 ? nearest : catalog.skills.slice(0, 20).map((skill) => skill.name);
  if (known.length === 0) return `No skill named "${name}". There are no skills here.`;
  return `No skill named "${name}". ${nearest.length > 0 ? "Nearest" : "Known skills"}: ${known.join(", ")}.`;
}

function explainUnknownTool(name: string, toolbox: Toolbox, catalog: Catalog): string {
  if (toToolName(name) === "CompleteStage")
    return "No wizard is under way, so there is no stage to complete.";
  if (catalog.get(name)) return `"${name}" is a skill, not a tool. Load it with Skill {"name": "${name}"}.`;
  const tools = toolbox.list().map((tool) => tool.name);
  return `No tool named "${name}". Tools: ${tools.join(", ")}.`;
}
