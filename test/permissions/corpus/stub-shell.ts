import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { listChanges, takeSnapshot } from "./snapshot.ts";

/** What a command line really did: each program with its words, and the files that came, changed or went. */
export interface RealRun {
  programs: string[][];
  /** Relative to the folder around workspace and home. */
  files: string[];
  exitCode: number | null;
}

/** A real bash in which every program writes down how it was called. */
export interface StubShell {
  workspace: string;
  home: string;
  run: (command: string, folder?: string) => Promise<RealRun>;
  remove: () => void;
}

/** These note their call and do nothing more. */
const SILENT =
  `touch tee rm mv cp ln dd mkdir chmod curl wget ssh scp nc sudo npm npx make docker vi vim editor less pager more
  skillgraph p sponge kill crontab at gh yarn pip php ruby unlink truncate install shred cargo apt-get rg`.split(
    /\s+/,
  );
/** These note their call, then are what they are called, so that what they start or write is seen too. */
const REAL =
  `git find sed awk sort tar xargs env timeout nice nohup setsid stdbuf cat head tail wc ls grep cut tr uniq
  split printf echo pwd true false test date seq basename dirname xxd tac sh bash node python3 perl jq base64 diff
  sleep od comm file time`.split(/\s+/);
const PLACES = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];
const TIME_LIMIT_MS = 5000;
/** Only the programs that are called tell of it, so those that bash has itself are switched off. */
const START_FILE = "enable -n echo pwd true false kill 2>/dev/null\n";

/** The shell that the tests use; undefined where there is none. */
export const BASH = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"].find(
  isProgram,
);

/** Makes a folder with a workspace, a home and the stubs. One command at a time runs in it. */
export function createStubShell(): StubShell {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-stubs-")));
  const [area, template, programs, real, log] = ["area", "template", "programs", "real", "log"].map((name) =>
    join(root, name),
  ) as [string, string, string, string, string];
  for (const folder of [programs, real, log]) mkdirSync(folder);
  writeStubs(programs, real, log);
  writeFileSync(join(root, "start"), START_FILE);
  fillArea(template);
  cpSync(template, area, { recursive: true });
  const before = takeSnapshot(area);
  const workspace = join(area, "ws");
  const home = join(area, "home");

  const restore = (path: string): void => {
    rmSync(join(area, path), { recursive: true, force: true });
    if (existsSync(join(template, path))) cpSync(join(template, path), join(area, path), { recursive: true });
  };

  const run = async (command: string, folder = "."): Promise<RealRun> => {
    const child = spawn(BASH ?? "bash", ["-c", command], {
      cwd: join(workspace, folder),
      env: { PATH: programs, HOME: home, BASH_ENV: join(root, "start"), LC_ALL: "C.UTF-8", GIT_EDITOR: ":" },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exitCode = await waitForEnd(child);
    const files = listChanges(before, takeSnapshot(area));
    for (const path of files) restore(path);
    if (files.length > 0) for (const [path, mark] of takeSnapshot(area)) before.set(path, mark);
    return { programs: takeLog(log), files, exitCode };
  };

  return { workspace, home, run, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function writeStubs(programs: string, real: string, log: string): void {
  // Separate arguments end in NUL; their number stands in front, so that none can look like another call.
  const note = `printf '%s\\0' "$#" "\${0##*/}" "$@" >> '${log}'/$$\n`;
  const silent = join(programs, "..", "silent");
  const through = join(programs, "..", "through");
  writeFileSync(silent, `#!/bin/sh\n${note}`);
  writeFileSync(through, `#!/bin/sh\n${note}exec '${real}'/"\${0##*/}" "$@"\n`);
  for (const stub of [silent, through]) chmodSync(stub, 0o755);
  for (const name of [...SILENT, ...REAL]) {
    const folders = name === "node" ? [dirname(process.execPath)] : PLACES;
    const path = REAL.includes(name)
      ? folders.map((folder) => join(folder, name)).find(isProgram)
      : undefined;
    if (path !== undefined) symlinkSync(path, join(real, name));
    symlinkSync(path === undefined ? silent : through, join(programs, name));
  }
}

function fillArea(area: string): void {
  const workspace = join(area, "ws");
  for (const folder of ["ws/scripts", "ws/sub", "ws/out", "home"])
    mkdirSync(join(area, folder), { recursive: true });
  for (const name of ["README.md", "f", "a.txt", "b.txt", "sub/inner.txt"])
    writeFileSync(join(workspace, name), `one ${name}\ntwo\nthree\n`);
  writeFileSync(join(workspace, "scripts/build.js"), "// nothing\n");
  writeFileSync(join(workspace, "x.py"), "pass\n");
  writeFileSync(join(workspace, "data.json"), '{"a": 1}\n');
  writeFileSync(join(workspace, "p"), "#!/bin/sh\ntouch P\n");
  chmodSync(join(workspace, "p"), 0o755);
  const environment = { PATH: PLACES.join(":"), HOME: join(area, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  const settings = [
    ["init", "-q", "--template="],
    ["config", "user.name", "a"],
    ["config", "user.email", "a@b.c"],
  ];
  for (const args of [...settings, ["add", "."], ["commit", "-q", "-m", "first"]])
    spawnSync("git", args, { cwd: workspace, env: environment });
  spawnSync("tar", ["cf", "out/a.tar", "f"], { cwd: workspace, env: environment });
}

/** The end of everything that holds the output open, at most the time limit. */
function waitForEnd(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), TIME_LIMIT_MS);
    child.stdout?.resume();
    child.stderr?.resume();
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

function takeLog(log: string): string[][] {
  const calls: string[][] = [];
  for (const file of readdirSync(log)) {
    const pieces = readFileSync(join(log, file), "utf8").split("\0");
    for (let index = 0; index < pieces.length - 1; ) {
      const end = index + 2 + Number(pieces[index]);
      calls.push(pieces.slice(index + 1, end));
      index = end;
    }
    rmSync(join(log, file));
  }
  return calls;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
