/**
 * The flags of a program that only read, in two lines of text. `short`: letters as for getopt, `n:` takes a value,
 * `I?` takes one only when it is attached, `f@` takes the path of a file to read. `long`: names, `sort:` takes a
 * value, attached by `=` or in the next word, `color?` only an attached one, `format=` must have an attached one, `merged+` takes one
 * unless it stands last.
 */
export interface FlagSpec {
  short?: string;
  long?: string;
  /** `-5` is a flag, too. */
  numbers?: boolean;
  /**
   * For programs that split words in their own way: `single` looks at one letter of a word only, so that `-ac 5` is
   * `-a`; `values-apart` takes a value from the next word, also behind further letters.
   */
  splits?: "single" | "values-apart";
}

/** What an argument list holds, split as the program splits it. */
export interface Arguments {
  /** Flags as they are named, without dashes, with their last value. */
  flags: Map<string, string>;
  /** All flags in their order, also those that stand several times. */
  given: [flag: string, value: string][];
  operands: string[];
  /** Values that are paths. */
  paths: string[];
}

type Value = "none" | "any" | "attached" | "required" | "path" | "unless-last";

interface Flags {
  short: Map<string, Value>;
  long: Map<string, Value>;
}

const VALUE_OF_MARK = new Map<string, Value>([
  [":", "any"],
  ["?", "attached"],
  ["=", "required"],
  ["@", "path"],
  ["+", "unless-last"],
]);
/** A value in a word of its own that could pass for a flag is not accepted, but for these. */
const PLAIN_VALUE = /^(?:[^-]|-$|-\d+$)/;

const known = new WeakMap<FlagSpec, Flags>();

/**
 * Splits arguments by a program's table of flags.
 *
 * @returns the culprit, as text, for a flag that is not in the table, is shortened or has no value of its kind.
 */
export function readArguments(args: string[], spec: FlagSpec): Arguments | string {
  const flags = toFlags(spec);
  const found: Arguments = { flags: new Map(), given: [], operands: [], paths: [] };
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? "";
    if (word === "--") {
      found.operands.push(...args.slice(index + 1));
      break;
    }
    if (word === "-" || !word.startsWith("-")) {
      found.operands.push(word);
      continue;
    }
    if (spec.numbers === true && /^-\d+$/.test(word)) continue;
    if (isSplitOtherwise(word, spec, flags)) return word;
    const taken = word.startsWith("--")
      ? takeLong(word, args[index + 1], flags, found)
      : takeShort(word, args[index + 1], flags, found);
    if (taken === undefined) return word;
    index += taken;
  }
  return found;
}

/** True for letters in one word that the program does not split as `getopt` does. */
function isSplitOtherwise(word: string, { splits }: FlagSpec, { short }: Flags): boolean {
  if (splits === undefined || word.startsWith("--")) return false;
  if (splits === "single") return !/^-[A-Za-z]\d*$/.test(word);
  return [...word.slice(1, -1)].some((letter) => short.get(letter) === "any");
}

/** How many further words a flag takes; undefined when it may not be used. */
function takeLong(
  word: string,
  next: string | undefined,
  flags: Flags,
  found: Arguments,
): number | undefined {
  const equals = word.indexOf("=");
  const name = equals === -1 ? word.slice(2) : word.slice(2, equals);
  const kind = flags.long.get(name);
  if (kind === undefined) return undefined;
  if (equals === -1) return kind === "required" ? undefined : takeValue(name, kind, next, found);
  if (kind === "none") return undefined;
  return keep(name, kind, word.slice(equals + 1), found);
}

/** `-abn5` is `-a -b -n 5`. */
function takeShort(
  word: string,
  next: string | undefined,
  flags: Flags,
  found: Arguments,
): number | undefined {
  for (let index = 1; index < word.length; index += 1) {
    const letter = word[index] ?? "";
    const kind = flags.short.get(letter);
    if (kind === undefined) return undefined;
    if (kind === "none") {
      keep(letter, kind, "", found);
      continue;
    }
    const rest = word.slice(index + 1);
    return rest === "" ? takeValue(letter, kind, next, found) : keep(letter, kind, rest, found);
  }
  return 0;
}

function takeValue(
  name: string,
  kind: Value,
  next: string | undefined,
  found: Arguments,
): number | undefined {
  if (kind === "none" || kind === "attached") return keep(name, kind, "", found);
  if (kind === "unless-last" && next === undefined) return keep(name, kind, "", found);
  if (next === undefined || !PLAIN_VALUE.test(next)) return undefined;
  keep(name, kind, next, found);
  return 1;
}

function keep(name: string, kind: Value, value: string, found: Arguments): 0 {
  found.flags.set(name, value);
  found.given.push([name, value]);
  if (kind === "path") found.paths.push(value);
  return 0;
}

function toFlags(spec: FlagSpec): Flags {
  const flags = known.get(spec);
  if (flags !== undefined) return flags;
  const read = (items: readonly string[]): Map<string, Value> =>
    new Map(
      items.map((item) => {
        const value = item.length > 1 ? VALUE_OF_MARK.get(item.at(-1) ?? "") : undefined;
        return value === undefined ? [item, "none"] : [item.slice(0, -1), value];
      }),
    );
  const made = {
    short: read(spec.short?.match(/[A-Za-z0-9.][:?@]?/g) ?? []),
    long: read(spec.long?.split(/\s+/).filter((item) => item !== "") ?? []),
  };
  known.set(spec, made);
  return made;
}
