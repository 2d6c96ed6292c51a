/** Options to look for. Long ones with their dashes, short ones as letters. */
export interface OptionNames {
  long: string[];
  short: string;
}

/** Names as they are listed in tables: long ones with blanks between them, short ones as letters. */
export function toOptions(long: string, short: string): OptionNames {
  return { long: long === "" ? [] : long.split(/\s+/), short };
}

/** A letter of an option, or one of the signs that `curl` and others take for one. */
const LETTERS = /^-([A-Za-z0-9#:@$?]+)/;
/** `npm` takes any number of dashes, and others take one. */
const OTHER_DASHES = /^(?:-|-{3,})(?=[A-Za-z][\w-]{2})/;

/**
 * The first argument that is, abbreviates or bundles one of the options: `--outp=x` and `-outp=x` for `--output`,
 * `-uo` for `-o`. It rather finds one too many.
 */
export function findOption(args: string[], names: OptionNames): string | undefined {
  return args.find((word) => {
    const doubled = word.replace(OTHER_DASHES, "--");
    if (
      doubled.startsWith("--") &&
      doubled.length > 2 &&
      names.long.some((long) => isAbbreviation(doubled, long))
    )
      return true;
    return LETTERS.test(word) && [...names.short].some((letter) => isBundled(word, letter));
  });
}

function isAbbreviation(word: string, long: string): boolean {
  return long.startsWith(word.split("=", 1)[0] ?? word);
}

function isBundled(word: string, letter: string): boolean {
  return (LETTERS.exec(word)?.[1] ?? "").includes(letter);
}
