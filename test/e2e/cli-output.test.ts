import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";
import { noSandbox } from "../tools/process/bubble.ts";

const FENCE = "```";
const mine = ["--skills", "mine", "--allow"];
const MODES = noSandbox === undefined ? ["off", "required"] : ["off"];

/** A skill that runs one script, in a workspace with the person's settings. */
function createRunner(script: string, sandbox: string) {
  const header = { name: "runner", description: "Runs a script." };
  const block = `${FENCE}bash run\nbash "\${CLAUDE_SKILL_DIR}/scripts/run.sh"\n${FENCE}`;
  const workspace = createWorkspace({
    "mine/runner/SKILL.md": skillText(header, block),
    "mine/runner/scripts/run.sh": script,
    "../home/.config/skillgraph/settings.json": JSON.stringify({ sandbox }),
  });
  chmodSync(workspace.folder, 0o777);
  const cli = createCli(workspace);
  const run = async (options: Parameters<typeof cli.run>[1] = {}) => {
    const result = await cli.run(["run", ...mine, "--json", "/runner"], options);
    const end = parseLines(result.stdout).find(({ type, tool }) => type === "tool-end" && tool === "Bash");
    return { ...result, text: String(end?.output ?? result.stderr) };
  };
  return { ...cli, workspace, run, start: cli.start, cli: cli.run };
}

/** Command lines of what runs on this machine. */
function findCommands(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(`${name}/cmdline`).replaceAll("\0", " ").trim())
    .filter((line) => line.includes(text));
}

function readProcess(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    // It ended meanwhile.
    return "";
  }
}

async function waitFor(isTrue: () => boolean): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 20) {
    if (waited > 10_000) throw new Error("It did not happen within ten seconds.");
    await delay(20);
  }
}

