import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { openDatabase } from "../../src/checkpoint/sqlite/database.ts";
import { SqliteSaver } from "../../src/checkpoint/sqlite/sqlite-saver.ts";
import { listThreads, readHistory, readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long the file is locked. Twenty seconds show no more than one does. */
const LOCK_MS = 1_000;

const pay = (id: string) => ({ id, name: "pay", arguments: { id } });
const twice = [{ calls: [pay("p1")] }, { calls: [pay("p2")] }, { text: "Paid." }];

/** A tool whose effect is a line, with what happens to the world just before and after it. */
function createPayTool(workspace: Workspace, turns: Record<string, () => unknown> = {}) {
  return tool(
    async ({ id }) => {
      await turns[`before ${id}`]?.();
      appendFileSync(join(workspace.folder, "log"), `${id}\n`);
      await turns[`after ${id}`]?.();
      return "paid";
    },
    { name: "pay", description: "Pays.", schema: z.object({ id: z.string() }) },
  );
}

/** An agent whose tool turns the world upside down. */
async function createPayer(
  turns: Record<string, () => unknown>,
  {
    checkpointer,
    workspace = createWorkspace(),
  }: { checkpointer?: BaseCheckpointSaver; workspace?: Workspace } = {},
) {
  const scripted = await createScriptedAgent(workspace, twice, {
    tools: [createPayTool(workspace, turns)],
    permissions: { allow: ["pay"] },
    ...(checkpointer ? { checkpointer } : {}),
  });
  return { ...scripted, workspace };
}

/** Another process that holds the file for a while. Returns what ends it before. */
async function lockFile(file: string, ms: number): Promise<() => Promise<unknown>> {
  const code = `
    const Libsql = require("libsql"); const database = new Libsql(process.argv[1]);
    database.exec("BEGIN IMMEDIATE"); process.stdout.write("held");
    setTimeout(() => { database.exec("COMMIT"); process.exit(0); }, Number(process.argv[2]));`;
  const child = spawn(process.execPath, ["-e", code, file, String(ms)], { cwd: import.meta.dirname });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return () => {
    child.kill("SIGKILL");
    return ended;
  };
}

async function openSaver(workspace: Workspace, busyTimeoutMs: number) {
  const database = await openDatabase(join(workspace.folder, "own.db"), { busyTimeoutMs });
  onTestFinished(() => database.close());
  return { database, saver: new SqliteSaver(database) };
}

describe("E2: a file that another process holds", () => {
  it("makes a run wait without freezing; then it goes on, and pays once each", async () => {
    const workspace = createWorkspace();
    const file = join(workspace.folder, ".skillgraph/threads.db");
    let ticks = 0;
    let heldAt = 0;
    const { agent, server } = await createPayer(
      {
        "after p1": async () => {
          await lockFile(file, LOCK_MS);
          heldAt = performance.now();
          const timer = setInterval(() => {
            ticks += 1;
          }, 20);
          onTestFinished(() => clearInterval(timer));
        },
      },
      { workspace },
    );
    const { end } = await send(agent, "pay");
    expect(end.status).toBe("finished");
    expect(performance.now() - heldAt).toBeGreaterThan(LOCK_MS / 2);
    expect(ticks).toBeGreaterThan(LOCK_MS / 100);
    expect(workspace.read("log")).toBe("p1\np2\n");
    server.assertDone();
  });

  it("for too long fails the run by name and nothing of it is written later; it goes on, and asks about what was paid", async () => {
    const workspace = createWorkspace();
    const { database, saver } = await openSaver(workspace, 300);
    let unlock: (() => Promise<unknown>) | undefined;
    const turn = async () => {
      unlock ??= await lockFile(database.file, 60_000);
    };
    const { agent: first, reopen } = await createPayer(
      { "after p1": turn },
      { checkpointer: saver, workspace },
    );
    const { end } = await send(first, "pay");
    expect(end).toMatchObject({ status: "failed", error: { code: "checkpoint-unavailable" } });
    expect(end.error?.message).toContain("locked by another process");
    await unlock?.();
    const agent = await reopen({ checkpointer: (await openSaver(workspace, 30_000)).saver });
    const asked = await answer(agent, end.thread);
    expect(asked.end.request?.items).toMatchObject([{ kind: "outcome", id: "p1" }]);
    const said = await answer(agent, end.thread, { reply: "paid" });
    expect(said.end.status).toBe("finished");
    expect(workspace.read("log")).toBe("p1\np2\n");
  });
});

describe("a disk that is full", () => {
  it("fails the run by name with nothing half written, and with room again it goes on", async () => {
    const workspace = createWorkspace();
    const { database, saver } = await openSaver(workspace, 300);
    const fill = () => {
      const { page_count: pages } = database.get<{ page_count: number }>("PRAGMA page_count") ?? {
        page_count: 0,
      };
      database.get(`PRAGMA max_page_count = ${pages}`);
    };
    const { agent } = await createPayer({ "before p2": fill }, { checkpointer: saver, workspace });
    const { end } = await send(agent, "pay");
    // What is there may have room for a step or two more; it fills up within the thread's next turns.
    let failed = end;
    for (let turn = 0; failed.status !== "failed" && turn < 20; turn += 1) {
      failed = (await send(agent, `more ${"x".repeat(20_000)}`, { thread: end.thread })).end;
    }
    expect(failed).toMatchObject({ error: { code: "checkpoint-unavailable" } });
    expect(failed.error?.message).toContain("full");
    const { messages } = await readThread(agent, end.thread);
    expect(messages[0]?.text).toBe("pay");
    expect(database.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    database.get("PRAGMA max_page_count = 1000000");
    const { status } = await readThread(agent, end.thread);
    const next = status === "stopped" || status === "failed" ? await answer(agent, end.thread) : undefined;
    const asked = next?.end.request?.items[0];
    const last = asked === undefined ? next : await answer(agent, end.thread, { reply: "paid" });
    expect(last?.end.status ?? "finished").not.toBe("waiting");
    expect(workspace.read("log")).toBe("p1\np2\n");
  });
});

describe("a clock that is moved", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["back", -DAY_MS],
    ["forward", DAY_MS],
  ])("%s by a day, in a run and between runs, leaves the order and the newest right", async (_way, shift) => {
    const workspace = createWorkspace();
    const move = () => vi.setSystemTime(Date.now() + shift);
    const seen: unknown[] = [];
    const { agent, reopen, server } = await createPayer(
      {
        "before p1": () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + shift }),
        // The thread is held, whatever the clock says of the holder's last sign of life.
        "after p1": async () => {
          const other = await reopen();
          const [held] = await listThreads(other);
          seen.push(await answer(other, held?.thread ?? "").catch((error: { code: string }) => error.code));
        },
        "before p2": move,
      },
      { workspace },
    );
    const { end } = await send(agent, "pay");
    expect(end.status).toBe("finished");
    expect(seen).toEqual(["thread-busy"]);
    move();
    const later = await reopen();
    const history = await readHistory(later, end.thread);
    const steps = history.map(({ step }) => step);
    expect(steps).toEqual([...steps].sort((left, right) => right - left));
    expect(new Set(steps).size).toBe(steps.length);
    const { messages, status, checkpoint } = await readThread(later, end.thread);
    expect(status).toBe("finished");
    expect(checkpoint).toBe(history[0]?.checkpoint);
    expect(messages.map(({ role }) => role)).toEqual(["person", "model", "tool", "model", "tool", "model"]);
    expect(workspace.read("log")).toBe("p1\np2\n");
    server.assertDone();
  });
});
