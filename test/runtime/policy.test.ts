import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const touch = { calls: [{ name: "Bash", arguments: { command: "touch a" } }] };
const done = { text: "Done." };
const always = { type: "approve", always: true };

const besides = ({ folder }: Workspace, name: string) => {
  const path = join(folder, "..", name);
  mkdirSync(path);
  return path;
};

it("a rule that a person adds is in force at once for every agent of the project in this process, and for no other", async () => {
  const workspace = createWorkspace();
  const other = { HOME: besides(workspace, "other-home") };
  const script = [touch, done, touch, done, ...[touch, touch]];
  const { agent, reopen, server } = await createScriptedAgent(workspace, script, { sandbox: "off" });
  const environment = { ...workspace.environment, OPENAI_BASE_URL: server.url };
  const besideIt = await reopen();
  const elsewhere = await reopen({ cwd: besides(workspace, "other-project") });
  const ofAnother = await reopen({ environment: { ...environment, ...other } });
  const asked = await send(agent, "go");
  expect(asked.end.status).toBe("waiting");
  await answer(agent, asked.end.thread, { reply: always });
  const statuses = [];
  for (const each of [besideIt, elsewhere, ofAnother]) statuses.push((await send(each, "go")).end.status);
  expect(statuses).toEqual(["finished", "waiting", "waiting"]);
});
