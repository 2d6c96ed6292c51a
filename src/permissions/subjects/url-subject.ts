import type { Rule } from "../rule.ts";
import { type Address, type DomainPattern, parseDomainPattern, readAddress } from "./domain-pattern.ts";
import type { Subject, Verdict } from "./subject.ts";
import { toVerdict } from "./verdict.ts";

/** The questions of {@link Subject} for an address that is fetched. */
export function createUrlSubject(tool: string, url: string): Subject {
  const address = readAddress(url);

  const findRule = (rules: Rule[]): Rule | undefined =>
    rules.find((rule) => rule.tool === tool && (address === undefined || restricts(rule, address)));

  // What is no plain web address is nothing to ask a person about, whose yes would lead nowhere.
  const findFirmQuestion = (): Verdict | undefined =>
    address === undefined
      ? { verdict: "deny", reason: "only http and https addresses without a user name can be fetched" }
      : undefined;

  const decideByAllow = (allow: Rule[]): Verdict => {
    const rule = address && allow.find((item) => item.tool === tool && allows(item, address));
    if (rule !== undefined) return toVerdict("allow", `rule "${rule.text}" allows it`, rule);
    return { verdict: "ask", reason: `no rule allows "${tool}" for "${address?.name ?? ""}"` };
  };

  return { findRule, explainDoubt: () => undefined, findFirmQuestion, decideByAllow };
}

function allows({ pattern }: Rule, address: Address): boolean {
  if (pattern === undefined) return true;
  const domain = parseDomainPattern(pattern);
  return domain !== undefined && matches(domain, address, domain.below);
}

/** A deny or ask rule for a host is for all below it; one that cannot be read is for all there is. */
function restricts({ pattern }: Rule, address: Address): boolean {
  if (pattern === undefined) return true;
  const domain = parseDomainPattern(pattern);
  if (domain === undefined) return true;
  return matches(domain, address, domain.below) || matches(domain, address, true);
}

function matches({ host, port }: DomainPattern, address: Address, below: boolean): boolean {
  if (port !== undefined && port !== address.port) return false;
  if (host === "") return true;
  return below ? address.host.endsWith(`.${host}`) : address.host === host;
}
