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
  /(?<![\w-])(?:ba|da|k|z)?sh\s+-\w*c\s+(?!')/,
];
const COMPARISON = /\s-(?:eq|ne|lt|le|gt|ge)\s/;

/** True when a command may evaluate a value that a variable of it holds. In doubt it is true. */
export function isEvaluating(code: string): boolean {
  return EVALUATIONS.some((pattern) => pattern.test(code)) || (code.includes("[[") && COMPARISON.test(code));
}
