import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError, toMessage } from "../../errors.ts";
import type { Tool } from "../../tools/tool.ts";
import { parseInput } from "../../tools/toolbox.ts";
import { withSource } from "../audit/source.ts";
import { explainUntold, isAnotherDeed, listUntold, tellUntold, type Untold } from "../drift/untold.ts";
import { type Bench, decidePendingCall, toPlace } from "../judge.ts";
import { judgeUnload } from "../loading/judge-skill.ts";
import { isRun, type Run, readRun } from "../run.ts";
import type { PendingCall, State } from "../state.ts";
import { isAllowedWith } from "./listed.ts";
import { toOffer, withOffer } from "./offer.ts";

/** The calls by the rules, the trust and the files of now, and the skills with what had to be told of them. */
export interface JudgedAgain extends Pick<State, "active" | "loads"> {
  calls: PendingCall[];
  /** Approvals that are not taken, each with why. */
  errors: string[];
}

interface Place {
  bench: Bench;
  untold: Untold[];
  /** True when a command waits for another word where files changed. */
  holds: boolean;
}

/** Runs that looked at the files: what their own calls changed since was approved with the others. */
const looked = new WeakSet<Run>();

/**
 * Judges calls once more before they run. A rule may have been added since the verdict: a deny wins always, an ask
 * unless a person said yes to it. A yes is to the files as they were then: when those of an active skill changed, a
 * command is asked about again; the text of a skill is kept, so that a change of it changes no command.
 */
export function judgeAgain(state: State, bench: Bench, config: LangGraphRunnableConfig): JudgedAgain {
  const run = readRun(config);
  const holds = !looked.has(run);
  if (isRun(run)) looked.add(run);
  const isApproved = state.calls.some((call) => isNext(call) && call.approved);
  const place = { bench, untold: isApproved ? listUntold(state).filter(isAnotherDeed) : [], holds };
  const judged = state.calls.map((call) => judgeCallAgain(call, place));
  const isAsked = judged.some(({ status }, index) => status === "ask" && state.calls[index]?.approved);
  const told = tellUntold(state, isAsked ? place.untold : [], config);
  return { ...told, calls: judged, errors: listErrors(state.calls, judged) };
}

/** One that was begun is past judging: it ran, or may have, and only its outcome is in question. */
function isNext({ status, life }: PendingCall): boolean {
  return status === "ready" && life === undefined;
}

function judgeCallAgain(call: PendingCall, { bench, untold, holds }: Place): PendingCall {
  if (!isNext(call)) return call;
  const tool = bench.parts.toolbox.get(call.tool);
  const parsed = tool && parseInput(tool, call.input);
  if (!tool || !parsed?.ok) return call;
  const refuse = (reason: string): PendingCall => ({
    ...call,
    status: "settled",
    reason,
    result: reason,
    failed: true,
  });
  try {
    if (tool.name === "UnloadSkill") return judgeUnload(call, refuse, bench);
    const decision = decidePendingCall(tool, parsed.input, bench, call.approved);
    const { verdict, reason } = decision;
    if (verdict === "deny") return withSource(refuse(`Not allowed: ${reason}`), decision);
    if (verdict === "allow") return call;
    const { approvedFor: _approvedFor, ...asked } = withSource(call, decision);
    // Rules that came with a yes to another question are not added with the next one.
    const { always: _always, ...fresh } = asked;
    if (!call.approved) return withOffer({ ...fresh, status: "ask", reason, approved: false }, bench);
    const isHeld = holds && untold.length > 0 && runsCode(tool, parsed.input, bench);
    const isAgreed = isAgreedTo(call, tool, parsed.input, reason, bench);
    if (isAgreed && !isHeld) return call;
    const why = [...(isAgreed ? [] : [reason]), ...(untold.length > 0 ? [explainUntold(untold)] : [])].join(
      "; ",
    );
    if (bench.parts.policy.mode === "deny") {
      const refused = refuse(`Not allowed: ${why}, and the mode refuses questions`);
      return withSource(refused, { ...decision, by: "mode" });
    }
    // The next yes is to this reason too, which is the one that the rules give.
    const again = withOffer(
      { ...fresh, status: "ask", reason: why, approved: false, approvedFor: reason },
      bench,
    );
    const { offered: _offered, ...once } = again;
    // A yes to files that changed is to what they are now, and to nothing later.
    return untold.length > 0 ? once : again;
  } catch (error) {
    return refuse(toMessage(error));
  }
}

/**
 * Decides a call right before it runs, when what it leads to may be another place than a moment ago.
 *
 * @returns the real place that the rules, or a person, said yes to; none for a call that is not for one
 * @throws SkillgraphError `tool-failed` when it would not run now
 */
export function decideLast(call: PendingCall, tool: Tool, input: unknown, bench: Bench): string | undefined {
  const { verdict, reason, decidedPath } = decidePendingCall(tool, input, bench, call.approved);
  if (decidedPath === undefined || verdict === "allow") return decidedPath;
  const isAgreed = verdict === "ask" && call.approved && isAgreedTo(call, tool, input, reason, bench);
  if (isAgreed) return decidedPath;
  throw new SkillgraphError(
    "tool-failed",
    `Not carried out: what was decided is no longer so, since now ${reason}. Call it again if it is still meant.`,
  );
}

function isAgreedTo(call: PendingCall, tool: Tool, input: unknown, reason: string, bench: Bench): boolean {
  return isApprovedFor(call, reason) || asksForNoMore(call, tool, input, bench);
}

/** What a path leads to can change after the approval; then the reason to ask is another one. */
function isApprovedFor({ approved, approvedFor }: PendingCall, reason: string): boolean {
  return approved === true && (approvedFor === undefined || approvedFor === reason);
}

/** A rule that was added since words a reason anew. What the call lacks now, it lacked when a person said yes. */
function asksForNoMore({ offered = [] }: PendingCall, tool: Tool, input: unknown, bench: Bench): boolean {
  const { offered: lacking } = toOffer(tool, input, bench);
  return (
    lacking?.every((rule) => offered.includes(rule)) === true &&
    isAllowedWith([tool.name, "Bash", "Write"], tool, input, bench)
  );
}

/** A command, or a tool of the caller's: what it runs may be a file of the skill. */
function runsCode(tool: Tool, input: unknown, { parts, state }: Bench): boolean {
  const readableFolders = [...state.active.map((skill) => skill.directory), parts.outputFolder];
  const place = toPlace({ workspace: parts.policy.workspace, readableFolders }, state);
  return tool.mayPause === true || tool.target(input, place).kind === "command";
}

function listErrors(before: PendingCall[], after: PendingCall[]): string[] {
  const reasons = after.flatMap(({ status, approvedFor }, index) => {
    const call = before[index];
    if (status !== "ask" || !call?.approved || approvedFor === undefined) return [];
    return isApprovedFor(call, approvedFor) ? [] : [approvedFor];
  });
  return [...new Set(reasons)].map((reason) => `The last answer was not taken: ${reason}.`);
}
