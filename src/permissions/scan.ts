import { type Command, forEachChild, type ParsedScript, parse, type SyntaxNode } from "unbash";
import { guessWord, readRedirection } from "./word.ts";

/** One command that a shell would run, without its quoting. */
export interface SimpleCommand {
  words: string[];
  /** Files that its redirections write, as spelled. */
  writes: string[];
  /** Files that its redirections read, as spelled. */
  reads: string[];
  /** `NAME=value` in front of the command; always empty in a readable command. */
  assignments: string[];
}

/** Characters that a reader does not see or takes for a blank, while a shell takes them for letters. */
const INVISIBLE = /[\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0\u2800]|[^\P{Cc}\n\t]/u;
const ODD_BLANK = /[\p{Zl}\p{Zp}]|[^\P{Zs} ]/u;

/** The shells whose `-c` text is read as a command. */
export const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash"]);

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
export function scanCommands(text: string): SimpleCommand[] {
  const cleaned = text.replace(new RegExp(ODD_BLANK, "gu"), " ").replace(new RegExp(INVISIBLE, "gu"), "");
  const script = parseScript(cleaned);
  if (script === undefined) return [];
  const found: SimpleCommand[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") found.push(...scanCommand(node));
    if (node.type === "Redirected") found.push(withRedirections(node.redirects));
    forEachChild(node, visit);
  };
  visit(script);
  return found;
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
  command.assignments = node.prefix.flatMap((item) => (item.type === "Assignment" ? [item.text] : []));
  if (!SHELLS.has(toProgramName(words[0] ?? ""))) return [command];
  const inputs = node.redirects.flatMap((item) => {
    if (item.type === "HereDoc") return [item.body.text];
    return item.type === "HereString" && item.target !== undefined ? [guessWord(item.target)] : [];
  });
  return [command, ...inputs.flatMap(scanCommands)];
}

function withRedirections(redirects: Command["redirects"]): SimpleCommand {
  const command: SimpleCommand = { words: [], writes: [], reads: [], assignments: [] };
  for (const redirect of redirects) {
    if (redirect.type !== "Redirect" || redirect.target === undefined) continue;
    const place = readRedirection(redirect);
    if (place.kind === "harmless") continue;
    const path = place.kind === "file" ? place.path : guessWord(redirect.target);
    if (place.kind === "unknown" || place.writes) command.writes.push(path);
    if (place.kind === "unknown" || place.reads) command.reads.push(path);
  }
  return command;
}
