/** Options to look for. Long ones with their dashes, short ones as letters. */
export interface OptionNames {
  long: string[];
  short: string;
}

/** Names as they are listed in tables: long ones with blanks between them, short ones as letters. */
export function toOptions(long: string, short: string): OptionNames {
  return { long: long === "" ? [] : long.split(/\s+/), short };
}

/**
 * The first argument that is, abbreviates or bundles one of the options: `--outp=x` for `--output`, `-uo` for
 * `-o`. It rather finds one too many.
 */
export function findOption(args: string[], names: OptionNames): string | undefined {
  return args.find((word) => {
    if (word.startsWith("--"))
      return word.length > 2 && names.long.some((long) => isAbbreviation(word, long));
    return /^-[A-Za-z0-9]/.test(word) && [...names.short].some((letter) => isBundled(word, letter));
  });
}

function isAbbreviation(word: string, long: string): boolean {
  return long.startsWith(word.split("=", 1)[0] ?? word);
}

function isBundled(word: string, letter: string): boolean {
  return (/^-([A-Za-z0-9]+)/.exec(word)?.[1] ?? "").includes(letter);
}
