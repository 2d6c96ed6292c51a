// What another process does in the tests. Arguments: a command, a place, a thread, and the command's own.
import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  type BaseCheckpointSaver,
  Command,
  END,
  interrupt,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import Libsql from "libsql";
import pg from "pg";
import { z } from "zod";
import { openCheckpointer } from "../../src/checkpoint/index.ts";
import { startProcess } from "../../src/tools/process/process.ts";
import { readStartTime } from "../../src/tools/process/process-group.ts";
import { createTestGraph, onThread, say } from "./test-graph.ts";

const [command, place = "", thread = "", ...rest] = process.argv.slice(2);

const commands: Record<string, () => Promise<void>> = {
  /** One turn whose second step takes a while. */
  async turn() {
    const [text = "", ms = "0"] = rest;
    const { saver } = await openCheckpointer(place);
    tell("ready");
    await createTestGraph(saver, async (last) => {
      await delay(Number(ms));
      return `to ${last}`;
    }).invoke(say(text), onThread(thread));
  },

  /** Many quick turns on a thread of its own. */
  async turns() {
    const { saver } = await openCheckpointer(place);
    const graph = createTestGraph(saver, (last) => `to ${last}`);
    for (let turn = 0; turn < Number(rest[0]); turn += 1) {
      await graph.invoke(say(`q${turn}`), onThread(thread));
      tell(`turn ${turn}`);
    }
  },

  /** A side effect beside a question, written down in a file. */
  async parallel() {
    const [log = "", answer] = rest;
    const { saver } = await openCheckpointer(place);
    const state = new StateSchema({ effect: z.string().default(""), answer: z.string().default("") });
    const graph = new StateGraph(state)
      .addNode("act", () => {
        appendFileSync(log, "acted\n");
        return { effect: "acted" };
      })
      .addNode("ask", async () => {
        if (answer !== undefined) return { answer: interrupt<string, string>("?") };
        // Only what is stored counts as finished.
        while (!(await isStored(saver, "effect"))) await delay(10);
        tell("asking");
        await delay(60_000);
        return {};
      })
      .addEdge(START, "act")
      .addEdge(START, "ask")
      .addEdge("act", END)
      .addEdge("ask", END)
      .compile({ checkpointer: saver });
    const config = { ...onThread(thread), durability: "sync" as const };
    await graph.invoke(answer === undefined ? { effect: "" } : null, config);
    const result = await graph.invoke(new Command({ resume: answer ?? "" }), config);
    tell(JSON.stringify(result));
  },

  /** A write transaction that is held. */
  async lock() {
    if (place.startsWith("postgres:")) return lockTables();
    const database = new Libsql(place);
    database.exec("BEGIN IMMEDIATE");
    tell("ready");
    await delay(Number(thread));
    database.exec("COMMIT");
  },

  /** A lease, and a process group of its own, until it is killed. */
  async hold() {
    const { leases } = await openCheckpointer(place);
    const lease = await leases.acquire(thread);
    const environment = { PATH: process.env.PATH ?? "" };
    const { child, begin } = startProcess(["sleep", "60"], "call", { cwd: "/", environment });
    const { pid = 0 } = child;
    begin();
    await lease.addGroup({ pid, startTime: readStartTime(pid) ?? "" });
    tell(String(pid));
    await delay(60_000);
  },
};

/** True when a task of the thread's newest checkpoint has stored a value of this channel. */
async function isStored(saver: BaseCheckpointSaver, channel: string): Promise<boolean> {
  const tuple = await saver.getTuple(onThread(thread));
  return tuple?.pendingWrites?.some(([, name]) => name === channel) === true;
}

async function lockTables(): Promise<void> {
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  const schema = new URL(place).searchParams.get("schema");
  await client.query(`BEGIN; LOCK TABLE "${schema}".skillgraph_line IN EXCLUSIVE MODE`);
  tell("ready");
  await delay(Number(thread));
  await client.query("COMMIT");
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await commands[command ?? ""]?.();
  tell("done");
} catch (error) {
  tell(`failed ${(error as { code?: string }).code} ${(error as Error).message}`);
}
process.exit(0);
