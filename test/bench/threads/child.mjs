// One measurement of one contender in a process of its own. Reads a job as JSON, prints the result as JSON.
import { statSync } from "node:fs";
import { contenders } from "./contenders.mjs";
import { makeText, noteOf } from "./notes.mjs";
import { ScriptedModel } from "./scripted-model.mjs";

/** A mark is the median of so many turns, the marked one being the last. */
const AROUND = 9;
const THREAD = "long";

const kinds = { grow, resume, read, skill };
const job = JSON.parse(process.argv[2]);
process.stdout.write(JSON.stringify(await kinds[job.kind]()));

/** Runs all turns of a thread, and notes what a turn costs and how big the file is on the way. */
async function grow() {
  const contender = await contenders[job.contender](job);
  const model = createModel(contender);
  let place = await open(contender, model);
  const spent = [];
  const marks = [];
  for (let turn = 1; turn <= job.turns; turn += 1) {
    if (job.renewed && turn > 1) {
      await place.close();
      place = await open(contender, model);
    }
    spent.push(await time(() => runTurn(place.graph, model, turn)));
    if (job.marks.includes(turn))
      marks.push({ turn, ...toMedian(spent.slice(-AROUND)), bytes: await measureFile() });
  }
  await place.close();
  return { marks };
}

/** A new process takes the thread up: from making the agent to the first model call. */
async function resume() {
  const contender = await contenders[job.contender](job);
  const model = createModel(contender);
  let called;
  const generate = model._generate.bind(model);
  model._generate = (...all) => {
    called ??= performance.now();
    return generate(...all);
  };
  const begun = performance.now();
  const place = await open(contender, model);
  await runTurn(place.graph, model, job.turns + 1);
  await place.close();
  return { ms: called - begun };
}

/** A new process reads the messages of the thread once. */
async function read() {
  const contender = await contenders[job.contender](job);
  const place = await open(contender, createModel(contender));
  const { ms } = await time(async () => {
    const { values } = await place.graph.getState(toConfig());
    if (values.messages.length !== 4 * job.turns) throw new Error(`${values.messages.length} messages`);
  });
  await place.close();
  return { ms };
}

/** What the steps of one turn add while a big skill is active. */
async function skill() {
  const contender = await contenders[job.contender](job);
  const model = createModel(contender);
  const place = await open(contender, model);
  await place.graph.invoke({ messages: [{ role: "user", content: "/big first" }] }, toConfig());
  const before = await measureFile();
  model.callsATurn = job.calls;
  await place.graph.invoke({ messages: [{ role: "user", content: "Read all notes." }] }, toConfig());
  const after = await measureFile();
  const { values, metadata } = await place.graph.getState(toConfig());
  await place.close();
  const results = values.messages.filter((message) => message.type === "tool").length;
  if (results !== job.calls + 1 || !values.active.some(({ name }) => name === "big"))
    throw new Error(`${results} results, active: ${values.active.map(({ name }) => name)}`);
  return { before, after, steps: metadata.step };
}

function createModel({ call }) {
  const model = new ScriptedModel((count) => ({ ...call, args: noteOf(call, count) }), 1);
  const next = model.nextMessage.bind(model);
  model.nextMessage = (results) => {
    const message = next(results);
    if (message.content !== "") message.content = makeText(`answer ${model.count}/${process.pid}`, 80);
    return message;
  };
  return model;
}

async function open(contender, model) {
  const { saver, close } = await openSaver();
  return { graph: await contender.create(model, saver), close };
}

async function openSaver() {
  if (job.saver === "ours") {
    const { openCheckpointer } = await import("./checkpoint.mjs");
    return openCheckpointer(job.database);
  }
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const saver = SqliteSaver.fromConnString(job.database);
  return { saver, close: () => saver.db.close() };
}

/** Runs a turn and makes sure that it was one: a contender that fails early must not look fast. */
async function runTurn(graph, model, turn) {
  const before = model.count;
  const content = `Question ${turn}: ${makeText(`question ${turn}`, 60)}`;
  const { messages } = await graph.invoke({ messages: [{ role: "user", content }] }, toConfig());
  if (model.count - before !== 2) throw new Error(`${model.count - before} model calls in turn ${turn}`);
  if (messages.length !== 4 * turn) throw new Error(`${messages.length} messages after turn ${turn}`);
  const size = messages.at(-2).text.length;
  if (size < 1_000 || size > 1_200)
    throw new Error(`A result of ${size} characters: ${messages.at(-2).text}`);
}

function toConfig() {
  return { configurable: { thread_id: THREAD }, recursionLimit: 100_000, durability: "sync" };
}

/** The size of the file after its log was moved into it, as at the end of a process. */
async function measureFile() {
  const isOurs = job.saver === "ours";
  const { default: Connection } = isOurs ? await import("libsql") : await import("better-sqlite3");
  const connection = new Connection(job.database);
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  connection.close();
  return statSync(job.database).size;
}

async function time(work) {
  const begun = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - begun, cpuMs: (user + system) / 1_000 };
}

function toMedian(times) {
  const pick = (key) => times.map((each) => each[key]).sort((left, right) => left - right)[times.length >> 1];
  return { ms: pick("ms"), cpuMs: pick("cpuMs") };
}
