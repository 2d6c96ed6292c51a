import { type FlagSpec, readArguments } from "./arguments.ts";

type Checked = string[] | { culprit: string };

const FIND_TESTS = new Set(
  `-depth -empty -false -true -nouser -nogroup -readable -writable -executable -print -print0 -ls -prune -quit -mount
  -xdev -not -and -or -a -o ! ( )`.split(/\s+/),
);
const FIND_VALUED = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -size -mtime -atime -ctime -mmin
  -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -printf`.split(/\s+/),
);

/** The start folders of `find`, and what it compares with, when its expression only tests and prints. */
export function checkFind(args: string[]): Checked {
  const first = args.findIndex((word) => /^[-(!]/.test(word));
  const end = first === -1 ? args.length : first;
  const paths = args.slice(0, end);
  for (let index = end; index < args.length; index += 1) {
    const word = args[index] ?? "";
    if (FIND_TESTS.has(word)) continue;
    const value = args[index + 1];
    if (value === undefined || !(FIND_VALUED.has(word) || word === "-newer")) return { culprit: word };
    if (word === "-newer") paths.push(value);
    index += 1;
  }
  return paths;
}

const JQ: FlagSpec = {
  short: "rcensSMCajR",
  long: `raw-output compact-output exit-status null-input slurp sort-keys monochrome-output color-output ascii-output
    join-output raw-input tab seq stream`,
};
/** Modules and data are read from wherever a program says. */
const JQ_LOADS = /(?<![.\w$])(import|include|modulemeta)\b/;

/** The files that `jq` reads, when its program is in its words and loads nothing. */
export function checkJq(args: string[]): Checked {
  const words: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? "";
    const names = word === "--arg" || word === "--argjson";
    if (word === "--" || (names && args[index + 2] === undefined)) return { culprit: word };
    if (names) index += 2;
    // It takes the next word whatever that is, also the name of another flag.
    else if (word === "--indent" && /^\d$/.test(args[index + 1] ?? "")) index += 1;
    else if (!/^--indent=\d$/.test(word)) words.push(word);
  }
  const found = readArguments(words, JQ);
  if (typeof found === "string") return { culprit: found };
  const [program = ".", ...paths] = found.operands;
  const load = JQ_LOADS.exec(program)?.[0];
  return load === undefined ? paths : { culprit: load };
}

const PRINTF_CONVERSION = /%%|%[-+ 0#']*\d*(?:\.\d+)?[sdiouxXcbqeEfFgGaA]/g;

/** `printf` with a format that only prints: `%n` sets a variable. */
export function checkPrintf(args: string[]): Checked {
  const format = args[0] === "--" ? args[1] : args[0];
  if (format === undefined || (args[0] !== "--" && format.startsWith("-")))
    return { culprit: format ?? "printf" };
  return format.replace(PRINTF_CONVERSION, "").includes("%") ? { culprit: format } : [];
}

const TEST_OPERATORS = new Set(
  `-e -f -d -r -w -x -s -L -h -n -z -p -S -b -c -u -g -k -O -G -t = == != < > ! -eq -ne -lt -le -gt -ge -nt -ot -ef ]`.split(
    " ",
  ),
);

/** Every word of `test` that is no operator may be a path. */
export function checkTest(args: string[]): Checked {
  const others = args.filter((word) => !TEST_OPERATORS.has(word));
  const culprit = others.find((word) => /^-\D/.test(word) || /[()[\]]/.test(word));
  return culprit === undefined ? others : { culprit };
}

const DATE: FlagSpec = {
  short: "uRI?d:r@",
  long: "utc universal rfc-email iso-8601? rfc-3339= date: reference@",
};

/** `date` prints with a format, and sets the clock with anything else. */
export function checkDate(args: string[]): Checked {
  const found = readArguments(args, DATE);
  if (typeof found === "string") return { culprit: found };
  const [first, second] = found.operands;
  if (second !== undefined || (first !== undefined && !first.startsWith("+")))
    return { culprit: second ?? first ?? "" };
  return found.paths;
}
