import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { readCommand } from "../../permissions/command/read-command.ts";
import { parseScript } from "../../permissions/command/scan.ts";

const BASHES = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];

/** What a shell does itself under these names, whatever program has the same one. */
const SHELL_WORDS = new Set(
  `. : [ alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown
  echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd
  printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset
  ulimit umask unalias unset wait
  if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc`
    .trim()
    .split(/\s+/),
);

/** Where a command runs, and all that it sees of the environment. */
interface CommandPlace {
  cwd: string;
  environment: Record<string, string>;
}

/** The shell that commands are written for: bash, or `sh` where there is none. */
export function findShell(): string {
  return BASHES.find((path) => existsSync(path)) ?? "/bin/sh";
}

/**
 * The words to start for a command. One simple command with every word spelled out, whose program is a file, is
 * started by these very words: what was decided on is what runs, and no shell reads its text. All others go to
 * the shell.
 */
export function toCommandWords(command: string, place: CommandPlace): string[] {
  const words = readPlainWords(command);
  const isDirect = words !== undefined && isProgram(words[0] ?? "", place);
  return isDirect ? words : [findShell(), "-c", command];
}

function readPlainWords(command: string): string[] | undefined {
  const read = readCommand(command);
  if (read.kind !== "readable" || read.commands.length !== 1) return undefined;
  const statements = parseScript(command)?.commands ?? [];
  const node = statements.length === 1 ? statements[0]?.command : undefined;
  const isPlain = node?.type === "Command" && node.redirects.length === 0 && node.prefix.length === 0;
  return isPlain ? read.commands[0]?.words : undefined;
}

function isProgram(name: string, { cwd, environment }: CommandPlace): boolean {
  if (name.startsWith("-") || SHELL_WORDS.has(name)) return false;
  if (name.includes("/")) return isExecutable(resolve(cwd, name));
  const folders = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  return folders.some((folder) => isExecutable(join(folder, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // There is none; the shell says so in its own words.
    return false;
  }
}