describe.skipIf(process.platform !== "linux")("commands on the real CLI", () => {
  it.skipIf(noSandbox === undefined)(`are not tried in a sandbox here: ${noSandbox}`, () => {
    expect(MODES).toEqual(["off"]);
  });

  describe.each(MODES)("with sandbox %s", (sandbox) => {
    it("G1: what waits for a person ends at once", async () => {
      const script = [
        "cat; echo cat $?",
        "read x; echo read $?",
        "python3; echo python3 $?",
        'sh -c "read x </dev/tty"; echo terminal $?',
        "git init -q . && git config user.name x && git config user.email x@x",
        "git commit --allow-empty; echo commit $?",
      ];
      const { run } = createRunner(script.join("\n"), sandbox);
      const { text } = await run();
      const ends = ["cat 0", "read 1", "python3 0", "terminal 2", "commit 1"];
      expect(text.split("\n").filter((line) => ends.includes(line))).toEqual(ends);
      expect(text).toContain("empty commit message");
      expect(text).not.toContain("Stopped");
    });

    it.each([
      ["sleep 331.5 & setsid sleep 331.5 & echo ok", "sleep 331.5"],
      ["nohup python3 -m http.server 0 --bind 127.0.0.2 & sleep 0.5; echo ok", "python3 -m http.server 0"],
    ])("G2: %s ends with the run, and is named", async (script, name) => {
      const { text, code } = await createRunner(script, sandbox).run();
      expect(text).toContain("ok\n");
      expect(text).toMatch(
        /\[Left running in the background, and ended because the call ended: \d+ \(.*\)\.]$/,
      );
      expect(text).toContain(name);
      expect(code).toBe(0);
      expect(findCommands("331.5").concat(findCommands("127.0.0.2"))).toEqual([]);
    });

    it("G3: Ctrl-C ends the whole tree, leaves one result, and the next resume finds nothing that runs", async () => {
      const { start, cli, workspace } = createRunner(
        `echo begun > begun.txt; setsid sleep 332.5 & (sleep 3; touch late.txt) & sh -c "trap '' TERM; sleep 332.5"`,
        sandbox,
      );
      const { child, ended } = start(["run", ...mine, "--json", "/runner"]);
      child.stdin.end();
      await waitFor(
        () => existsSync(join(workspace.folder, "begun.txt")) && findCommands("332.5").length > 0,
      );
      child.kill("SIGINT");
      const { code, stdout } = await ended;
      expect(code).toBe(130);
      expect(findCommands("332.5")).toEqual([]);
      const events = parseLines(stdout);
      expect(events.filter(({ type }) => type === "tool-end").length).toBeLessThanOrEqual(1);
      expect(events.filter(({ type }) => type === "run-end")).toHaveLength(1);
      const resumed = await cli(["resume", ...mine, "--json"]);
      expect(resumed.code).toBe(3);
      expect(parseLines(resumed.stdout).at(-1)).toMatchObject({ type: "run-end", status: "waiting" });
      await delay(2_500);
      expect(workspace.exists("late.txt")).toBe(false);
    });

    it("G3: kill -9 of the CLI leaves nothing that the next resume does not end", async () => {
      const { start, cli, workspace } = createRunner(
        "echo begun > begun.txt; sleep 333.5 & sleep 333.5; true",
        sandbox,
      );
      const { child, ended } = start(["run", ...mine, "/runner"]);
      child.stdin.end();
      await waitFor(() => findCommands("sleep 333.5").length >= 2);
      child.kill("SIGKILL");
      await ended;
      if (sandbox !== "off") await waitFor(() => findCommands("333.5").length === 0);
      expect((await cli(["resume", ...mine])).stdout).toContain("It is not known how this call ended");
      expect(findCommands("333.5")).toEqual([]);
      expect(workspace.read("begun.txt")).toBe("begun\n");
    });

    it("G4: memory stays under 300 MB while a command prints 200 MB", async () => {
      const { start, workspace } = createRunner("echo first; yes | head -c 200M; echo last", sandbox);
      const { child, ended } = start(["run", ...mine, "--json", "/runner"]);
      child.stdin.end();
      let peak = 0;
      const watch = setInterval(() => {
        const status = readProcess(`${child.pid}/status`);
        peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0));
      }, 20);
      const { stdout } = await ended;
      clearInterval(watch);
      const text = String(parseLines(stdout).find(({ type }) => type === "tool-end")?.output);
      expect(text).toMatch(/^first\ny\n[\s\S]*209,715,211 bytes[\s\S]*last$/);
      expect(text.length).toBeLessThan(31_000);
      const [, file = ""] = /bytes are in (\S+)\.\s/.exec(text) ?? [];
      expect(statSync(file).size).toBe(209_715_211);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(stdout.length).toBeLessThan(200_000);
      const kept = readdirSync(join(workspace.folder, ".skillgraph")).map(
        (name) => statSync(join(workspace.folder, ".skillgraph", name)).size,
      );
      expect(Math.max(...kept)).toBeLessThan(5_000_000);
      process.stdout.write(`peak memory of the CLI, sandbox ${sandbox}: ${Math.round(peak / 1024)} MB\n`);
      expect(peak).toBeGreaterThan(0);
      expect(peak).toBeLessThan(300 * 1024);
    });

    it("G8: names are printed as they are, other bytes so that they can be read", async () => {
      const script = [
        "mkdir -p src/表; echo x > src/表/é.ts; git init -q .; git add src; git status --short src",
        "touch 'src/a[1].txt' 'src/b c' $'src/new\\nline' $'src/esc\\e[31m' $'src/\\u202ebidi'; ls -1 src",
        "printf '\\033[31mred\\033[0m\\033]0;title\\007\\n1%%\\r50%%\\r100%%\\nbell\\007 nul\\000\\n'",
      ];
      const { text } = await createRunner(script.join("\n"), sandbox).run();
      const lines = [
        "A  src/表/é.ts",
        "a[1].txt",
        "b c",
        "esc",
        "new",
        "line",
        "表",
        "\u202ebidi",
        "red",
        "100%",
        "bell␇ nul␀",
      ];
      expect(text.split("\n").slice(0, lines.length).sort()).toEqual(lines.sort());
    });

    it("G8: binary output is said and not shown, and bytes of another encoding are said", async () => {
      const script =
        "if [ -e seen ]; then cat /usr/bin/env; else touch seen; printf '\\xc4\\xe3\\xba\\xc3\\n'; fi";
      const { run } = createRunner(script, sandbox);
      expect((await run()).text).toMatch(/^�+.*\n\[Some bytes are not UTF-8 and are shown as �\.]$/);
      expect((await run()).text).toMatch(/^\[Binary output, not shown\. All [\d,]+ bytes are in /);
    });
  });

  it("a workspace that is a link is the folder it leads to", async () => {
    const { run, workspace } = createRunner("pwd; echo x > made.txt", "off");
    const link = join(workspace.home, "link");
    symlinkSync(workspace.folder, link);
    expect((await run({ cwd: link })).text).toBe(workspace.folder);
    expect(workspace.read("made.txt")).toBe("x\n");
    expect(readlinkSync(link)).toBe(workspace.folder);
  });

  it("no text of an earlier output is for other users, or for git", async () => {
    const { run, workspace } = createRunner("yes | head -c 1M", "off");
    await run();
    const folder = join(workspace.folder, ".skillgraph", "output");
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });
});
