// One measurement of one contender in a process of its own. Reads a job as JSON, prints the result as JSON.
import { MemorySaver } from "@langchain/langgraph";
import { contenders } from "./contenders.mjs";
import { ScriptedModel } from "./scripted-model.mjs";

/** How often a turn is repeated within one process; the median counts. */
const REPEATS = 5;
const WARM_UP_CALLS = 20;

const job = JSON.parse(process.argv[2]);
const result = job.kind === "turns" ? await measureTurns() : await measureLoop();
process.stdout.write(JSON.stringify(result));

async function measureTurns() {
  const loaded = performance.now();
  const contender = await contenders[job.contender](job);
  const loadMs = performance.now() - loaded;
  const model = new ScriptedModel(contender.call, 1);

  let graph;
  const first = await time(async () => {
    graph = await contender.create(model, new MemorySaver());
    await runTurn(graph, model, "first", 1);
  });
  const next = await repeat(() => runTurn(graph, model, "first", 1));
  const newThread = await repeat((index) => runTurn(graph, model, `new-${index}`, 1));
  return {
    loadMs,
    firstMs: first.ms,
    firstCpuMs: first.cpuMs,
    nextMs: next.ms,
    nextCpuMs: next.cpuMs,
    newThreadMs: newThread.ms,
    newThreadCpuMs: newThread.cpuMs,
    request: model.measureFirstRequest(),
    ...measureMemory(),
  };
}

/** One long turn: `job.calls` tool calls, then the answer. */
async function measureLoop() {
  const contender = await contenders[job.contender](job);
  const { saver, close } = await openSaver();
  const warmUp = new ScriptedModel(contender.call, WARM_UP_CALLS);
  await runTurn(await contender.create(warmUp, saver), warmUp, "warm-up", WARM_UP_CALLS);

  const model = new ScriptedModel(contender.call, job.calls);
  const graph = await contender.create(model, saver);
  const { ms, cpuMs } = await time(() => runTurn(graph, model, "loop", job.calls));
  const { metadata } = await graph.getState({ configurable: { thread_id: "loop" } });
  close();
  const supersteps = metadata.step;
  return {
    supersteps,
    superstepMs: ms / supersteps,
    superstepCpuMs: cpuMs / supersteps,
    callMs: ms / job.calls,
    callCpuMs: cpuMs / job.calls,
  };
}

async function openSaver() {
  if (job.saver === "memory") return { saver: new MemorySaver(), close: () => undefined };
  const { openCheckpointer } = await import("./checkpoint.mjs");
  return openCheckpointer(job.database);
}

/** Time by the clock, and time that the process spent computing, which a busy machine stretches less. */
async function time(work) {
  const begun = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - begun, cpuMs: (user + system) / 1_000 };
}

async function repeat(work) {
  const times = [];
  for (let index = 0; index < REPEATS; index += 1) times.push(await time(() => work(index)));
  const toMedian = (key) =>
    times.map((each) => each[key]).sort((left, right) => left - right)[Math.floor(REPEATS / 2)];
  return { ms: toMedian("ms"), cpuMs: toMedian("cpuMs") };
}

/** Runs a turn and makes sure that it was one: a contender that fails early must not look fast. */
async function runTurn(graph, model, thread, calls) {
  const before = model.count;
  const config = { configurable: { thread_id: thread }, recursionLimit: 100_000, durability: "sync" };
  const { messages } = await graph.invoke(
    { messages: [{ role: "user", content: "What do my notes say?" }] },
    config,
  );
  if (model.count - before !== calls + 1) throw new Error(`${model.count - before} model calls`);
  const results = messages.slice(-2 * calls - 1).filter((message) => message.type === "tool");
  const read = results.filter((message) => message.text.includes(job.marker));
  if (read.length !== calls) throw new Error(`${read.length} of ${calls} results: ${results[0]?.text}`);
  if (messages.at(-1).text !== "Done.") throw new Error(`The answer is "${messages.at(-1).text}"`);
}

function measureMemory() {
  for (let index = 0; index < 3; index += 1) globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  return { rssBytes: rss, heapBytes: heapUsed, peakBytes: process.resourceUsage().maxRSS * 1024 };
}
