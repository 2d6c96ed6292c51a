import { statSync } from "node:fs";
import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { resolveDecidedPath } from "./files/decided-path.ts";
import { createInput } from "./input.ts";
import { hasLoneSurrogate, toCount } from "./output.ts";
import { type CommandResult, runCommand } from "./process/run-command.ts";
import type { Sandbox, SandboxPlace } from "./sandbox/sandbox.ts";
import { defineTool, type ToolContext } from "./tool.ts";
import { type Place, resolvePath, toShownPath } from "./workspace.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** A daemon that closes all files and drops its variables and its parent cannot be told from others. */
const ENDED = "All that could be found of what it started was ended.";

/** What the system answers to a command that may not. */
const BLOCKED = /read-only file system|permission denied|operation not permitted|\bE(?:ROFS|ACCES|PERM)\b/i;
const UNREACHED =
  /network is unreachable|could not resolve|name resolution|name or service not known|connection refused|can ?not connect|\bE(?:NETUNREACH|AI_AGAIN|NOTFOUND|CONNREFUSED)\b/i;
const ABSENT = /no such file|does not exist|does not appear to be a git repository/i;
const OUTSIDE = /(?:^|[\s'"`‘(=])\/(?!(?:usr|bin|lib|lib64|proc|dev)\/)[^\s/]/;

/** Runs a shell command in the workspace. What it leaves in the background ends with the call. */
export const bashTool = defineTool({
  name: "Bash",
  description:
    "Run a shell command in the workspace and get what it prints. There is no terminal and standard input is " +
    "empty. Processes left in the background are ended when the command ends, so start and use a server in one " +
    "command. Prefer Read, Edit, Glob and Grep for files.",
  input: createInput(
    {
      command: z.string().min(1).describe("The command, for bash."),
      description: z
        .string()
        .optional()
        .describe("What it does, in a few words, for the person who is asked."),
      working_directory: z.string().optional().describe("Folder to run in; the workspace by default."),
      timeout_ms: z
        .number()
        .positive()
        .optional()
        .describe(`Time limit in milliseconds; ${DEFAULT_TIMEOUT_MS} by default, at most ${MAX_TIMEOUT_MS}.`),
    },
    { block_until_ms: "timeout_ms", timeout: "timeout_ms", cwd: "working_directory", cmd: "command" },
  ),
  target: ({ command, working_directory }, context) => ({
    kind: "command",
    command,
    cwd: toFolder(working_directory, context),
  }),
  readOnly: false,
  idempotent: false,
  run: async (input, context) => (await runBash(input, context)).text,
});

/** A command for {@link runBash}. */
export interface BashInput {
  command: string;
  /** Default: the workspace. */
  working_directory?: string | undefined;
  /** Time limit in milliseconds. Default: 120,000; at most 600,000. */
  timeout_ms?: number | undefined;
}

/** Runs a command and says how it went, as text for a model. `ok`: it ended by itself, with exit code 0. */
export async function runBash(
  input: BashInput,
  context: ToolContext,
): Promise<{ text: string; ok: boolean }> {
  const { command, working_directory, timeout_ms = DEFAULT_TIMEOUT_MS } = input;
  const { sandbox, sandboxMissing, environment } = context;
  if (sandboxMissing !== undefined) throw new SkillgraphError("tool-failed", sandboxMissing);
  if (command.includes("\0") || hasLoneSurrogate(command)) {
    throw new SkillgraphError("tool-failed", "A command cannot hold NUL or half a surrogate pair.");
  }
  const timeoutMs = Math.min(timeout_ms, MAX_TIMEOUT_MS);
  const cwd = resolveDecidedPath(working_directory ?? ".", context, "write");
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SkillgraphError("tool-failed", `No folder ${toShownPath(cwd, context.workspace)} to run in.`);
  }
  const place = toSandboxPlace(cwd, context);
  let removed: string[] = [];
  const run = runCommand({
    command,
    cwd,
    environment,
    timeoutMs,
    outputFolder: context.outputFolder,
    confine: sandbox && ((words) => sandbox.wrap(words, place)),
    signal: context.signal,
    onStart: (group) => context.onProcessGroup?.("start", group),
    onEnd: (group) => context.onProcessGroup?.("end", group),
  });
  // Also when it could not be told how the command ended.
  const result = await run.finally(() => {
    removed = sandbox?.settle?.(place) ?? [];
  });
  const lowered = timeout_ms > MAX_TIMEOUT_MS ? [`[Time limit lowered to ${MAX_TIMEOUT_MS} ms.]`] : [];
  const { exitCode, signal, timedOut, aborted } = result;
  const ok = exitCode === 0 && signal === null && !timedOut && !aborted;
  const confined = sandbox && !ok ? toSandboxHint(result, sandbox, context.workspace) : [];
  const settled = removed.map(
    (path) =>
      `[Removed ${toShownPath(path, context.workspace)}: it would make git read its settings from elsewhere.]`,
  );
  // How it ended comes last: that is where readers of the result look for it.
  const lines = [...toOutput(result), ...confined, ...settled, ...lowered, ...toEnd(result, timeoutMs)];
  return { text: lines.join("\n"), ok };
}

function toSandboxPlace(cwd: string, context: ToolContext): SandboxPlace {
  const { workspace, readableFolders: readable, environment, approved = false } = context;
  return { workspace, cwd, readable, environment, approved };
}

/** A command does not know why it may not; a model that is not told tries again and again. */
function toSandboxHint({ output }: CommandResult, sandbox: Sandbox, workspace: string): string[] {
  const { program, network } = sandbox;
  const isStopped = BLOCKED.test(output.text) || missesWhatLiesOutside(output.text, workspace);
  if (!isStopped && (network || !UNREACHED.test(output.text))) return [];
  const reach = network
    ? "only the workspace can be written, and what lies outside may be missing"
    : "only the workspace can be written, what lies outside may be missing, and no network is reached";
  return [
    `[It ran in a sandbox (${program}): ${reach}. A person can allow more with "sandbox" in the settings.]`,
  ];
}

/** Goes by the words alone: whether the place is there is not the model's to learn. */
function missesWhatLiesOutside(text: string, workspace: string): boolean {
  return text.split("\n").some((line) => ABSENT.test(line) && OUTSIDE.test(line.replaceAll(workspace, ".")));
}

function toFolder(path: string | undefined, place: Place): string {
  return resolvePath(path ?? ".", place, "write");
}

function toOutput(result: CommandResult): string[] {
  const output = result.output.text.replace(/\n+$/, "");
  return [output === "" ? "[No output.]" : output, ...toLeft(result)];
}

function toLeft({ leftBehind }: CommandResult): string[] {
  if (leftBehind.length === 0) return [];
  const list = leftBehind.map(({ pid, command }) => `${pid} (${command})`).join(", ");
  return [`[Left running in the background, and ended because the call ended: ${list}.]`];
}

function toEnd(result: CommandResult, timeoutMs: number): string[] {
  const isSilent = /^\n*$/.test(result.output.text);
  if (result.aborted) return [`[Stopped: the run was cancelled. ${ENDED}]`];
  if (result.timedOut) {
    const limit = `${toCount(timeoutMs)} ms`;
    return [`[Stopped at the time limit of ${limit}. ${ENDED} Use a larger timeout_ms.]`];
  }
  if (result.signal !== null) return [`[ended by ${result.signal}]`];
  if (result.exitCode === 0) return isSilent ? ["[exit code 0]"] : [];
  const hint = isSilent
    ? ["[Standard input is empty and there is no terminal: what waits for input ends at once.]"]
    : [];
  return [...hint, `[exit code ${result.exitCode}]`];
}
