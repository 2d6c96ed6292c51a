import { createRequire } from "node:module";
import { Language, type Node, Parser } from "@vscode/tree-sitter-wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permissions/command/read-command.ts";
import { CORPUS } from "./corpus.ts";

const GRAMMAR = createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm");

/** Where the two readings differ, and which one bash takes; the corpus runs each of these in it. */
const EXPLAINED = new Map<string, string>([
  ["git sta\\\ntus", "a joined line inside a word leaves one word"],
  ["echo x >P\\\nQ", "a joined line inside a file's name leaves one name"],
  ["! ! touch P", "the second mark negates again and is no program"],
  ["[ -v 'a[$(touch P)]' ]", "the grammar parses the words of a test as an expression"],
]);

describe("tree-sitter-bash as a second opinion", () => {
  let parser: Parser;

  beforeAll(async () => {
    await Parser.init();
    parser = new Parser();
    parser.setLanguage(await Language.load(GRAMMAR));
  });

  const listDifferences = (): { command: string; ours: string[][]; theirs: string[][] }[] =>
    CORPUS.flatMap(({ command }) => {
      const view = readCommand(command);
      if (view.kind === "unreadable") return [];
      const ours = view.commands.map(({ words }) => words);
      const theirs = listCommands(parser, command);
      return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ command, ours, theirs }];
    });

  it("finds the same commands and words in what is readable, but for explained differences", () => {
    const differences = listDifferences();
    expect(differences.filter(({ command }) => !EXPLAINED.has(command))).toEqual([]);
    expect(
      [...EXPLAINED.keys()].filter((key) => !differences.some(({ command }) => command === key)),
    ).toEqual([]);
  });

  it("has enough to compare", () => {
    const readable = CORPUS.filter(({ command }) => readCommand(command).kind === "readable");
    console.log(
      `tree-sitter-bash: ${readable.length} readable commands, ${EXPLAINED.size} explained differences`,
    );
    expect(readable.length).toBeGreaterThan(250);
  });
});

function listCommands(parser: Parser, text: string): string[][] {
  const found: string[][] = [];
  const visit = (node: Node): void => {
    if (/^(command|declaration_command|unset_command|test_command)$/.test(node.type))
      found.push(toWords(node));
    for (const child of node.children) if (child !== null) visit(child);
  };
  const tree = parser.parse(text);
  if (tree !== null) visit(tree.rootNode);
  return found;
}

/** The words of a command, with those that the grammar hangs behind a redirection. */
function toWords(command: Node): string[] {
  const parts = command.children.filter((child) => child !== null && !child.type.startsWith("file_redirect"));
  const around = command.parent?.type === "redirected_statement" ? command.parent.children : [];
  const inner = command.children.filter((child) => child?.type === "file_redirect");
  const behind = [...inner, ...around.filter((child) => child?.type === "file_redirect")].flatMap(
    (redirect) => (redirect?.childrenForFieldName("destination") ?? []).slice(1),
  );
  return [...parts, ...behind].filter((node) => node !== null).map((node) => unquote(node.text));
}

/** Takes the quotes off a word, as a shell does. */
function unquote(text: string): string {
  const pattern = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([\s\S])/g;
  return text.replace(pattern, (_, single?: string, double?: string, escaped?: string, plain?: string) => {
    if (double !== undefined)
      return double.replace(/\\([\\$`"\n])/g, (__, char: string) => (char === "\n" ? "" : char));
    if (escaped !== undefined) return escaped === "\n" ? "" : escaped;
    return single ?? plain ?? "";
  });
}
