import { runsWords } from "./shell-programs.ts";

/**
 * Where a shell evaluates what a variable or a word holds, so that no quoting keeps a value from becoming code:
 * `a[$(touch x)]` runs a program wherever a number or a variable's name is expected. Seen in bash 5.2.
 */
const EVALUATIONS = [
  // Arithmetic.
  /\(\(|\$\[/,
  /(?<![\w-])let\s/,
  // Subscripts: `a[$1]=x`, `${a[i]}`, `a=([$1]=x)`.
  /\w\[[^\]\s]{0,80}\$|\w\[[A-Za-z_]\w{0,80}\]|\[[^\]\s]{0,80}\]\+?=/,
  // `${!name}`, `${name@P}` and the numbers of `${name:from:length}`.
  /\$\{[^}]{0,80}(?:!|@|:(?![-=?+]))/,
  // Words that take a variable's name, or code.
  /(?<![\w-])(?:declare|typeset|unset|mapfile|readarray|getopts|eval|trap)\s/,
  /(?<![\w-])(?:local|export|readonly)\s+-/,
  /(?<![\w-])read\s[^;&|\n<]{0,80}\$/,
  /(?:\[|(?<![\w-])(?:test|printf|wait))\s[^;&|\n]{0,80}-[vpR]\s/,
];
/** A longer text is not looked at. */
const LENGTH_LIMIT = 20_000;
const COMPARISON = /\s-(?:eq|ne|lt|le|gt|ge)\s/;

/** True when a command may evaluate a value that a variable of it holds. In doubt it is true. */
export function isEvaluating(code: string): boolean {
  if (code.length > LENGTH_LIMIT) return true;
  if (EVALUATIONS.some((pattern) => pattern.test(code))) return true;
  return (code.includes("[[") && COMPARISON.test(code)) || runsWords(code);
}
