import type { AskMode, CallToDecide, Decision, Policy } from "./policy.ts";
import { toShortReason } from "./reason.ts";
import { coversTool, type Grant, type Rule } from "./rule.ts";
import { createCommandSubject } from "./subjects/command-subject.ts";
import { createPathSubject } from "./subjects/path-subject.ts";
import { createPlainSubject } from "./subjects/plain-subject.ts";
import type { Subject, Verdict } from "./subjects/subject.ts";
import { createUrlSubject } from "./subjects/url-subject.ts";
import { toVerdict } from "./subjects/verdict.ts";

export { toGrant } from "./grant.ts";
export type { AskMode, CallToDecide, Decision, Policy, Target } from "./policy.ts";
export type { Grant } from "./rule.ts";

const HARMLESS_TOOLS = new Set(["AskUser", "Skill", "SearchSkills", "UnloadSkill", "CompleteStage"]);

/**
 * Decides one call. Deny beats ask beats allow: deny rules, then the limit of `restrict`, then protected places,
 * secrets and commands of which it is not certain that they keep clear of deny rules, then ask rules, then allow
 * rules of the policy and of every grant, then what needs no rule (reading in the workspace and in active skills,
 * also by commands that only read; `AskUser`, `Skill`, `SearchSkills`, `UnloadSkill`, `CompleteStage`). What is not
 * listed asks; the policy's mode then says what becomes of questions.
 *
 * @returns the verdict with one sentence for people, and the text of the rule that decided or came closest.
 */
export function decideCall(policy: Policy, grants: Grant[], call: CallToDecide): Decision {
  const { firm = false, ...judged } = judge(policy, grants, call);
  const decision = { ...judged, reason: toShortReason(judged.reason) };
  return decision.verdict === "ask" ? applyMode(policy.mode, decision, firm) : decision;
}

/**
 * Tells whether a `Read` of a file would be allowed without asking: no deny or ask rule covers it, it holds no
 * secret, and it lies in the workspace or an active skill, or an allow rule covers it. For tools that show what
 * is in many files.
 *
 * @param path real and absolute.
 */
export function mayRead(policy: Policy, grants: Grant[], path: string): boolean {
  const target = { kind: "path", access: "read", path } as const;
  return judge({ ...policy, restrict: false }, grants, { tool: "Read", target }).verdict === "allow";
}

/** True when a grant that is a limit lets a tool be: it lists it, or the tool is harmless. */
export function listsTool(grant: Grant, tool: string): boolean {
  return HARMLESS_TOOLS.has(tool) || grant.allow.some((rule) => coversTool(rule, tool));
}

/** True when one of these deny rules is for every use of a tool. */
export function shutsOut(deny: Rule[], tool: string): boolean {
  return widenRestrictions(deny).some((rule) => rule.pattern === undefined && coversTool(rule, tool));
}

function judge(policy: Policy, grants: Grant[], call: CallToDecide): Verdict {
  const subject = createSubject(call, policy);
  const deny = widenRestrictions([...policy.deny, ...grants.flatMap((grant) => grant.deny)]);
  const denying = subject.findRule(deny);
  if (denying !== undefined) return toVerdict("deny", `rule "${denying.text}" denies it`, denying);
  if (policy.restrict && grants.length > 0 && !isListed(call.tool, grants)) {
    const skills = grants.map((grant) => `"${grant.skill}"`).join(", ");
    return { verdict: "deny", reason: `"${call.tool}" is not among the allowed tools of ${skills}` };
  }
  const allow = [...policy.allow, ...grants.flatMap((grant) => grant.allow)];
  const firm = subject.findFirmQuestion(allow);
  if (firm !== undefined) return firm;
  const doubt = subject.explainDoubt(deny);
  if (doubt !== undefined) return { verdict: "ask", reason: doubt, firm: true };
  const ask = widenRestrictions(policy.ask);
  const asking = subject.findRule(ask);
  if (asking !== undefined) return toVerdict("ask", `rule "${asking.text}" asks first`, asking);
  const unsure = subject.explainDoubt(ask);
  if (unsure !== undefined) return { verdict: "ask", reason: unsure };
  return subject.decideByAllow(allow, [...deny, ...ask]);
}

function applyMode(mode: AskMode, decision: Decision, firm: boolean): Decision {
  if (mode === "deny") {
    const reason = `${decision.reason}, and the mode refuses questions`;
    return { ...decision, verdict: "deny", reason, by: "mode" };
  }
  if (mode !== "allow" || firm) return decision;
  const reason = `${decision.reason}, but the mode allows what would ask`;
  return { ...decision, verdict: "allow", reason, by: "mode" };
}

function createSubject(call: CallToDecide, policy: Policy): Subject {
  const target = call.target;
  if (target.kind === "command") return createCommandSubject(call.tool, target.command, target.cwd, policy);
  if (target.kind === "path") return createPathSubject(call.tool, target, policy);
  if (target.kind === "url") return createUrlSubject(call.tool, target.url);
  return createPlainSubject(call.tool, target.name, HARMLESS_TOOLS.has(call.tool));
}

const EDITING_TOOLS = new Set(["Edit", "NotebookEdit"]);

/** Who forbids a file to be edited forbids it to be written, in whatever way. */
function widenRestrictions(rules: Rule[]): Rule[] {
  if (!rules.some(({ tool }) => EDITING_TOOLS.has(tool))) return rules;
  return rules.flatMap((rule) =>
    EDITING_TOOLS.has(rule.tool) ? [rule, { ...rule, tool: "Write" }] : [rule],
  );
}

function isListed(tool: string, grants: Grant[]): boolean {
  return grants.some((grant) => listsTool(grant, tool));
}
