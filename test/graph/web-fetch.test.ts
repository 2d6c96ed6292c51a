import { describe, expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import type { ChatRequest, ScriptedTurn } from "../support/openai-server.ts";
import { startWebServer } from "../support/web-server.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const fetching = (id: string, url: string) => ({ id, name: "WebFetch", arguments: { url } });

/** A workspace whose settings let these hosts be fetched from although they are private. */
function createPlace(privateHosts: string[], settings: object = {}, files: Record<string, string> = {}) {
  return createWorkspace({
    "skillgraph.json": JSON.stringify({ webFetch: { privateHosts }, ...settings }),
    ...files,
  });
}

function resultOf(request: ChatRequest | undefined, id: string): string {
  const message = request?.body.messages?.find((each) => each.role === "tool" && each.tool_call_id === id);
  return String(message?.content ?? "");
}

describe("WebFetch in a run", () => {
  it("is offered, asks with the address, and is fetched once a person agrees", async () => {
    const web = await startWebServer("<title>T</title><h1>Hello</h1>");
    const script: ScriptedTurn[] = [{ calls: [fetching("f1", `${web.url}page#part`)] }, { text: "Done." }];
    const { agent, server } = await createScriptedAgent(createPlace([web.host]), script);
    const { end } = await send(agent, "fetch");
    expect(end.status).toBe("waiting");
    expect(JSON.stringify(end.request)).toContain(`${web.url}page`);
    expect(web.requests).toEqual([]);
    const { end: last } = await answer(agent, end.thread, { reply: true });
    expect(last.status).toBe("finished");
    expect(web.requests.map(({ url }) => url)).toEqual(["/page"]);
    expect(web.requests[0]?.headers["user-agent"]).toMatch(/^skillgraph\/\d+\.\d+/);
    expect(resultOf(server.requests[1], "f1")).toMatch(/^\[http.*200 OK, text\/html.*not instructions\.\]/);
    expect(resultOf(server.requests[1], "f1")).toContain("Title: T\n\n# Hello");
    server.assertDone();
  });

  it("a rejected fetch is not made", async () => {
    const web = await startWebServer("x");
    const script: ScriptedTurn[] = [{ calls: [fetching("f1", web.url)] }, { text: "Done." }];
    const { agent, server } = await createScriptedAgent(createPlace([web.host]), script);
    const { end } = await send(agent, "fetch");
    await answer(agent, end.thread, { reply: false });
    expect(web.requests).toEqual([]);
    server.assertDone();
  });

  it("a host that is private by its digits or name is refused before anybody is asked, and the result says how to allow it", async () => {
    const web = await startWebServer("x");
    const calls = [
      fetching("f1", web.url),
      fetching("f2", "http://localhost:9/"),
      fetching("f3", "http://[::1]:9/"),
    ];
    const { agent, server } = await createScriptedAgent(createPlace([]), [{ calls }, { text: "Done." }]);
    const { end } = await send(agent, "fetch");
    expect(end.status).toBe("finished");
    const wanted = `"webFetch": {"privateHosts": ["${web.host}"]}`;
    expect(resultOf(server.requests[1], "f1")).toContain(wanted);
    expect(resultOf(server.requests[1], "f2")).toContain("is a name for");
    expect(resultOf(server.requests[1], "f3")).toContain("is not of the public internet");
    expect(web.requests).toEqual([]);
    server.assertDone();
  });

  it("in the mode allow, too", async () => {
    const web = await startWebServer("x");
    const script: ScriptedTurn[] = [{ calls: [fetching("f1", web.url)] }, { text: "Done." }];
    const permissions = { mode: "allow" } as const;
    const { agent, server } = await createScriptedAgent(createPlace([]), script, { permissions });
    await send(agent, "fetch");
    expect(resultOf(server.requests[1], "f1")).toContain("not of the public internet");
    expect(web.requests).toEqual([]);
    server.assertDone();
  });

  it("in the mode deny an unlisted host is refused, and nobody is asked", async () => {
    const web = await startWebServer("x");
    const script: ScriptedTurn[] = [{ calls: [fetching("f1", web.url)] }, { text: "Done." }];
    const permissions = { mode: "deny" } as const;
    const { agent, server } = await createScriptedAgent(createPlace([web.host]), script, { permissions });
    const { end } = await send(agent, "fetch");
    expect(end.status).toBe("finished");
    expect(resultOf(server.requests[1], "f1")).toMatch(/^Not allowed: /);
    expect(web.requests).toEqual([]);
    server.assertDone();
  });

  it("hosts that an untrusted project lists stay private", async () => {
    const web = await startWebServer("x");
    const script: ScriptedTurn[] = [{ calls: [fetching("f1", web.url)] }, { text: "Done." }];
    const options = { trust: false, permissions: { mode: "allow" } } as const;
    const { agent, server } = await createScriptedAgent(createPlace([web.host]), script, options);
    await send(agent, "fetch");
    expect(resultOf(server.requests[1], "f1")).toContain("not of the public internet");
    expect(web.requests).toEqual([]);
    server.assertDone();
  });

  it.each([
    ["a file", "file:///etc/passwd", "only http"],
    ["no address", "not an address", "it is no address"],
    ["1 MB", `https://example.com/${"x".repeat(1_000_000)}`, "more than 8192"],
  ])("an address that is %s gives a result, and nobody is asked", async (_name, url, why) => {
    const script: ScriptedTurn[] = [{ calls: [fetching("f1", url)] }, { text: "Done." }];
    const { agent, server } = await createScriptedAgent(createPlace([]), script);
    const { end } = await send(agent, "fetch");
    expect(end.status).toBe("finished");
    expect(resultOf(server.requests[1], "f1")).toContain(why);
    server.assertDone();
  });

  it("several that are allowed run side by side with other calls that read", async () => {
    let waiting: (() => void)[] = [];
    const web = await startWebServer((_request, response) => {
      waiting.push(() => response.setHeader("content-type", "text/plain").end("page"));
      // Each waits for the other: one after the other would never end.
      if (waiting.length < 2) return;
      for (const finish of waiting) finish();
      waiting = [];
    });
    const calls = [
      fetching("f1", `${web.url}1`),
      { id: "r1", name: "Read", arguments: { path: "skillgraph.json" } },
      { id: "f2", name: "fetch_url", arguments: { url: `${web.url}2` } },
    ];
    const settings = { permissions: { allow: ["WebFetch(domain:127.0.0.1)"] } };
    const { agent, server } = await createScriptedAgent(createPlace([web.host], settings), [
      { calls },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "fetch");
    expect(end.status).toBe("finished");
    expect(resultOf(server.requests[1], "f1")).toMatch(/\/1: 200 OK[\s\S]*\n\npage$/);
    expect(resultOf(server.requests[1], "f2")).toMatch(/\/2: 200 OK[\s\S]*\n\npage$/);
    expect(resultOf(server.requests[1], "r1")).toContain("privateHosts");
    server.assertDone();
  });
});

describe("a rule for a domain", () => {
  const createHosts = async () => {
    const other = await startWebServer("Other.");
    const web = await startWebServer((_request, response) => {
      response.writeHead(302, { location: `http://localhost:${other.port}/` }).end();
    });
    const hosts = [web.host, `localhost:${other.port}`];
    return { web, other, hosts, script: [{ calls: [fetching("f1", web.url)] }, { text: "Done." }] };
  };

  it("is none for the host that it redirects to", async () => {
    const { other, hosts, script } = await createHosts();
    const settings = { permissions: { allow: ["WebFetch(domain:127.0.0.1)"] } };
    const { agent, server } = await createScriptedAgent(createPlace(hosts, settings), script);
    await send(agent, "fetch");
    expect(resultOf(server.requests[1], "f1")).toContain(
      `to http://localhost:${other.port}/, which is another`,
    );
    expect(other.requests).toEqual([]);
    server.assertDone();
  });

  it("follows the redirect when a rule is for that host, too", async () => {
    const { other, hosts, script } = await createHosts();
    const settings = { permissions: { allow: ["WebFetch(domain:127.0.0.1)", "WebFetch(domain:localhost)"] } };
    const { agent, server } = await createScriptedAgent(createPlace(hosts, settings), script);
    await send(agent, "fetch");
    expect(resultOf(server.requests[1], "f1")).toContain("Other.");
    expect(other.requests.length).toBe(1);
    server.assertDone();
  });

  it("does not follow it where a rule denies that host, whatever the mode", async () => {
    const { other, hosts, script } = await createHosts();
    const settings = { permissions: { allow: ["WebFetch"], deny: ["WebFetch(domain:localhost)"] } };
    const permissions = { mode: "allow" } as const;
    const place = createPlace(hosts, settings);
    const { agent, server } = await createScriptedAgent(place, script, { permissions });
    await send(agent, "fetch");
    expect(resultOf(server.requests[1], "f1")).toContain("was not followed");
    expect(other.requests).toEqual([]);
    server.assertDone();
  });

  it("of a skill grants while the skill is active", async () => {
    const web = await startWebServer("Hello.");
    const header = { name: "news", description: "Reads.", "allowed-tools": "WebFetch(domain:127.0.0.1)" };
    const files = { "skills/news/SKILL.md": skillText(header, "READ") };
    const { agent, server } = await createScriptedAgent(createPlace([web.host], {}, files), [
      { calls: [fetching("f1", web.url)] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "/news");
    expect(end.status).toBe("finished");
    expect(resultOf(server.requests[1], "f1")).toContain("Hello.");
    server.assertDone();
  });
});

describe("a cancelled run", () => {
  it("ends a fetch at once", async () => {
    const web = await startWebServer(() => undefined);
    const settings = { permissions: { allow: ["WebFetch"] } };
    const { agent } = await createScriptedAgent(createPlace([web.host], settings), [
      { calls: [fetching("f1", web.url)] },
    ]);
    const stop = new AbortController();
    const config = { configurable: { thread_id: "t" }, signal: stop.signal };
    const running = agent.invoke({ messages: [{ role: "user", content: "fetch" }] } as never, config);
    const failed = expect(running).rejects.toThrow();
    await expect.poll(() => web.requests.length, { timeout: 20_000 }).toBe(1);
    stop.abort();
    await failed;
    await expect.poll(() => web.sockets.size, { timeout: 10_000 }).toBe(0);
  });
});
