import { describe, expect, it } from "vitest";
import { decideCall } from "../../../src/permissions/decide.ts";
import { createPolicy, rules } from "../support.ts";

const fetching = (url: string, policy: Parameters<typeof createPolicy>[0] = {}) =>
  decideCall(createPolicy(policy), [], { tool: "WebFetch", target: { kind: "url", url } });

describe("an address that is fetched", () => {
  it("asks without a rule, and names the host in the form that is compared", () => {
    expect(fetching("https://BÜCHER.example./x")).toEqual({
      verdict: "ask",
      reason: 'no rule allows "WebFetch" for "xn--bcher-kva.example"',
    });
    expect(fetching("http://localhost:3000/").reason).toContain('"localhost:3000"');
  });

  it.each([
    ["domain:example.com", "https://example.com/a", true],
    ["domain:example.com", "http://EXAMPLE.com.:8080/", true],
    ["domain:EXAMPLE.com.", "https://example.com/", true],
    ["domain:example.com", "https://www.example.com/", false],
    ["domain:example.com", "https://example.com.evil.org/", false],
    ["domain:example.com", "https://notexample.com/", false],
    ["domain:example.com", "https://evil.org/?example.com", false],
    ["domain:*.example.com", "https://a.b.example.com/", true],
    ["domain:*.example.com", "https://example.com/", false],
    ["domain:*.example.com", "https://aexample.com/", false],
    ["domain:localhost:3000", "http://localhost:3000/", true],
    ["domain:localhost:3000", "http://localhost:3001/", false],
    ["domain:localhost:80", "http://localhost/", true],
    ["domain:localhost:80", "https://localhost/", false],
    ["domain:bücher.example", "https://xn--bcher-kva.example/", true],
    ["domain:127.0.0.1", "http://0x7f.1/", true],
    ["domain:*", "https://any.example/", true],
    ["domain:example.*", "https://example.com/", false],
    ["domain:", "https://example.com/", false],
    ["https://example.com/*", "https://example.com/a", false],
  ])("an allow rule for %s lets %s pass: %s", (pattern, url, passes) => {
    const { verdict } = fetching(url, { allow: rules(`WebFetch(${pattern})`) });
    expect(verdict).toBe(passes ? "allow" : "ask");
  });

  it.each([
    ["domain:example.com", "https://www.example.com/", true],
    ["domain:example.com", "https://example.com:8443/", true],
    ["domain:*.example.com", "https://example.com/", false],
    ["domain:example.com:443", "http://example.com/", false],
    ["https://example.com/*", "https://other.org/", true],
    ["domain:example.com", "https://notexample.com/", false],
  ])("a deny rule for %s covers %s: %s", (pattern, url, covers) => {
    const policy = { allow: rules("WebFetch"), deny: rules(`WebFetch(${pattern})`) };
    expect(fetching(url, policy).verdict).toBe(covers ? "deny" : "allow");
  });

  it("an ask rule beats an allow rule, below its host too", () => {
    const policy = { allow: rules("WebFetch"), ask: rules("WebFetch(domain:example.com)") };
    expect(fetching("https://a.example.com/", policy).verdict).toBe("ask");
  });

  it.each([
    "https://example.com@evil.com/",
    "https://user:key@example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "example.com",
    "",
    "https://",
  ])("%j is never allowed, by no rule and no mode", (url) => {
    const allow = rules("WebFetch", "WebFetch(domain:example.com)", "WebFetch(domain:*)");
    expect(fetching(url, { allow }).verdict).toBe("deny");
    expect(fetching(url, { allow, mode: "allow" }).verdict).toBe("deny");
  });
});
