import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { openCheckpointer } from "../../src/checkpoint/index.ts";
import { readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { findPostgresObstacle, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { createWorkspace } from "../support/workspace.ts";

const pay = (id: string) => ({ id, name: "pay", arguments: { id } });
const twice = [{ calls: [pay("p1")] }, { calls: [pay("p2")] }, { text: "Paid." }];

describe.skipIf(findPostgresObstacle() !== undefined)("a PostgreSQL server that goes away", () => {
  let postgres: PostgresServer;

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  /** An agent whose tool pays, and then does something to the server, once. */
  async function createPayer(turn: () => Promise<void>, options: object) {
    const workspace = createWorkspace();
    let isDone = false;
    const body = tool(
      async ({ id }) => {
        appendFileSync(join(workspace.folder, "log"), `${id}\n`);
        if (!isDone) await turn();
        isDone = true;
        return "paid";
      },
      { name: "pay", description: "Pays.", schema: z.object({ id: z.string() }) },
    );
    const scripted = await createScriptedAgent(workspace, twice, {
      tools: [body],
      permissions: { allow: ["pay"] },
      ...options,
    });
    return { ...scripted, workspace };
  }

  it("and comes back within a run is waited for, and nothing is paid twice", async () => {
    let ticks = 0;
    const { agent, server, workspace } = await createPayer(
      async () => {
        await postgres.stop();
        const timer = setInterval(() => {
          ticks += 1;
        }, 20);
        onTestFinished(() => clearInterval(timer));
        setTimeout(() => void postgres.start(), 1_000);
      },
      { checkpoint: postgres.toUrl() },
    );
    const { end } = await send(agent, "pay");
    expect(end).toMatchObject({ status: "finished" });
    expect(ticks).toBeGreaterThan(20);
    expect(workspace.read("log")).toBe("p1\np2\n");
    server.assertDone();
  });

  it("and stays away fails the run by name; once it is back the thread goes on, and asks about what was paid", async () => {
    const url = postgres.toUrl();
    // Patience holds for each step, also before and after the fault: on a busy machine a connection takes its time.
    const [patient, impatient] = [
      await openCheckpointer(url),
      await openCheckpointer(url, { busyTimeoutMs: 2_000 }),
    ];
    onTestFinished(async () => {
      await patient.close();
      await impatient.close();
    });
    const payer = await createPayer(() => postgres.stop(), { checkpointer: impatient.saver });
    const { reopen, workspace } = payer;
    // Nothing can be read either, so the failure comes to whoever started the run.
    const failed = await send(payer.agent, "pay", { thread: "t" }).catch((error: unknown) => error);
    // Nothing of the failed run may still wait for its turn to write.
    await impatient.close();
    await postgres.start();
    expect(workspace.read("log")).toBe("p1\n");
    expect(JSON.stringify(failed) + String(failed)).toMatch(/checkpoint|Checkpoints in/);
    expect(String(failed)).not.toContain("p%20w");
    const agent = await reopen({ checkpointer: patient.saver });
    expect((await readThread(agent, "t")).status).not.toBe("finished");
    const asked = await answer(agent, "t");
    expect(asked.end.request?.items).toMatchObject([{ kind: "outcome", id: "p1" }]);
    expect((await answer(agent, "t", { reply: "paid" })).end.status).toBe("finished");
    expect(workspace.read("log")).toBe("p1\np2\n");
  });
});
