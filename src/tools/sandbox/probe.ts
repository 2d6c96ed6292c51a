import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toMessage } from "../../errors.ts";
import { quoteWord } from "../../skills/arguments/apply-arguments.ts";
import { runCommand } from "../process/run-command.ts";
import { type BubblewrapOptions, createBubblewrap } from "./bubblewrap.ts";

/** What came of trying a sandbox: its version, or why it is not used. */
export type Probe = { version: string } | { fault: string };

const TIMEOUT_MS = 10_000;
const DONE = "the sandbox was entered";

/** Each line prints its name when the sandbox lets through what it must not, or stops what it must let through. */
const CHECKS: readonly (readonly [fault: string, script: string])[] = [
  ["the workspace cannot be written", "echo x > inside || report"],
  ["a folder beside the workspace can be written", "(echo x > ../beside/new) 2> /dev/null && report"],
  ["a file of the home folder can be read", '(read -r line < "$HOME/secret") 2> /dev/null && report'],
  ["a secret of the workspace can be read", "(read -r line < .env) 2> /dev/null && report"],
  ["/etc/shadow can be read", "(read -r line < /etc/shadow) 2> /dev/null && report"],
  ["settings of the machine can be written", "[ -w /proc/sys/kernel/core_pattern ] && report"],
  ["processes outside are seen", '[ -e "/proc/$OUTER" ] && [ "$OUTER" -gt 50 ] && report'],
  [
    "there is a network",
    "while read -r name rest; do case $name in lo: | *\\|*) ;; *:*) report ;; esac; done < /proc/net/dev",
  ],
];

/**
 * Runs a small script in the sandbox, in a folder of its own, to see that it starts and that it holds.
 *
 * @param program absolute path of `bwrap`
 * @param environment what commands see
 */
export async function probeBubblewrap(program: string, environment: Record<string, string>): Promise<Probe> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-sandbox-")));
  try {
    const run = async (words: string[]) => {
      const { output, exitCode } = await runCommand({
        command: words.map(quoteWord).join(" "),
        cwd: root,
        environment,
        timeoutMs: TIMEOUT_MS,
        outputFolder: join(root, "output"),
      });
      return { text: output.text.trim(), exitCode };
    };
    const { text } = await run([program, "--version"]);
    const version = /^bubblewrap (\d+(\.\d+)+)$/.exec(text)?.[1];
    if (version === undefined) return { fault: `${program} --version says "${toFirstLine(text)}"` };
    const result = await run(toProbe(root, { program, version, environment }));
    const lines = result.text.split("\n");
    if (!lines.includes(DONE)) return { fault: `${program} does not start: ${toFirstLine(result.text)}` };
    const leak = lines.find((line) => line !== DONE);
    return leak === undefined ? { version } : { fault: `${program} does not confine: ${leak}` };
  } catch (error) {
    return { fault: `${program} could not be tried: ${toMessage(error)}` };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function toProbe(
  root: string,
  tried: Pick<BubblewrapOptions, "program" | "version"> & { environment: Record<string, string> },
): string[] {
  const [workspace, home, beside] = ["work", "home", "beside"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [workspace, home, beside]) mkdirSync(folder);
  writeFileSync(join(home, "secret"), "secret\n");
  writeFileSync(join(workspace, ".env"), "KEY=secret\n");
  const { environment, ...own } = tried;
  const sandbox = createBubblewrap({
    ...own,
    network: false,
    writable: [],
    stateFolder: join(root, "state"),
    accountHome: home,
  });
  const checks = CHECKS.map(([fault, script]) => `report() { echo ${quoteWord(fault)}; }\n${script}`);
  const script = [`OUTER=${process.pid}`, ...checks, `echo ${quoteWord(DONE)}`].join("\n");
  return sandbox.wrap(["/bin/sh", "-c", script], {
    workspace,
    cwd: workspace,
    readable: [],
    environment: { ...environment, HOME: home },
    approved: false,
  });
}

function toFirstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
