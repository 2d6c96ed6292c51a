/** Where a URL leads: host and port as they are compared, and both in one as a rule names them. */
export interface Address {
  /** Small letters, punycode, without a dot at the end. */
  host: string;
  port: string;
  /** The host, with the port where it is not the usual one. */
  name: string;
}

/** What stands behind `domain:`. */
export interface DomainPattern {
  /** As in {@link Address}; empty for every host. */
  host: string;
  /** Absent for every port. */
  port?: string;
  /** `*.example.com`: the hosts below, and not the host itself. */
  below: boolean;
}

/** Reads an http or https URL; undefined for everything else, and where a user name could be taken for the host. */
export function readAddress(url: string): Address | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) return undefined;
  if (parsed.username !== "" || parsed.password !== "") return undefined;
  const host = trimDot(parsed.hostname);
  if (host === "") return undefined;
  const port = parsed.port || (parsed.protocol === "https:" ? "443" : "80");
  return { host, port, name: parsed.port === "" ? host : `${host}:${port}` };
}

/**
 * Reads `domain:example.com`, `domain:*.example.com`, `domain:localhost:3000` or `domain:*`.
 *
 * @returns undefined for any other text, such as a URL or a name with a `*` at another place
 */
export function parseDomainPattern(pattern: string): DomainPattern | undefined {
  const [, stars = "", host = "", port] =
    /^domain:\s*(\*$|\*\.)?(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\%]*)(?::(\d{1,5}))?$/iu.exec(pattern.trim()) ?? [];
  if (stars === "*") return { host: "", below: false };
  if (host === "" || host.endsWith("..")) return undefined;
  const address = readAddress(`http://${host}`);
  if (address === undefined || Number(port ?? 0) > 65_535) return undefined;
  return {
    host: address.host,
    below: stars !== "",
    ...(port === undefined ? {} : { port: String(Number(port)) }),
  };
}

function trimDot(host: string): string {
  return host.replace(/\.$/, "");
}
