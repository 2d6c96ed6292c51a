import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createStudioPlace,
  listServers,
  type Studio,
  type StudioPlace,
  startStudio,
} from "../support/studio.ts";

/** A graph of plain messages, to compare with. */
const PLAIN = `
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
export const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
  .addNode("answer", () => ({}))
  .addEdge(START, "answer")
  .compile();
`;

let place: StudioPlace;
let studio: Studio;

beforeAll(async () => {
  place = createStudioPlace({ plain: PLAIN });
  studio = await startStudio(place);
});

afterAll(async () => {
  await studio?.stop();
  place?.remove();
});

const json = { "content-type": "application/json" };

function send(path: string, headers: Record<string, string>, init: RequestInit = {}) {
  return fetch(`${studio.url}${path}`, {
    method: "POST",
    body: "{}",
    ...init,
    headers: { ...json, ...headers },
  });
}

/** The status of an answer to headers that `fetch` does not let a caller set. */
function statusOf(
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${studio.url}${path}`, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    sent.once("error", reject);
    sent.end(method === "GET" ? undefined : "{}");
  });
}

describe("the start", () => {
  it("prints where Studio and programs reach the server, its workspace, and which store keeps the threads", () => {
    const { port } = new URL(studio.url);
    expect(studio.stdout()).toBe(
      `Studio     https://smith.langchain.com/studio?baseUrl=http://127.0.0.1:${port}
API        http://127.0.0.1:${port}
Workspace  ${place.workspace}
Threads    in ${place.clone}/.langgraph_api, kept by this server; the command line has its own store
Stop       Ctrl-C
`,
    );
  });

  it("no key is needed", () => {
    expect(studio.stderr()).toContain(
      "skillgraph: model offline (no model, OPENAI_API_KEY or OPENAI_BASE_URL is set)",
    );
    expect(studio.stderr()).not.toMatch(/error/i);
  });

  it("watches no file", () => {
    const servers = listServers(place);
    expect(servers.filter((line) => line.includes("tsx"))).not.toEqual([]);
    expect(servers.filter((line) => /\bwatch\b/.test(line))).toEqual([]);
  });
});

describe("the assistants", () => {
  it("are the agent and the wizard", async () => {
    const found = await studio.client.assistants.search();
    const names = found.map((assistant) => assistant.graph_id);
    expect(names.filter((name) => name !== "plain").sort()).toEqual(["agent", "wizard"]);
  });

  it.each(["agent", "wizard"])(
    "%s shows its schemas within seconds, without TypeScript's help",
    async (name) => {
      const begin = performance.now();
      const schemas = await studio.client.assistants.getSchemas(name);
      expect(performance.now() - begin).toBeLessThan(5_000);
      const fields = Object.keys(schemas.state_schema?.properties ?? {});
      expect(fields).toEqual(
        expect.arrayContaining(["messages", "active", "calls", "decision", "stop", "usage"]),
      );
      expect(JSON.stringify(schemas)).not.toMatch(/api.?key|secret|permission|"mode":|policy/i);
    },
  );

  it("a client may send messages only, marked as in any graph of messages, so that Studio chats", async () => {
    const plain = (await studio.client.assistants.getSchemas("plain")).input_schema?.properties?.messages;
    const ours = (await studio.client.assistants.getSchemas("agent")).input_schema?.properties ?? {};
    expect(plain).toMatchObject({ langgraph_type: "messages" });
    expect(Object.keys(ours)).toEqual(["messages"]);
    expect(ours.messages).toMatchObject({ type: "array", langgraph_type: "messages" });
  });

  it("a run may be given a model, skills and a wizard, and no permissions", async () => {
    const { context_schema } = await studio.client.assistants.getSchemas("agent");
    expect(Object.keys(context_schema?.properties ?? {}).sort()).toEqual(["model", "skills", "wizard"]);
  });

  it("are drawn with five nodes that say what they do and edges that say when they are taken", async () => {
    const drawn = await studio.client.assistants.getGraph("agent");
    const nodes = drawn.nodes.filter(({ id }) => !String(id).startsWith("__"));
    expect(nodes.map(({ id }) => id)).toEqual(["route", "load-skill", "act", "observe", "review"]);
    expect(
      nodes.every((node) =>
        /^[A-Z].+\.$/.test(String((node.metadata as { description?: unknown }).description)),
      ),
    ).toBe(true);
    const conditional = drawn.edges.filter((edge) => edge.conditional);
    expect(conditional.length).toBeGreaterThan(10);
    expect(conditional.filter((edge) => !edge.data)).toEqual([]);
  });
});

describe("the guard", () => {
  it("a web page cannot send anything: not as JSON, not as text, not past it as Studio", async () => {
    const page = { origin: "https://evil.example" };
    for (const headers of [
      page,
      { ...page, "content-type": "text/plain" },
      { ...page, "x-auth-scheme": "langsmith" },
    ]) {
      const response = await send("/threads", headers);
      expect(response.status).toBe(403);
      expect(await response.text()).toBe(
        'This server is not for pages of "https://evil.example". It answers to pages of this machine and to LangGraph Studio.',
      );
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
    expect(await studio.client.threads.search()).toEqual([]);
  });

  it("its preflight gets no allowing answer", async () => {
    const ask = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
    const answer = async (origin: string) => {
      const response = await send("/threads", { origin, ...ask }, { method: "OPTIONS", body: null });
      return response.headers.get("access-control-allow-origin");
    };
    expect(await answer("https://evil.example")).toBeNull();
    expect(await answer("null")).toBeNull();
    expect(await answer("https://smith.langchain.com")).toBe("https://smith.langchain.com");
    expect(await answer("http://localhost:3000")).toBe("http://localhost:3000");
  });

  it("no route that does something is left out, the server's own one neither", async () => {
    const foreign = [{ origin: "https://evil.example" }, { host: "evil.example" }];
    const routes = [
      "/assistants/search",
      "/threads/search",
      "/runs/wait",
      "/store/items/search",
      "/internal/truncate",
    ];
    for (const headers of foreign) {
      for (const route of routes) expect(await statusOf("POST", route, { ...json, ...headers })).toBe(403);
      expect(await statusOf("GET", "/ok", headers)).toBe(403);
    }
    expect(await statusOf("POST", "/internal/truncate", json)).toBe(200);
  });

  it("a socket is no way around it", async () => {
    const { thread_id } = await studio.client.threads.create();
    const upgrade = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": Buffer.from("0123456789abcdef").toString("base64"),
    };
    const open = (origin: string) =>
      statusOf("GET", `/threads/${thread_id}/stream/events`, { ...upgrade, origin });
    expect(await open("http://localhost:3000")).toBe(101);
    expect(await open("https://evil.example")).not.toBe(101);
  });

  it("Studio and pages of this machine are served", async () => {
    for (const origin of ["https://smith.langchain.com", "http://localhost:3000"]) {
      const response = await send("/threads/search", { origin });
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    }
  });
});
