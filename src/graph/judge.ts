import { toMessage } from "../errors.ts";
import {
  type CallToDecide,
  type Decision,
  decideCall,
  type Grant,
  listsTool,
  mayRead,
  type Policy,
  shutsOut,
  toGrant,
} from "../permissions/decide.ts";
import { toToolName } from "../permissions/rule.ts";
import type { Catalog } from "../skills/catalog.ts";
import type { Skill } from "../skills/schema.ts";
import type { Tool } from "../tools/tool.ts";
import { parseInput } from "../tools/toolbox.ts";
import { toSource } from "./audit/source.ts";
import { type Decided, toDecidedPath } from "./decided-path.ts";
import { fillFolder } from "./fill-folder.ts";
import { explainUnknownTool } from "./loading/explain.ts";
import {
  findReadSkill,
  judgeSkillCall,
  judgeUnload,
  listTold,
  readActivation,
} from "./loading/judge-skill.ts";
import type { OfferState } from "./loading/offer.ts";
import { explainHold } from "./loading/unload.ts";
import type { GraphParts } from "./parts.ts";
import type { WantedSkill } from "./skill-state.ts";
import type { PendingCall, State } from "./state.ts";
import { listFirstLimits, listLimits, toStageGrant } from "./wizard/stage-limits.ts";
import { findOpenWizard, openToolbox } from "./wizard/wizard.ts";

/** A call as the wire handed it over. `fault` says why it cannot be carried out at all. */
export interface RequestedCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  fault?: string;
  /** How a call that loads a skill came to it; `tool` when absent. */
  way?: WantedSkill["way"];
}

/** What a verdict depends on besides the call. */
export interface Bench {
  parts: Pick<GraphParts, "toolbox" | "policy" | "skillPlaces" | "outputFolder" | "catalogPlace" | "trust">;
  catalog: Catalog;
  state: Pick<State, "active" | "texts"> & OfferState;
  /** Whether an active skill, by its path, or a stage of it may grant an entry it was loaded with. See `holdTrust`. */
  mayGrant: (path: string, entry: string, stage?: string) => boolean;
  /** Names of the skills that the model is offered; all when absent. */
  offered?: ReadonlySet<string>;
  /** Skills that the same turn loads. */
  loading?: Skill[];
}

/** Turns what the model requested into pending calls: each will run, be asked, be loaded or is settled. */
export function judgeCalls(calls: RequestedCall[], bench: Bench): PendingCall[] {
  const judge = (from: Bench) =>
    calls.map((call) => {
      const isCompletion = calls.length > 1 && toToolName(call.name) === "CompleteStage";
      return judgeCall(isCompletion ? { ...call, fault: NOT_ALONE } : call, from);
    });
  const judged = judge(bench);
  const loading = listLoading(judged, [], bench.catalog);
  return loading.length === 0 || judged.length === 1 ? judged : judge({ ...bench, loading });
}

const NOT_ALONE = "Not taken: call CompleteStage alone, after you have seen the results of the other calls.";

/**
 * The policy's verdict on a call whose input fits its tool. For a call that a person approved the mode deny
 * does not count: it says what becomes of questions, and this one is answered.
 */
export function decidePendingCall(tool: Tool, input: unknown, bench: Bench, approved = false): Decided {
  const policy = toPolicy(bench);
  if (approved && policy.mode === "deny") policy.mode = "ask";
  const target = tool.target(input, toPlace(policy, bench.state));
  // Whatever runs a command is decided by the rules for commands.
  const call = { tool: target.kind === "command" ? "Bash" : tool.name, target };
  if (call.tool !== tool.name) {
    const own = decideCall(policy, toGrants(bench), { tool: tool.name, target: { kind: "none" } });
    if (own.verdict === "deny") return own;
  }
  const decision = findLimit(call, bench, policy) ?? decideCall(policy, toGrants(bench), call);
  return { ...decision, ...toDecidedPath(target) };
}

/** The refusal by a stage, or by a skill that is loaded in the same turn: it may limit at once, and grants later. */
function findLimit(call: CallToDecide, bench: Bench, policy: Policy): Decision | undefined {
  // A skill's limits are not for the call that loads it.
  const loading = call.tool === "Skill" ? [] : (bench.loading ?? []);
  for (const limiting of [...listLimits(bench.state), ...listFirstLimits(loading, bench.state)]) {
    const limit = decideCall(
      { ...policy, restrict: true, mode: "ask" },
      [toStageGrant(limiting, true)],
      call,
    );
    if (limit.verdict === "deny" && call.tool !== "CompleteStage") return limit;
  }
  if (loading.length === 0) return undefined;
  const grants = [...toGrants(bench), ...loading.map(toGrantOfSkill)];
  const limit = decideCall({ ...policy, mode: "ask" }, grants, call);
  return limit.verdict === "deny" ? limit : undefined;
}

function toGrantOfSkill({ name, directory, trusted, allowedTools, disallowedTools }: Skill): Grant {
  const fill = (entries: string[]) => entries.map((entry) => fillFolder(entry, directory));
  return toGrant(name, trusted ? fill(allowedTools) : [], fill(disallowedTools));
}

/** Skills that calls of this turn load, or that wait to be loaded. */
export function listLoading(calls: PendingCall[], wanted: { name: string }[], catalog: Catalog): Skill[] {
  const names = calls.filter(({ status }) => status === "load").map(({ input }) => String(input.name ?? ""));
  return [...new Set([...names, ...wanted.map(({ name }) => name)])].flatMap(
    (name) => catalog.get(name) ?? [],
  );
}

