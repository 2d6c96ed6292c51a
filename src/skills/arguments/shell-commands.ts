/** One simple command of a shell text, as far as it can be told without reading all of the shell's grammar. */
export interface ShellCommand {
  /** As it is written, line continuations joined. */
  written: string;
  /** Without quotes and backslashes: `"sh" -c` and `s\h -c` are `sh -c`. */
  bare: string;
  /** Without what stands in single quotes, where a shell expands nothing. */
  expanded: string;
  /** It reads what another command writes. */
  piped: boolean;
}

const TOKEN = /\\\n|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|\|&|\|\||&&|[|;\n]|(?<![<>])&(?![>])|[\s\S]/g;

/**
 * Splits a text into its commands. In doubt two commands are one: a quote that begins in a comment only joins
 * more of the text, and hides none of it.
 */
export function splitCommands(code: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let tokens: string[] = [];
  let piped = false;
  const end = (): void => {
    if (tokens.join("").trim() === "") return;
    commands.push(toCommand(tokens, piped));
    [tokens, piped] = [[], false];
  };
  for (const [token] of code.matchAll(TOKEN)) {
    if (!/^(?:\|&|\|\||&&|[|;&\n])$/.test(token)) {
      tokens.push(token === "\\\n" ? " " : token);
      continue;
    }
    end();
    if (token === "|" || token === "|&") piped = true;
  }
  end();
  return commands;
}

function toCommand(tokens: string[], piped: boolean): ShellCommand {
  const written = tokens.join("");
  const expanded = tokens.map((token) => (/^'[\s\S]+'$/.test(token) ? "''" : token)).join("");
  return { written, bare: written.replace(/["'\\]/g, ""), expanded, piped };
}
