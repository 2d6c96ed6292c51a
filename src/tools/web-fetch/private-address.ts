import { BlockList, isIP } from "node:net";

const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;
const METADATA_NAMES = new Set(["metadata", "metadata.goog", "instance-data"]);

/** Ranges that are known without a library; every other one is found when the page is fetched. */
const KNOWN_RANGES: [address: string, bits: number, family: "ipv4" | "ipv6"][] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["::", 127, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
];
const known = new BlockList();
for (const [address, bits, family] of KNOWN_RANGES) known.addSubnet(address, bits, family);

/** True for an address, as digits, of this machine or its network. Others may be private, too. */
export function isKnownPrivate(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && known.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** True for a host name that by itself means this machine, its network or its provider's own services. */
export function isPrivateName(hostname: string): boolean {
  return PRIVATE_NAMES.test(hostname) || METADATA_NAMES.has(hostname);
}

/**
 * The kind of an address that is not of the public internet, such as `loopback`, or undefined for a public one.
 * An IPv6 address that stands for an IPv4 address is judged as that one; what cannot be read is not public.
 */
export async function findPrivateRange(address: string): Promise<string | undefined> {
  const { default: addresses } = await import("ipaddr.js");
  const spelled = spell(address);
  if (!addresses.isValid(spelled)) return "unknown";
  const parsed = addresses.process(spelled);
  const range: string = parsed.range();
  if (parsed.kind() === "ipv4") return range === "unicast" ? undefined : range;
  const bytes = parsed.toByteArray();
  // The translators' common prefix 64:ff9b::/96, with the IPv4 address as its end. 64:ff9b:1::/48 is a network's own.
  if (range === "rfc6052" && bytes.slice(4, 12).every((byte) => byte === 0)) {
    const embedded: string = addresses.fromByteArray(bytes.slice(12)).range();
    return embedded === "unicast" ? undefined : embedded;
  }
  if (range !== "unicast") return range;
  // All that is handed out lies in 2000::/3; what stands elsewhere is no public address, such as ::127.0.0.1.
  return (bytes[0] ?? 0) >> 5 === 1 ? undefined : "reserved";
}

/** IPv6 without dots and zone: the library takes `::1.2.3.4` for another address than it is. */
function spell(address: string): string {
  const [plain = ""] = address.split("%");
  const bracketed = `http://[${plain}]`;
  return plain.includes(":") && URL.canParse(bracketed) ? new URL(bracketed).hostname.slice(1, -1) : plain;
}