/** Keeps the tools that could be used at all: not those that a stage, `restrict` or an active skill shuts out. */
export function createToolFilter(bench: Bench): (tool: Pick<Tool, "name">) => boolean {
  const stages = listLimits(bench.state).map((limiting) => toStageGrant(limiting, true));
  const grants = toGrants(bench);
  const isLimit = bench.parts.policy.restrict && grants.length > 0;
  const mayUnload = bench.state.active.some((skill) => explainHold(skill, bench.parts.policy) === undefined);
  return ({ name }) => {
    if (name === "UnloadSkill" && !mayUnload) return false;
    if (stages.some((stage) => !listsTool(stage, name))) return false;
    if (isLimit && !grants.some((grant) => listsTool(grant, name))) return false;
    return !grants.some(({ deny }) => shutsOut(deny, name));
  };
}

/** What a search may show: files that the rules let be read without asking. */
export function createReadCheck(bench: Bench): (path: string) => boolean {
  const policy = toPolicy(bench);
  const grants = toGrants(bench);
  return (path) => mayRead(policy, grants, path);
}

/** Where a fetch may be led on to: addresses that the rules let be fetched without asking. */
export function createFetchCheck(bench: Bench): (url: string) => boolean {
  const policy: Policy = { ...toPolicy(bench), mode: "ask" };
  return (url) => {
    const call: CallToDecide = { tool: "WebFetch", target: { kind: "url", url } };
    const decision = findLimit(call, bench, policy) ?? decideCall(policy, toGrants(bench), call);
    return decision.verdict === "allow";
  };
}

export function toGrants({ state, mayGrant }: Bench): Grant[] {
  const grants = state.active.map(({ name, path, allowedTools, disallowedTools }) =>
    toGrant(
      name,
      allowedTools.filter((entry) => mayGrant(path, entry)),
      disallowedTools,
    ),
  );
  const open = findOpenWizard(state);
  if (!open) return grants;
  const { skill, stage } = open;
  const allowedTools = stage.allowedTools.filter((entry) => mayGrant(skill.path, entry, stage.id));
  return [...grants, toStageGrant({ skill, stage: { ...stage, allowedTools } }, skill.trusted !== false)];
}

/** A real deny rule, or a limit, for reading the file; loading it is a matter of the `Skill` call. */
function findReadRefusal(path: string, bench: Bench): Decision | undefined {
  const policy: Policy = { ...toPolicy(bench), mode: "ask" };
  const call: CallToDecide = { tool: "Read", target: { kind: "path", access: "read", path } };
  const decision = findLimit(call, bench, policy) ?? decideCall(policy, toGrants(bench), call);
  return decision.verdict === "deny" ? decision : undefined;
}

/** Where paths lead: a relative one that the workspace does not have, into the skill that was loaded last. */
export function toPlace<Base extends Pick<Policy, "workspace" | "readableFolders">>(
  base: Base,
  { active }: Pick<State, "active">,
): Base & { relativeFolders: string[] } {
  return { ...base, relativeFolders: active.map((skill) => skill.directory).reverse() };
}

export function toPolicy({ parts, catalog, state: { active } }: Bench): Policy {
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
  if (!tool) {
    const activation = readActivation(call, bench.catalog);
    if (activation) return judgeCall({ ...call, name: "Skill", input: activation, way: "activate" }, bench);
    return settled(explainUnknownTool(call.name, toolbox, bench.catalog, listTold(bench)));
  }
  const parsed = parseInput(tool, call.input);
  if (!parsed.ok) return settled(parsed.message);
  const read = tool.name === "Read" ? findReadSkill(parsed.input, bench) : undefined;
  if (read) {
    const denied = findReadRefusal(read.path, bench);
    if (denied) return { ...settled(`Not allowed: ${denied.reason}`), ...toSource(denied) };
    return judgeCall({ ...call, name: "Skill", input: { name: read.name }, way: "read" }, bench);
  }
  const named = { id: call.id, tool: tool.name, input: parsed.input as Record<string, unknown> };
  let decision: Decision;
  try {
    decision = decidePendingCall(tool, parsed.input, bench);
  } catch (error) {
    return settled(toMessage(error));
  }
  const pending = { ...named, ...toSource(decision) };
  if (decision.verdict === "deny") return { ...settled(`Not allowed: ${decision.reason}`), ...pending };
  if (tool.name === "Skill") return judgeSkillCall({ ...pending, way: call.way ?? "tool" }, settled, bench);
  if (tool.name === "UnloadSkill") return judgeUnload(pending, settled, bench);
  if (tool.name === "AskUser") return judgeQuestion(pending, bench.parts.policy.mode);
  const status = decision.verdict === "allow" ? "ready" : "ask";
  return { ...pending, status, reason: decision.reason };
}

/** A question waits for a person in every mode but `deny`, which promises that nobody is waited for. */
function judgeQuestion(
  pending: Pick<PendingCall, "id" | "tool" | "input" | "rule" | "skill">,
  mode: Policy["mode"],
): PendingCall {
  if (mode !== "deny") return { ...pending, status: "question", reason: "the model asks a person" };
  const result = "Nobody is here to answer. Go on without, or say what is missing.";
  const refused = { status: "settled", reason: "questions are refused", result, failed: true } as const;
  return { ...pending, ...refused, byMode: true };
}
