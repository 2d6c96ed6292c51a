import type { Command, Pipeline, Statement } from "unbash";
import { findAmbiguity } from "./ambiguity.ts";
import { hasOddCharacter, parseScript, type SimpleCommand, scanCommands, toCommand } from "./scan.ts";
import { readRedirection, readWord } from "./word.ts";

export type { SimpleCommand } from "./scan.ts";

/**
 * A command line, read. Only a `readable` one can be allowed by a rule: its commands are all that a shell would
 * run, word by word. The commands of an `unreadable` one are a guess for deny rules, and unless it is `complete`
 * there may be more of them.
 */
export type ReadCommand =
  | { kind: "readable"; commands: SimpleCommand[] }
  | { kind: "unreadable"; reason: string; commands: SimpleCommand[]; complete: boolean };

/** How long a command may be, in characters, to be looked through: a bound for all the work that follows. */
export const MAX_COMMAND_LENGTH = 20_000;

/**
 * Reads a command line strictly: simple commands in pipelines and lists, every word spelled out. Substitutions,
 * globs, braces, tildes, assignments, here-documents, background jobs, compound commands, odd characters and
 * whatever the parser stumbles over make it unreadable, with the reason as the end of a sentence.
 */
export function readCommand(command: string): ReadCommand {
  const unreadable = (reason: string): Extract<ReadCommand, { kind: "unreadable" }> => ({
    kind: "unreadable",
    reason,
    ...scanCommands(command),
  });
  if (command.length > MAX_COMMAND_LENGTH)
    return { kind: "unreadable", reason: "it is too long", commands: [], complete: false };
  if (hasOddCharacter(command)) return unreadable("it holds control, invisible or odd blank characters");
  const ambiguity = findAmbiguity(command);
  if (ambiguity !== undefined) return { ...unreadable(ambiguity), complete: false };
  const script = parseScript(command);
  if (script === undefined)
    return { kind: "unreadable", reason: "its syntax is not understood", commands: [], complete: false };
  if ((script.errors?.length ?? 0) > 0) return unreadable("its syntax is not understood");
  const commands: SimpleCommand[] = [];
  for (const statement of script.commands) {
    const fault = readStatement(statement, commands);
    if (fault !== undefined) return unreadable(fault);
  }
  if (commands.length === 0) return unreadable("it holds no command");
  if (!isReadAlikeJoined(command, commands))
    return { ...unreadable("it reads otherwise when its lines are joined"), complete: false };
  return { kind: "readable", commands };
}

/** A shell joins lines before it looks for words: `{⏎x}>f` is `{x}>f`, which the parser does not see. */
function isReadAlikeJoined(command: string, commands: SimpleCommand[]): boolean {
  if (!command.includes("\\\n")) return true;
  const joined = readCommand(command.replaceAll("\\\n", ""));
  return joined.kind === "readable" && JSON.stringify(joined.commands) === JSON.stringify(commands);
}

type Fault = string | undefined;

function readStatement(statement: Statement, into: SimpleCommand[]): Fault {
  if (statement.background === true) return "it starts a background job";
  const node = statement.command;
  return node.type === "AndOr" ? firstFault(node.commands, into) : firstFault([node], into);
}

function firstFault(
  nodes: readonly (Pipeline | Pipeline["commands"][number])[],
  into: SimpleCommand[],
): Fault {
  for (const node of nodes) {
    const fault = readNode(node, into);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function readNode(node: Pipeline | Pipeline["commands"][number], into: SimpleCommand[]): Fault {
  if (node.type === "Command") return readSimple(node, into);
  if (node.type !== "Pipeline") return `it holds a compound command (${node.type})`;
  if (node.prefixes.some((prefix) => prefix.type !== "Negation")) return '"time" runs another command';
  return firstFault(node.commands, into);
}

function readSimple(node: Command, into: SimpleCommand[]): Fault {
  if (node.prefix.some((item) => item.type === "Assignment")) return "a variable is set before the command";
  if (node.name === undefined) return "it redirects without a command";
  const command = toCommand([]);
  for (const word of [node.name, ...node.args]) {
    const text = word.type === "Word" ? readWord(word) : readAssignmentWord(word);
    if (text === undefined) return `the shell computes "${word.text}" when it runs`;
    command.words.push(text);
  }
  for (const redirect of node.redirects) {
    if (redirect.type !== "Redirect") return "it holds a here-document";
    const place = readRedirection(redirect);
    if (place.kind === "unknown") return "the place of a redirection is not spelled out";
    if (place.kind === "file" && place.writes) command.writes.push(place.path);
    if (place.kind === "file" && place.reads) command.reads.push(place.path);
  }
  if (command.words[0] === "") return "the name of the command is empty";
  into.push(command);
  return undefined;
}

/** `export NAME=value`: a word to the program, an assignment to the parser. */
function readAssignmentWord(node: Exclude<Command["args"][number], { type: "Word" }>): string | undefined {
  if (node.index !== undefined || node.value.type !== "Word") return undefined;
  const value = readWord(node.value);
  return value === undefined ? undefined : `${node.name}${node.append === true ? "+=" : "="}${value}`;
}
