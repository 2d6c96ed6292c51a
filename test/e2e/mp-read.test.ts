import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createScriptedAgent, send } from "../support/agent.ts";
import type { ChatRequest } from "../support/openai-server.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const URL = "https://mp.example.com/s/abc";

const SKILL = skillText(
  {
    name: "mp-read",
    description: "Reads an article. Use when an mp.example.com link appears.",
    "argument-hint": "<url>",
    "allowed-tools": "Read Bash(which mp-read) Bash(mp-read:*)",
  },
  [
    "1. Check that the command `mp-read` is there and that `cookie.txt` exists.",
    "2. Run `mp-read $1` with a time limit of 120 seconds.",
    "3. Summarise the article.",
  ].join("\n"),
);

const COMMAND = '#!/bin/sh\necho run >> "$HOME/ran"\nsleep 0.2\necho "An article about skills, from $1."\n';

function createArticleWorkspace() {
  const workspace = createWorkspace({
    "skills/mp-read/SKILL.md": SKILL,
    "cookie.txt": "session",
  });
  const bin = join(workspace.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "mp-read"), COMMAND, { mode: 0o755 });
  workspace.environment.PATH = `${bin}:${workspace.environment.PATH}`;
  return workspace;
}

const checks = {
  calls: [
    { id: "check-command", name: "Bash", arguments: { command: "which mp-read" } },
    { id: "check-cookie", name: "Read", arguments: { path: "cookie.txt" } },
  ],
};
const main = {
  calls: [{ id: "main", name: "Bash", arguments: { command: `mp-read ${URL}`, block_until_ms: 120_000 } }],
};
const summary = { text: "The article is about skills." };

function resultOf(request: ChatRequest | undefined, id: string): string {
  const result = request?.body.messages?.find((message) => message.tool_call_id === id);
  return String(result?.content);
}

describe("reading an article", () => {
  it("a person who types the skill's name gets the summary after three model calls", async () => {
    const workspace = createArticleWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [checks, main, summary]);
    const { end } = await send(agent, `/mp-read ${URL}`);
    expect(end).toMatchObject({ status: "finished", answer: "The article is about skills." });
    expect(server.requests).toHaveLength(3);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain(`mp-read ${URL}\` with a time limit`);
    expect(resultOf(server.requests[1], "check-command")).toContain("bin/mp-read");
    expect(resultOf(server.requests[1], "check-cookie")).toContain("session");
    expect(resultOf(server.requests[2], "main")).toContain(`An article about skills, from ${URL}.`);
    server.assertDone();
    const sizes = server.requests.map(({ bytes }) => bytes);
    expect(sizes).toEqual([...sizes].sort((left, right) => left - right));
    process.stdout.write(`three model calls, request sizes in bytes: ${sizes.join(", ")}\n`);
  });

  it("a model that asks for the skill itself needs one call more", async () => {
    const workspace = createArticleWorkspace();
    const load = { calls: [{ id: "load", name: "Skill", arguments: { name: "mp-read", arguments: URL } }] };
    const { agent, server } = await createScriptedAgent(workspace, [load, checks, main, summary]);
    const { end } = await send(agent, `read this article: ${URL}`);
    expect(end.status).toBe("finished");
    expect(server.requests).toHaveLength(4);
    expect(resultOf(server.requests[1], "load")).toBe("Launching skill: mp-read");
    server.assertDone();
    process.stdout.write(
      `four model calls, request sizes in bytes: ${server.requests.map(({ bytes }) => bytes).join(", ")}\n`,
    );
  });
});
