import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findRefusal } from "../../graphs/guard.ts";

const allowed = [
  "http://localhost",
  "http://localhost:3000",
  "https://localhost:8443",
  "http://127.0.0.1:2024",
  "http://[::1]:2024",
  "https://smith.langchain.com",
  "https://eu.smith.langchain.com",
  "https://apac.smith.langchain.com",
  "https://aws.smith.langchain.com",
];
const foreign = [
  "https://evil.example",
  "null",
  "",
  "file://",
  "http://smith.langchain.com",
  "https://smith.langchain.com:8443",
  "https://smith.langchain.com.evil.example",
  "https://evil.example/https://smith.langchain.com",
  "https://evilsmith.langchain.com",
  "https://x.smith.langchain.com",
  "http://localhost.evil.example",
  "http://localhost:2024@evil.example",
  "http://evil.example#@localhost",
  "http://127.0.0.1.nip.example",
  "http://127.1",
  "http://0.0.0.0:2024",
  "http://192.168.1.5:2024",
  "ftp://localhost",
  "http://localhost:2024\nhttp://evil.example",
];

const withOrigin = (origin: string) => findRefusal(toHeaders({ host: "127.0.0.1:2024", origin }));

/** Headers that a server could receive, and some that it could not. */
function toHeaders(values: Record<string, string>): Headers {
  return { get: (name: string) => values[name] ?? null } as Headers;
}

it.each(allowed)("a page of %s is let in", (origin) => {
  expect(withOrigin(origin)).toBeUndefined();
});

it.each(foreign)("a page of %j is refused, by one line that names it", (origin) => {
  expect(withOrigin(origin)).toContain(`pages of "${origin.slice(0, 100)}"`);
});

it("a program of this machine, which sends no origin, is let in", () => {
  expect(findRefusal(toHeaders({ host: "127.0.0.1:2024" }))).toBeUndefined();
});

it.each(["localhost", "localhost:2024", "LOCALHOST:2024", "127.0.0.1:1", "[::1]:65535"])(
  "the host %s is this machine",
  (host) => {
    expect(findRefusal(toHeaders({ host }))).toBeUndefined();
  },
);

it.each([
  "evil.example",
  "evil.example:2024",
  "localhost.evil.example",
  "localhost:",
  "127.0.0.2",
  "0.0.0.0",
  "",
])("the host %j is a name that was made to point here, and is refused also without an origin", (host) => {
  expect(findRefusal(toHeaders({ host }))).toBe(
    `This server is not for the host "${host}". It answers to localhost, 127.0.0.1 and [::1].`,
  );
});

it("a request of the server to itself has no host and is let in", () => {
  expect(findRefusal(toHeaders({}))).toBeUndefined();
});

it("browsers are told the same as the guard holds: preflights allow the same pages", () => {
  const config = JSON.parse(readFileSync(new URL("../../langgraph.json", import.meta.url), "utf8"));
  const pattern = new RegExp(config.http.cors.allow_origin_regex);
  expect([...allowed, ...foreign].filter((origin) => pattern.test(origin))).toEqual(allowed);
});

it("Studio's own way past the check is closed", () => {
  const config = JSON.parse(readFileSync(new URL("../../langgraph.json", import.meta.url), "utf8"));
  expect(config.auth).toEqual({ path: "./graphs/guard.ts:guard", disable_studio_auth: true });
});
