/**
 * Commands of which one may stand for the others, by program: words that follow it. `*` is one plain word. What
 * may follow behind them runs nothing else and goes nowhere else, but for hazards, which no prefix allows. Whatever
 * runs a file, a module or a text of its arguments, or loses work, is not here.
 */
const FAMILIES = new Map<string, string[]>([
  ["git", "add commit status diff log show blame shortlog describe ls-files ls-tree rev-parse".split(" ")],
  ["npm", ["test", "t", "start", "run *", "run-script *", "ls", "outdated"]],
  ["pnpm", ["test", "run *", "ls", "outdated"]],
  ["yarn", ["test", "run *"]],
  ["bun", ["test"]],
  ["cargo", ["build", "check", "test", "clippy", "fmt", "doc", "bench", "tree", "metadata"]],
  ["go", ["build", "test", "vet", "list"]],
  ["docker", ["ps", "images", "logs", "inspect", "version", "info"]],
]);

const PLAIN_WORD = /^[A-Za-z][\w.:-]*$/;

/** The words that stand for all commands of a family, such as `npm run build`; undefined for a command of none. */
export function findFamily(words: string[]): string[] | undefined {
  const [program = "", ...rest] = words;
  for (const family of FAMILIES.get(program) ?? []) {
    const parts = family.split(" ");
    const fits = parts.every((part, index) =>
      part === "*" ? PLAIN_WORD.test(rest[index] ?? "") : part === rest[index],
    );
    if (fits) return words.slice(0, parts.length + 1);
  }
  return undefined;
}
