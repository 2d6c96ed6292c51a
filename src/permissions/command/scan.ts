import {
  type Assignment,
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type SyntaxNode,
  type Word,
} from "unbash";
import { guessWord, isComputed, readRedirection } from "./word.ts";

/** One command that a shell would run, without its quoting. */
export interface SimpleCommand {
  words: string[];
  /** Files that its redirections write, as spelled. */
  writes: string[];
  /** Files that its redirections read, as spelled. */
  reads: string[];
  /** `NAME=value` in front of the command; always empty in a readable command. */
  assignments: string[];
  /** Those of the words and files above that are only a guess, because the shell computes them. */
  computed: string[];
}

/** What was found in a text, and whether that is certainly every command of it. */
export interface Scan {
  commands: SimpleCommand[];
  complete: boolean;
}

/** Characters that a reader does not see or takes for a blank, while a shell takes them for letters. */
const INVISIBLE = /[\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0\u2800]|[^\P{Cc}\n\t]/u;
const ODD_BLANK = /[\p{Zl}\p{Zp}]|[^\P{Zs} ]/u;

/** The shells whose `-c` text is read as a command. */
export const SHELLS = new Set(
  "sh bash dash zsh ksh ash fish rbash mksh pdksh oksh lksh yash posh csh tcsh pwsh nu elvish xonsh".split(
    " ",
  ),
);

/** True for control, format and odd blank characters: they make a command look like another one. */
export function hasOddCharacter(text: string): boolean {
  return INVISIBLE.test(text) || ODD_BLANK.test(text);
}

/** The syntax tree of a command line; undefined where the parser gives up. */
export function parseScript(text: string): ParsedScript | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Every command that can be found in a text, in whatever structure, with computed words left as spelled. The
 * list is a guess: deny rules may use it, allow rules may not.
 */
export function scanCommands(text: string): Scan {
  const cleaned = text.replace(new RegExp(ODD_BLANK, "gu"), " ").replace(new RegExp(INVISIBLE, "gu"), "");
  const script = parseScript(cleaned);
  // Without its odd characters a text can have other comments and here-documents than with them.
  const scan: Scan = { commands: [], complete: script !== undefined && cleaned === text };
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") scan.commands.push(...scanCommand(node));
    if (node.type === "Redirected") scan.commands.push(withRedirections(node.redirects));
    if (hidesCommands(node)) scan.complete = false;
    forEachChild(node, visit);
  };
  try {
    if (script !== undefined) visit(script);
  } catch {
    // The parser and the walk follow nesting by recursion, and a substitution is parsed when it is visited.
    scan.complete = false;
  }
  return scan;
}

function hidesCommands(node: SyntaxNode): boolean {
  if (node.type === "Script") return (node.errors?.length ?? 0) > 0;
  return (
    (node.type === "CommandExpansion" || node.type === "ProcessSubstitution") && node.script === undefined
  );
}

/** A command of these words alone. */
export function toCommand(words: string[], computed: string[] = []): SimpleCommand {
  return { words, writes: [], reads: [], assignments: [], computed };
}

/** The last part of a program's path: `git` for `/usr/bin/git`. */
export function toProgramName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function scanCommand(node: Command): SimpleCommand[] {
  const words = node.name === undefined ? [] : [guessWord(node.name)];
  for (const argument of node.args) {
    words.push(argument.type === "Word" ? guessWord(argument) : argument.text);
  }
  const command = withRedirections(node.redirects);
  command.words = words;
  const spelled = [node.name, ...node.args].filter((item) => item !== undefined);
  command.computed.push(...words.filter((_, index) => isGuess(spelled[index])));
  command.assignments = node.prefix.flatMap((item) => (item.type === "Assignment" ? [item.text] : []));
  if (!SHELLS.has(toProgramName(words[0] ?? ""))) return [command];
  const inputs = node.redirects.flatMap((item) => {
    if (item.type === "HereDoc") return [item.body.text];
    return item.type === "HereString" && item.target !== undefined ? [guessWord(item.target)] : [];
  });
  return [command, ...inputs.flatMap((input) => scanCommands(input).commands)];
}

/** `a=$X` is an argument like any other where it does not stand in front. */
function isGuess(item: Word | Assignment | undefined): boolean {
  if (item?.type === "Assignment") return item.value.type !== "Word" || isComputed(item.value);
  return item !== undefined && isComputed(item);
}

function withRedirections(redirects: Command["redirects"]): SimpleCommand {
  const command = toCommand([]);
  for (const redirect of redirects) {
    if (redirect.type !== "Redirect" || redirect.target === undefined) continue;
    const place = readRedirection(redirect);
    if (place.kind === "harmless") continue;
    const path = place.kind === "file" ? place.path : guessWord(redirect.target);
    if (isComputed(redirect.target)) command.computed.push(path);
    if (place.kind === "unknown" || place.writes) command.writes.push(path);
    if (place.kind === "unknown" || place.reads) command.reads.push(path);
  }
  return command;
}
