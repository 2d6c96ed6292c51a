import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { type findPrivateRange, isKnownPrivate, isPrivateName } from "./private-address.ts";
import { toShownAddress } from "./web-address.ts";

/** Finds all addresses of a host name. */
export type FindAddresses = (hostname: string) => Promise<LookupAddress[]>;

/** How addresses are found and judged. */
export interface HostCheck {
  findAddresses: FindAddresses;
  /** The kind of an address that is not of the public internet; undefined for a public one. */
  findPrivateRange: typeof findPrivateRange;
  /** Hosts, such as `localhost:3000`, that may be fetched from although their addresses are private. */
  privateHosts: readonly string[];
  signal: AbortSignal;
}

/**
 * Finds the addresses that a page may be fetched from. All of them are checked, since any may be taken.
 *
 * @throws SkillgraphError `tool-failed` when the host is not found, or one of its addresses is not of the public
 *   internet and the host is not listed.
 */
export async function resolveHost(url: URL, check: HostCheck): Promise<LookupAddress[]> {
  refusePrivateName(url, check.privateHosts);
  const hostname = toHostname(url);
  const family = isIP(hostname);
  const found = family === 0 ? await find(url, hostname, check) : [{ address: hostname, family }];
  if (isListed(url, check.privateHosts)) return found;
  for (const { address } of found) {
    const range = await check.findPrivateRange(address);
    if (range !== undefined) throw refusePrivate(url, family === 0 ? "leads to" : "is", range);
  }
  return found;
}

/**
 * Throws for a host that is seen to be not of the public internet without looking it up, by its name or its digits,
 * unless it is listed.
 */
export function refuseKnownPrivate(url: URL, privateHosts: readonly string[]): void {
  refusePrivateName(url, privateHosts);
  const isPrivate = isKnownPrivate(toHostname(url)) && !isListed(url, privateHosts);
  if (isPrivate) throw refusePrivate(url, "is", "private");
}

/** Throws for a host whose very name is not of the public internet, unless it is listed. Asks nobody. */
export function refusePrivateName(url: URL, privateHosts: readonly string[]): void {
  if (isPrivateName(url.hostname) && !isListed(url, privateHosts)) {
    throw refusePrivate(url, "is a name for", "private");
  }
}

function isListed(url: URL, privateHosts: readonly string[]): boolean {
  const names = [url.hostname, toHostname(url), `${url.hostname}:${toPort(url)}`];
  return privateHosts.some((host) => names.includes(host.toLowerCase().replace(/\.(?=:|$)/, "")));
}

function toPort({ port, protocol }: URL): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}

/** The host without the brackets of an IPv6 address. */
function toHostname(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

async function find(url: URL, hostname: string, check: HostCheck): Promise<LookupAddress[]> {
  const refuse = (why: string, cause?: unknown) =>
    new SkillgraphError("tool-failed", `${toShownAddress(url.href)} was not fetched: ${why}.`, { cause });
  let found: LookupAddress[];
  try {
    found = await findUntil(check.signal, () => check.findAddresses(hostname));
  } catch (error) {
    check.signal.throwIfAborted();
    throw refuse(`the host ${hostname} was not found (${toMessage(error)})`, error);
  }
  if (found.length === 0) throw refuse(`the host ${hostname} has no address`);
  return found;
}

/** A lookup cannot be stopped, so its end is not waited for. */
function findUntil(signal: AbortSignal, find: () => Promise<LookupAddress[]>): Promise<LookupAddress[]> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    find()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Says no address that was found: a model must not learn a network by asking. */
function refusePrivate(url: URL, verb: string, range: string): SkillgraphError {
  const what = `${url.hostname} ${verb} an address that is not of the public internet (${range})`;
  const host = JSON.stringify(`${url.hostname}:${toPort(url)}`);
  const advice = `A person can allow it in the settings: "webFetch": {"privateHosts": [${host}]}.`;
  return new SkillgraphError(
    "tool-failed",
    `${toShownAddress(url.href)} was not fetched: ${what}. ${advice}`,
  );
}
