// Makes test/fixtures/threads/<version>/: threads in every state, as this version writes them, for the tests of every
// later version. Run it once for a release, after `npm run build`.
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import { hostname, tmpdir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import Database from "libsql";

/** What stands in a stored thread for the folder in which it ran. */
const PLACE = "/skillgraph-fixture";

const root = fileURLToPath(new URL("..", import.meta.url));
const skill = (name, text, more = "") =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n${text}\n`;
const stage = (header, text) => `---\n${header}\n---\n\n${text}\n`;
const files = {
  "skills/counter/SKILL.md": skill("counter", "Count the words.", "allowed-tools: Bash(sleep:*) Write\n"),
  "skills/changed/SKILL.md": skill("changed", "The text as it was loaded."),
  "skills/trip/SKILL.md": skill("trip", "Plan a trip for $ARGUMENTS."),
  "skills/trip/stages/01-look.md": stage(
    "title: Look around\noutput:\n  type: object\n  required: [places]\n  properties: { places: { type: array, items: { type: string } } }",
    "Find places.",
  ),
  "skills/trip/stages/02-plan.md": stage("title: Plan", "Make a route through {look.places}."),
  "skills/trip/stages/03-apply.md": stage("title: Apply\ngate: none", "Book it."),
  "skills/survey/SKILL.md": skill("survey", "Ask about a trip."),
  "skills/survey/stages/01-ask.md": stage(
    "title: Ask\ngate: form\nform:\n  type: object\n  required: [days]\n  properties: { days: { type: integer, default: 3 } }",
    "Say what you need.",
  ),
};
const call = (id, name, input) => ({ id, name, arguments: input });
const completed = (id, output) => [
  call(id, "CompleteStage", { summary: `Summary ${id}.`, ...(output ? { output } : {}) }),
];
const write = (id, path) => [call(id, "Write", { path, content: `Content of ${path}` })];

if (process.argv[2] === "--child") await runAndDie(JSON.parse(process.argv[3]));
else await store(readFlag("--from") ?? root, readFlag("--out"));

async function store(from, out) {
  const { version } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  const target = resolve(out ?? join(root, "test/fixtures/threads", version));
  if (existsSync(target))
    throw new Error(`${target} is there already: stored threads of a release do not change.`);
  const place = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-store-")));
  const work = join(place, "work");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  const model = await startModel();
  const threads = await makeThreads({ from, work, home: place, model });
  model.close();
  mkdirSync(target, { recursive: true });
  cpSync(join(work, "skills"), join(target, "skills"), { recursive: true });
  cpSync(join(work, ".skillgraph/threads.db"), join(target, "threads.db"));
  tidy(join(target, "threads.db"), place);
  writeFileSync(join(target, "threads.json"), `${JSON.stringify({ version, threads }, null, 2)}\n`);
  rmSync(place, { recursive: true });
  process.stdout.write(`${threads.length} threads in ${target}\n`);
}

async function makeThreads({ from, work, home, model }) {
  const library = await import(pathToFileURL(join(from, "dist/index.js")).href);
  const settings = { from, work, home, url: model.url };
  const agent = await open(library, settings);
  const threads = [];
  const keep = async (name, thread) => {
    const { status, request, messages } = await library.readThread(agent, thread);
    const kind = request?.items[0]?.kind;
    threads.push({ name, thread, status, ...(kind ? { kind } : {}), messages: messages.length });
    return thread;
  };
  const send = async (turns, task, options = {}) => {
    model.script.push(...turns);
    return finish(library.startThread(agent, task, { by: "person", ...options }));
  };
  const answer = async (thread, turns, options = {}) => {
    model.script.push(...turns);
    return finish(library.resumeThread(agent, thread, { by: "person", ...options }));
  };
  await keep("finished", await send(["Done."], "/counter a b", { name: "A finished one" }));
  await keep("call", await send([write("w1", "made")], "Write a file."));
  await keep("question", await send([[call("q1", "AskUser", { question: "Which one?" })]], "Ask me."));
  const gate = await keep("gate", await send([completed("s1", { places: ["Rome"] })], "/trip Anna"));
  await keep("form", await send([completed("s1")], "/survey"));

  const { checkpoint } = await library.readThread(agent, gate);
  await keep("fork", await library.forkThread(agent, gate, checkpoint));

  const changed = await send(["Done."], "/changed");
  writeFileSync(join(work, "skills/changed/SKILL.md"), skill("changed", "The text as it is now."));
  const asking = await open(library, settings, { drift: "ask" });
  await finish(library.startThread(asking, "Go on.", { thread: changed }));
  await library.closeAgent(asking);
  await keep("drift", changed);

  const audit = await send([[...write("w1", "one"), ...write("w2", "two")]], "Write two files.");
  const edited = { path: "2", content: "2" };
  const first = [
    { type: "reject", message: "no" },
    { type: "edit", edited_action: { args: edited } },
  ];
  await answer(audit, [write("w3", "three"), "Done."], { reply: { decisions: first } });
  await answer(audit, [], { reply: true });
  if (model.script.length > 0) throw new Error(`${model.script.length} turns of the script are left.`);
  await keep("audit", audit);

  const long = await send(["Answer 1."], "/counter turn 1");
  for (let turn = 2; turn <= 30; turn += 1)
    await send([`Answer ${turn}.`], `Turn ${turn}.`, { thread: long });
  await keep("long", long);

  const stopped = await send([completed("s1", { places: ["Oslo"] })], "/trip Ben");
  model.script.push("Never read.");
  await kill({ ...settings, thread: stopped, reply: true, event: "model-start" });
  model.script.length = 0;
  await keep("killed", stopped);

  model.script.push([call("b1", "Bash", { command: "sleep 1" })]);
  const begun = await kill({ ...settings, task: "/counter", event: "tool-start" });
  await answer(begun, []);
  await keep("outcome", begun);
  await library.closeAgent(agent);
  return threads;
}

function open({ createSkillAgent }, { work, home, url }, options = {}) {
  const environment = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", OPENAI_BASE_URL: url };
  return createSkillAgent({ cwd: work, environment, model: "test-model", trust: true, ...options });
}

async function finish(run) {
  let end;
  for await (const event of run) end = event;
  if (end.status === "failed") throw new Error(end.error.message);
  return end.thread;
}

/** Runs in a process of its own until an event, and kills it there. */
async function kill(plan) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "--child", JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let thread = "";
  child.stdout.on("data", (data) => {
    thread += data;
  });
  const signal = await new Promise((end) => child.on("close", (_code, by) => end(by)));
  if (signal !== "SIGKILL") throw new Error(`The process ended by itself before "${plan.event}".`);
  return thread;
}

async function runAndDie(plan) {
  const library = await import(pathToFileURL(join(plan.from, "dist/index.js")).href);
  const agent = await open(library, plan);
  const run = plan.task
    ? library.startThread(agent, plan.task)
    : library.resumeThread(agent, plan.thread, { reply: plan.reply });
  for await (const event of run) {
    if (event.type === "run-start") writeSync(1, event.thread);
    if (event.type === plan.event) process.kill(process.pid, "SIGKILL");
  }
}

/** A model that says what the script says: a text, or a list of calls. */
async function startModel() {
  const script = [];
  const server = createServer(async (request, response) => {
    for await (const _chunk of request);
    const turn = script.shift() ?? "The script is used up.";
    const delta =
      typeof turn === "string"
        ? { role: "assistant", content: turn }
        : {
            role: "assistant",
            content: null,
            tool_calls: turn.map(({ id, name, arguments: input }, index) => ({
              index,
              id,
              type: "function",
              function: { name, arguments: JSON.stringify(input) },
            })),
          };
    const base = { id: "c", object: "chat.completion.chunk", created: 1, model: "test-model" };
    const choices = [
      { index: 0, delta, finish_reason: null },
      { index: 0, delta: {}, finish_reason: typeof turn === "string" ? "stop" : "tool_calls" },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const choice of choices)
      response.write(`data: ${JSON.stringify({ ...base, choices: [choice] })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { script, url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

/** One small file that names neither this machine nor the folder in which it was made. */
function tidy(file, place) {
  const database = new Database(file);
  database.exec("DELETE FROM lease");
  const names = [
    [place, PLACE],
    [`${userInfo().username}@${hostname()}`, "person@host"],
    [hostname(), "host"],
  ];
  for (const [table, column] of [
    ["blob", "value"],
    ["checkpoint", "body"],
    ["checkpoint", "metadata"],
  ]) {
    for (const { key, value } of database.prepare(`SELECT key, ${column} AS value FROM ${table}`).all()) {
      if (value === null) continue;
      const isText = typeof value === "string";
      const before = isText ? value : Buffer.from(value).toString("utf8");
      const after = names.reduce((text, [name, other]) => text.replaceAll(name, other), before);
      if (after === before) continue;
      database
        .prepare(`UPDATE ${table} SET ${column} = ? WHERE key = ?`)
        .run(isText ? after : Buffer.from(after), key);
    }
  }
  database.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; VACUUM;");
  database.close();
}

function readFlag(name) {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}
