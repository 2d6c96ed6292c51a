// Starts the LangGraph development server for this machine only, and says how LangGraph Studio reaches it.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HOST = "127.0.0.1";
const USUAL_PORT = 2024;
/** Longer than the three seconds that the server takes to write its threads. */
const STOP_MS = 6_000;

const USAGE = `npm run studio -- [--port N] [--cwd DIR] [--browser]

  --port N    the port; without it ${USUAL_PORT}, or another one when that is taken
  --cwd DIR   the workspace of the agent, by default the folder in which you typed it
  --browser   opens LangGraph Studio`;

const root = fileURLToPath(new URL("..", import.meta.url));

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else await serve(options);
} catch (error) {
  console.error(error.message);
  process.exitCode = error.exitCode ?? 1;
}

function readOptions(words) {
  const { values } = parse(words);
  const { port, cwd = process.env.INIT_CWD ?? process.cwd(), browser = false, help = false } = values;
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) > 0 && Number(port) < 65_536)) {
    throw usage(`"${port}" is no port. Choose one from 1 to 65535.`);
  }
  if (!existsSync(cwd) || !statSync(cwd).isDirectory()) throw usage(`No folder "${cwd}" to work in.`);
  return { port: port && Number(port), cwd: resolve(cwd), browser, help };
}

function parse(words) {
  const options = { port: { type: "string" }, cwd: { type: "string" }, browser: { type: "boolean" } };
  try {
    return parseArgs({ args: words, options: { ...options, help: { type: "boolean", short: "h" } } });
  } catch (error) {
    throw usage(`${error.message.split("\n")[0]}\n\n${USAGE}`);
  }
}

function usage(message) {
  return Object.assign(new Error(message), { exitCode: 2 });
}

async function serve({ port: wanted, cwd, browser }) {
  const release = takeStore();
  try {
    await run({ port: wanted, cwd, browser });
  } finally {
    release();
  }
}

/** Two servers on one store would overwrite each other's threads. */
function takeStore() {
  const folder = join(root, ".langgraph_api");
  const path = join(folder, "server.pid");
  mkdirSync(folder, { recursive: true });
  const holder = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
  if (holder > 0 && holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `Another server of this clone is running (process ${holder}), and both would write to ${folder}. Stop it first.`,
    );
  }
  writeFileSync(path, `${process.pid}\n`);
  return () => rmSync(path, { force: true });
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

async function run({ port: wanted, cwd, browser }) {
  const port = await findPort(wanted);
  const server = startServer(port, cwd, browser);
  const ended = new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", (code) => resolve(code));
  });
  let stopping;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      stopping ??= stop(server);
    });
  }
  const isReady = await Promise.race([waitUntilReady(port, server), ended.then(() => false)]);
  if (isReady) tell(port, cwd);
  const code = await ended;
  await stopping;
  if (stopping) return;
  throw Object.assign(new Error(`The server ended${isReady ? "" : " before it was ready"}; see above.`), {
    exitCode: code || 1,
  });
}

/** A taken port is only a line in the server's log, so it is looked at before. */
async function findPort(wanted) {
  if (await isFree(wanted ?? USUAL_PORT)) return wanted ?? USUAL_PORT;
  if (wanted !== undefined) {
    throw new Error(`Port ${wanted} is taken. Choose another one with --port, or leave it out.`);
  }
  console.error(`Port ${USUAL_PORT} is taken; another one is used.`);
  return (await listen(0)) ?? findPort(wanted);
}

async function isFree(port) {
  return (await listen(port)) !== undefined;
}

/** Listens for a moment: the port that it was, or nothing when it is taken. */
function listen(port) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    probe.listen({ port, host: HOST, exclusive: true }, () => {
      const { port: given } = probe.address();
      probe.close(() => resolve(given));
    });
  });
}

function startServer(port, cwd, browser) {
  const cli = createRequire(import.meta.url).resolve("@langchain/langgraph-cli/package.json");
  const words = [
    ...[join(dirname(cli), "dist/cli/cli.mjs"), "dev", "--config", join(root, "langgraph.json")],
    ...["--host", HOST, "--port", String(port)],
    // An agent that edits what it runs from would restart the server under itself.
    "--no-reload",
    ...(browser ? [] : ["--no-browser"]),
  ];
  return spawn(process.execPath, words, {
    cwd,
    // Its log goes where notices go. A group of its own, so that all of it can be stopped.
    stdio: ["ignore", 2, 2],
    detached: true,
    env: { LANGSMITH_TRACING: "false", ...process.env, LANGGRAPH_CLI_NO_ANALYTICS: "1" },
  });
}

async function waitUntilReady(port, server) {
  while (server.exitCode === null && server.signalCode === null) {
    const response = await fetch(`http://${HOST}:${port}/ok`).catch(() => undefined);
    if (response?.ok) return true;
    await wait(200);
  }
  return false;
}

function tell(port, cwd) {
  const api = `http://${HOST}:${port}`;
  console.log(`Studio     https://smith.langchain.com/studio?baseUrl=${api}
API        ${api}
Workspace  ${cwd}
Threads    in ${join(root, ".langgraph_api")}, kept by this server; the command line has its own store
Stop       Ctrl-C`);
}

/** Asks the whole group to end, which writes its threads first, and ends it when it does not. */
async function stop(server) {
  // To the first process only: it tells the others, and a second word would end the server while it writes.
  server.kill("SIGTERM");
  const deadline = Date.now() + STOP_MS;
  while (isGroupAlive(server) && Date.now() < deadline) await wait(50);
  signal(server, "SIGKILL");
}

function isGroupAlive(server) {
  return signal(server, 0);
}

function signal(server, name) {
  try {
    return process.kill(-server.pid, name);
  } catch (error) {
    if (error.code === "ESRCH") return false;
    throw error;
  }
}
