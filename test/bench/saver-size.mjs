// Compares the size and speed of skillgraph's saver with LangGraph's own SQLite saver, on one scripted graph.
// Usage: node saver-size.mjs [turns, default 200]
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { END, MessagesDeltaValue, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { SqliteSaver as ShippedSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const turns = Number(process.argv[2] ?? 200);
const folder = mkdtempSync(join(tmpdir(), "skillgraph-bench-"));
const config = { configurable: { thread_id: "bench" }, durability: "sync" };

/** Text that does not repeat, so that nothing is saved by luck. */
function makeText(seed, length) {
  let text = "";
  for (let part = 0; text.length < length; part += 1) {
    text += createHash("sha256").update(`${seed}/${part}`).digest("base64");
  }
  return text.slice(0, length);
}

/** A person's message, a tool call, its result of 1,000 characters, an answer. */
function createGraph(checkpointer, messages) {
  const act = (state) => {
    const { length } = state.messages;
    const last = state.messages[length - 1];
    if (last.getType() === "tool")
      return { messages: [{ role: "assistant", content: makeText(length, 80) }] };
    const call = {
      id: `call-${length}`,
      name: "Read",
      args: { path: `notes/${length}.md` },
      type: "tool_call",
    };
    return { messages: [{ role: "assistant", content: "", tool_calls: [call] }] };
  };
  const observe = (state) => {
    const { length } = state.messages;
    const [call] = state.messages[length - 1].tool_calls;
    const result = { role: "tool", tool_call_id: call.id, name: call.name, content: makeText(length, 1_000) };
    return { messages: [result] };
  };
  const next = (state) =>
    state.messages[state.messages.length - 1].tool_calls?.length > 0 ? "observe" : END;
  return new StateGraph(new StateSchema({ messages }))
    .addNode("act", act)
    .addNode("observe", observe)
    .addEdge(START, "act")
    .addConditionalEdges("act", next, ["observe", END])
    .addEdge("observe", "act")
    .compile({ checkpointer });
}

/** Runs all turns; the size is that of a closed file, without its log. */
async function measure(name, file, open, messages) {
  const { saver, close } = await open(file);
  const graph = createGraph(saver, messages);
  const started = performance.now();
  for (let turn = 0; turn < turns; turn += 1) {
    await graph.invoke(
      { messages: [{ role: "user", content: `Question ${turn}: ${makeText(turn, 60)}` }] },
      config,
    );
  }
  const ms = performance.now() - started;
  const loaded = performance.now();
  const { values } = await graph.getState(config);
  const loadMs = performance.now() - loaded;
  if (values.messages.length !== 4 * turns)
    throw new Error(`${name} kept ${values.messages.length} messages`);
  close();
  const bytes = statSync(file).size;
  console.log(
    `${name.padEnd(16)}${bytes.toLocaleString("en").padStart(14)} bytes` +
      `${Math.round(ms).toLocaleString("en").padStart(9)} ms${loadMs.toFixed(0).padStart(7)} ms to load`,
  );
  return bytes;
}

async function bundleOurs() {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const outfile = join(folder, "checkpoint.mjs");
  const entryPoints = [join(root, "src/checkpoint/index.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });
  return import(pathToFileURL(outfile).href);
}

function openShipped(file) {
  const saver = ShippedSaver.fromConnString(file);
  const close = () => {
    saver.db.pragma("wal_checkpoint(TRUNCATE)");
    saver.db.close();
  };
  return { saver, close };
}

try {
  const { openCheckpointer } = await bundleOurs();
  console.log(`${turns} turns: a message, a tool call, a result of 1,000 characters, an answer`);
  const ours = await measure("ours", join(folder, "ours.db"), openCheckpointer, MessagesDeltaValue);
  await measure("ours, plain", join(folder, "ours-plain.db"), openCheckpointer, MessagesValue);
  await measure("shipped, delta", join(folder, "shipped-delta.db"), openShipped, MessagesDeltaValue);
  const shipped = await measure("shipped", join(folder, "shipped.db"), openShipped, MessagesValue);
  console.log(`ours is 1/${(shipped / ours).toFixed(1)} of shipped`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
