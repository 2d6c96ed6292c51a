/** One entry of a tool list. An unbalanced one must grant nothing. */
export interface ToolEntry {
  text: string;
  balanced: boolean;
}

/**
 * Splits a tool list at blanks and commas that stand outside of parentheses.
 *
 * @example
 * ```ts
 * splitToolEntries("Bash(git add *), Read"); // "Bash(git add *)" and "Read"
 * ```
 */
export function splitToolEntries(text: string): ToolEntry[] {
  const entries: ToolEntry[] = [];
  let current = "";
  let depth = 0;
  let balanced = true;
  for (const character of text) {
    if (depth <= 0 && /[\s,]/.test(character)) {
      push(entries, { text: current, balanced });
      current = "";
      depth = 0;
      balanced = true;
      continue;
    }
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) balanced = false;
    current += character;
  }
  push(entries, { text: current.trim(), balanced: balanced && depth === 0 });
  return entries;
}

/** `- Read` in one line was meant as a list: the dash is no tool. */
function push(entries: ToolEntry[], entry: ToolEntry): void {
  if (entry.text !== "" && entry.text !== "-") entries.push(entry);
}

/** Whether every parenthesis of the text is closed, in order. */
export function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
