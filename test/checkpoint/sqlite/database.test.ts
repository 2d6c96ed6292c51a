import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/checkpoint/sqlite/database.ts";
import { SqliteSaver } from "../../../src/checkpoint/sqlite/sqlite-saver.ts";
import { makeFolder, openTestDatabase, openTestSaver } from "../support.ts";
import { createTestGraph, onThread, readTexts, say } from "../test-graph.ts";

const metadata = { source: "loop", step: 0, parents: {} } as const;

function unavailable(file: string, reason: RegExp) {
  return {
    code: "checkpoint-unavailable",
    message: expect.stringMatching(new RegExp(`${file.replaceAll(/[.\\]/g, "\\$&")}.*${reason.source}`)),
  };
}

describe("the file", () => {
  it("is made with mode 0600, its side files too, in a folder with mode 0700", async () => {
    const file = join(makeFolder(), "a", "b", "threads.db");
    const { saver } = await openTestSaver(file);
    await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(existsSync(join(dirname(file), ".gitignore"))).toBe(false);
  });

  it("keeps the mode it has when it is there already", async () => {
    const file = join(makeFolder(), "threads.db");
    writeFileSync(file, "");
    chmodSync(file, 0o640);
    await openTestDatabase(file);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it("lies in a folder that ignores itself in git when that is named .skillgraph", async () => {
    const folder = join(makeFolder(), ".skillgraph");
    await openTestDatabase(join(folder, "threads.db"));
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("leaves a .gitignore alone that is there already, and adds one to a folder without", async () => {
    const folder = join(makeFolder(), ".skillgraph");
    mkdirSync(folder);
    await openTestDatabase(join(folder, "threads.db"));
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
    writeFileSync(join(folder, ".gitignore"), "!threads.db\n");
    await openTestDatabase(join(folder, "threads.db"));
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("!threads.db\n");
  });

  it.each([
    ["deleted", (file: string) => rmSync(file)],
    [
      "replaced",
      (file: string) => {
        renameSync(file, `${file}.old`);
        writeFileSync(file, "");
      },
    ],
  ])("that is %s while it is open takes nothing more, and says so", async (_how, change) => {
    const { saver, file } = await openTestSaver();
    await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    change(file);
    const put = saver.put(onThread("u"), emptyCheckpoint(), metadata, {});
    await expect(put).rejects.toMatchObject(unavailable(file, /deleted or replaced while it was open/));
    const again = await openTestSaver(file);
    expect(await again.saver.getTuple(onThread("t"))).toBeUndefined();
    await again.saver.put(onThread("u"), emptyCheckpoint(), metadata, {});
    expect(await again.saver.getTuple(onThread("u"))).toBeDefined();
  });

  it("holds what was stored when it is opened again", async () => {
    const { saver, database, file } = await openTestSaver();
    await createTestGraph(saver).invoke(say("a"), onThread("t"));
    database.close();
    expect(await readTexts(createTestGraph((await openTestSaver(file)).saver), "t")).toEqual(["a", "done"]);
  });

  it("may be opened by eight at once when it is not there yet", async () => {
    const file = join(makeFolder(), "threads.db");
    const savers = await Promise.all(
      Array.from({ length: 8 }, async () => (await openTestSaver(file)).saver),
    );
    await Promise.all(
      savers.map((saver, index) => saver.put(onThread(`t${index}`), emptyCheckpoint(), metadata, {})),
    );
    expect(await savers[0]?.getTuple(onThread("t7"))).toBeDefined();
  });

  it("fails by name after it was closed, and may be closed twice", async () => {
    const { saver, database, file } = await openTestSaver();
    database.close();
    database.close();
    await expect(saver.getTuple(onThread("t"))).rejects.toMatchObject(unavailable(file, /closed/));
  });
});

describe("a file that cannot be used", () => {
  it.each([
    ["text", "This is a diary. ".repeat(200), /not a SQLite database/],
    ["a few bytes", "hello", /not a SQLite database/],
  ])("that holds %s is named and not touched", async (_name, text, reason) => {
    const file = join(makeFolder(), "threads.db");
    writeFileSync(file, text);
    await expect(openDatabase(file)).rejects.toMatchObject(unavailable(file, reason));
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("that is another program's database is named and not touched", async () => {
    const file = join(makeFolder(), "threads.db");
    const other = new Libsql(file);
    other.exec("CREATE TABLE checkpoints (a); INSERT INTO checkpoints VALUES (1)");
    other.close();
    const before = readFileSync(file);
    await expect(openDatabase(file)).rejects.toMatchObject(unavailable(file, /another program/));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("that a newer version wrote is refused in one line and keeps its data", async () => {
    const { saver, database, file } = await openTestSaver();
    await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    database.exec("PRAGMA user_version = 99");
    const refused = openDatabase(file);
    await expect(refused).rejects.toMatchObject(unavailable(file, /newer skillgraph \(format 99/));
    await expect(refused).rejects.toMatchObject({ message: expect.not.stringContaining("\n") });
    database.exec("PRAGMA user_version = 2");
    expect(await saver.getTuple(onThread("t"))).toBeDefined();
  });

  it("that is a folder, or lies below a file, is named", async () => {
    const folder = makeFolder();
    await expect(openDatabase(folder)).rejects.toMatchObject(unavailable(folder, /EISDIR/));
    const below = join(folder, "file", "threads.db");
    writeFileSync(join(folder, "file"), "");
    await expect(openDatabase(below)).rejects.toMatchObject(unavailable(below, /ENOTDIR|EEXIST/));
  });

  it("that lies in a read-only folder is named", async () => {
    const folder = makeFolder();
    const file = join(folder, "threads.db");
    if (process.getuid?.() === 0) {
      // Root may write anywhere but where the system itself refuses.
      const proc = "/proc/threads.db";
      if (existsSync("/proc"))
        await expect(openDatabase(proc)).rejects.toMatchObject(unavailable(proc, /ENOENT|EACCES|EROFS/));
      return;
    }
    chmodSync(folder, 0o500);
    await expect(openDatabase(file)).rejects.toMatchObject(unavailable(file, /EACCES/));
  });

  it("that became read-only is named at the first put", async () => {
    const { saver, database, file } = await openTestSaver();
    database.exec("PRAGMA query_only = ON");
    const put = saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    await expect(put).rejects.toMatchObject(unavailable(file, /read-only/));
  });

  it("on a full disk is named, keeps what it had, and goes on when there is room again", async () => {
    const { saver, database, file } = await openTestSaver();
    const graph = createTestGraph(saver, (last) => `to ${last}`);
    await graph.invoke(say("a"), onThread("t"));
    const pages = database.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
    database.get(`PRAGMA max_page_count = ${pages}`);
    const long = "long ".repeat(20_000);
    await expect(graph.invoke(say(long), onThread("t"))).rejects.toMatchObject(
      unavailable(file, /disk is full/),
    );
    expect(await readTexts(graph, "t")).toEqual(["a", "to a"]);
    database.get("PRAGMA max_page_count = 1000000");
    await graph.invoke(say("b"), onThread("t"));
    expect(await readTexts(graph, "t")).toEqual(["a", "to a", "b", "to b"]);
  });

  it("for want of the driver is named with what to do", () => {
    const script = `
      import { register } from "node:module";
      register("data:text/javascript," + encodeURIComponent(\`export async function resolve(name, context, next) {
        if (name === "libsql") throw new Error("Cannot find module '@libsql/linux'");
        return next(name, context);
      }\`));
      const { openDatabase } = await import(process.argv[1]);
      await openDatabase("x.db").catch((error) => console.log(error.code, error.message));`;
    const folder = makeFolder();
    const bundle = join(folder, "database.mjs");
    const esbuild = createRequire(import.meta.url).resolve("esbuild/bin/esbuild");
    const source = join(import.meta.dirname, "../../../src/checkpoint/sqlite/database.ts");
    const options = [
      "--bundle",
      "--platform=node",
      "--format=esm",
      "--packages=external",
      `--outfile=${bundle}`,
    ];
    expect(spawnSync(esbuild, [source, ...options], { encoding: "utf8" }).status).toBe(0);
    const child = spawnSync(process.execPath, ["--input-type=module", "-e", script, bundle], {
      encoding: "utf8",
      cwd: folder,
    });
    expect(child.stdout).toMatch(/^checkpoint-unavailable .*"libsql" cannot be loaded.*npm install/);
    expect(existsSync(join(folder, "x.db"))).toBe(false);
  });
});

describe("a file that another connection holds", () => {
  it("E2: is waited for while the program goes on, and no step is lost", async () => {
    const { file, saver } = await openTestSaver();
    const graph = createTestGraph(saver);
    await graph.invoke(say("a"), onThread("t"));
    const other = new Libsql(file);
    other.exec("BEGIN IMMEDIATE");
    let ticks = 0;
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      ticks += 1;
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    setTimeout(() => other.exec("COMMIT"), 1_000);
    await graph.invoke(say("b"), onThread("t"));
    clearInterval(timer);
    other.close();
    expect(ticks).toBeGreaterThan(30);
    expect(longest).toBeLessThan(500);
    expect(await readTexts(graph, "t")).toEqual(["a", "done", "b", "done"]);
  });

  it("E2: fails by name when the wait is over, and can be read meanwhile", async () => {
    const { file } = await openTestSaver();
    const saver = new SqliteSaver(await openTestDatabase(file, 300));
    await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
    const other = new Libsql(file);
    other.exec("BEGIN IMMEDIATE");
    const put = saver.put(onThread("u"), { ...emptyCheckpoint(), id: uuid6(1) }, metadata, {});
    await expect(put).rejects.toMatchObject(unavailable(file, /locked by another process/));
    expect(await saver.getTuple(onThread("t"))).toBeDefined();
    other.exec("ROLLBACK");
    other.close();
    await saver.put(onThread("u"), { ...emptyCheckpoint(), id: uuid6(2) }, metadata, {});
  });

  it("E2: is waited for when it is opened", async () => {
    const file = join(makeFolder(), "threads.db");
    const other = new Libsql(file);
    other.exec("BEGIN EXCLUSIVE");
    setTimeout(() => other.exec("COMMIT"), 300);
    const started = performance.now();
    await openTestDatabase(file);
    expect(performance.now() - started).toBeGreaterThan(250);
    other.close();
  });

  it("E2: two programs that write different threads at once lose nothing", async () => {
    const { file, saver } = await openTestSaver();
    const graphs = [createTestGraph(saver), createTestGraph((await openTestSaver(file)).saver)];
    const turns = graphs.map(async (graph, index) => {
      for (let turn = 0; turn < 10; turn += 1) await graph.invoke(say(`q${turn}`), onThread(`t${index}`));
    });
    await Promise.all(turns);
    for (const index of [0, 1]) expect(await readTexts(graphs[0]!, `t${index}`)).toHaveLength(20);
  });
});
