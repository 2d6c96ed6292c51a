import { type Command, CommanderError } from "commander";
import { toMessage } from "../errors.ts";
import { exitCodes, isFolderGone, toErrorExitCode } from "./exit-code.ts";
import { toProgramName } from "./program-name.ts";
import { toJsonDocument, toJsonLine, toSafeLine } from "./safe-text.ts";

/** What a failure prints, and the exit code. */
export interface Failure {
  code: number;
  out?: string;
  err?: string;
}

/** Commands whose `--json` is one event a line. */
const STREAMING = new Set(["run", "resume", "chat"]);

const FOLDER_GONE =
  "The working folder was deleted. Change to another one, or name it with --cwd and its absolute path.";

/**
 * Turns anything that was thrown into one line on standard error, with the document that `--json` promises.
 *
 * @param words the command line
 * @param program what could have been typed
 */
export function describeFailure(
  thrown: unknown,
  words: string[],
  program: Pick<Command, "commands">,
): Failure {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return { code: exitCodes.finished };
  // Help that was shown because no command was given is already on standard error.
  if (thrown instanceof CommanderError && thrown.code === "commander.help") return { code: exitCodes.usage };
  const isUsage = thrown instanceof CommanderError;
  const text = isFolderGone(thrown) ? FOLDER_GONE : toMessage(thrown);
  const message = toSafeLine(isUsage ? toUsageMessage(thrown, words, program) : text, 4000);
  const code = isUsage ? exitCodes.usage : toErrorExitCode(thrown);
  const err = `skillgraph: ${message}\n`;
  if (!isJson(words)) return { code, err };
  const error = { code: isUsage || isFolderGone(thrown) ? "usage" : toErrorCode(thrown), message };
  const isStreaming = STREAMING.has(words[0] ?? "");
  const out = isStreaming
    ? toJsonLine({ type: "run-end", status: "failed", error })
    : toJsonDocument({ error, ...readFaults(thrown) });
  return { code, err, out };
}

/** The faults in files that a failure carries, all of them: its message may name the first ones only. */
function readFaults(thrown: unknown): { diagnostics?: unknown } {
  const hasFaults = thrown instanceof Error && "diagnostics" in thrown;
  return hasFaults ? { diagnostics: thrown.diagnostics } : {};
}

/** `error: unknown option '--x'\n(Did you mean --y?)` → one sentence, with the choices where nothing is near. */
function toUsageMessage(error: CommanderError, words: string[], program: Pick<Command, "commands">): string {
  const text = error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  if (text.includes("Did you mean")) return sentence;
  if (error.code === "commander.unknownCommand") return `${sentence}. Commands: ${listNames(program)}.`;
  if (error.code === "commander.unknownOption") return `${sentence}. See: ${toProgramName()} --help.`;
  const parent = program.commands.find((command) => command.name() === words[0]);
  if (error.code === "commander.missingMandatoryOptionValue") {
    const part = parent?.commands.find((command) => words.includes(command.name()));
    const path = [parent, part].flatMap((command) => command?.name() ?? []).join(" ");
    return `${sentence}. See: ${toProgramName()} ${path} --help.`;
  }
  // `threads` alone lists, so a part that is not there looks like an argument too many.
  if (error.code === "commander.excessArguments" && parent && parent.commands.length > 0) {
    return `Unknown command '${words[1]}' of ${words[0]}. Commands: ${listNames(parent)}.`;
  }
  return sentence;
}

function listNames({ commands }: Pick<Command, "commands">): string {
  return commands.map((command) => command.name()).join(", ");
}

/** What follows `--` are words of a task. */
function isJson(words: string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? undefined : end).includes("--json");
}

/** The code of a failure as `--json` gives it: ours, that of the system such as `EACCES`, or `failed`. */
export function toErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : "failed";
}
