import fc from "fast-check";

/** Programs that the rules under test may name; the others have none ever. */
export const GRANTABLE = [
  ...[
    "git commit --allow-empty",
    "npm test",
    "npm run",
    "make",
    "touch out/a",
    "docker ps",
    "python3",
    "tar",
    "sed",
  ],
  ...[
    "sort",
    "uniq",
    "printf",
    "find",
    "awk",
    "xargs echo",
    "timeout 5 npm test",
    "env A=1 npm test",
    "sh scripts/ok.sh",
  ],
];
/** Programs that may be known to only read, so that they are covered with and without a rule. */
export const HARMLESS_PROGRAMS =
  `git status|git log|git diff|git show|cat|ls|head|tail|wc|grep|echo|pwd|true|false|test|cut|tr|sort
  |uniq|find|sed|awk|printf|diff|basename|dirname|date|seq|jq|env|comm|xxd|tac|stat|du|file|rg|base64`
    .split("|")
    .map((text) => text.trim());

const GRANTED = [
  ...GRANTABLE,
  "git status",
  "git log",
  "cat f",
  "echo",
  "pwd",
  "true",
  "ls",
  "wc",
  "grep one f",
];
const UNGRANTED = [
  "touch P",
  "tee P",
  "npm publish",
  "node x.js",
  "p",
  "./p",
  "rm f",
  "curl -s x",
  "git stash",
  "xargs touch",
];
const WORDS = [
  ..."a|f|P|-|--|-o|-oP|-n|-e|-f|-i|-c|-x|1|2|12|a.txt|out/a|sub|--output=P|--out|s/one/two/|w P|p|1p|{}|+|;|-exec|-delete".split(
    "|",
  ),
  ..."'a b'|\"a b\"|a\\ b|''|\"\"|'$(touch P)'|\"\\$(touch P)\"|\\$(touch|a#b|#a|a=b|=|a:b|HEAD^|'it'\\''s'|\"a\\\"b\"".split(
    "|",
  ),
  ...[
    "'a\nb'",
    '"a\\\nb"',
    "\\;",
    "\\|",
    "\\\\",
    "'|'",
    '"&&"',
    "';'",
    "\\>",
    "2\\>P",
    "if",
    "then",
    "done",
    "time",
    "!",
    "[",
    "]",
  ],
  ...[
    'print > "P"',
    "'BEGIN{print>\"P\"}'",
    "'{print $1}'",
    "'1e touch P'",
    "touch",
    "P;",
    "%s",
    "-v",
    "x.py",
    "data.json",
  ],
];
const COMPUTED = [
  ...'$X|${X}|"$X"|$(touch P)|"$(touch P)"|`touch P`|${X:-$(touch P)}|$((1))|$((a[$(touch P)]))|$\'a\'|$"a"|*|?|[a]|[\'a\']'.split(
    "|",
  ),
  ..."{a,b}|{'-o',P}|{1..3}|a{,b}|a{b}c,d}|{a{|,b}|..|$\\\n|=\\\n~|9999999999|>&--a|~|~/x|a=~|x:~|<(touch P)|>(touch P)|@(a)|!(a)|$|$#|$@|a$|{|}|[[|]]|((|))|(|)".split(
    "|",
  ),
];
const OPERATORS = [
  "; ",
  " && ",
  " || ",
  " | ",
  " |& ",
  " & ",
  "\n",
  ";",
  "&&",
  "|",
  "&",
  "\n\n",
  " ;; ",
  " \\\n&& ",
  "&\\\n&",
  "|\n",
];
const REDIRECTIONS = [
  ..."2>&1|>/dev/null|>out/a|> out/a|>>out/a|>P|> P|>>P|2>P|&>P|>&P|>&2|>&2P|1>&2|>|P|<f|<<<a|<>P|{x}>P|2>&-|3<f|>|<|>>'P'".split(
    "|",
  ),
  ...["2\\\n>P", ">\\\nP", ">'out/a b'", "<<E\na\nE\n", "<<'E'\n$(touch P)\nE\n", "<<-E\n\ta\n\tE\n", ">|P"],
];
const WRAPPERS = [
  "time ",
  "! ",
  "A=1 ",
  "a[1]=2 ",
  "env ",
  "timeout 5 ",
  "nohup ",
  "command ",
  "exec ",
  "eval ",
  "X=$(touch P) ",
  "( ",
  "{ ",
  "if ",
];
const ODD = [
  "\\\n",
  "\\",
  "'",
  '"',
  "`",
  "#",
  "\u00a0",
  "\u200b",
  "\r",
  "\t",
  "$(",
  ")",
  "}",
  "!",
  "\u0000",
  "é",
  "\u2028",
  "\\\r\n",
  " # a\n",
  "&",
  ";",
];

const piece = (items: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...items);
const word = fc.oneof(
  { weight: 24, arbitrary: piece(WORDS) },
  { weight: 2, arbitrary: fc.tuple(piece(WORDS), piece(WORDS)).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: piece(COMPUTED) },
);
const blank = fc.oneof(
  { weight: 30, arbitrary: fc.constant(" ") },
  { weight: 1, arbitrary: piece(["  ", "\t", " \\\n", "\\\n"]) },
);
/** Programs that do nothing but note their words, or print: what is asked about can be run with them, too. */
export const QUIET_PROGRAMS =
  "echo pwd true ls wc grep cat printf touch tee rm curl npm make docker p test head".split(" ");

/** Commands made of the pieces above, now and then with an odd piece somewhere in the middle. */
function toText(programs: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const simple = fc
    .tuple(
      fc.oneof({ weight: 24, arbitrary: fc.constant("") }, { weight: 1, arbitrary: piece(WRAPPERS) }),
      programs,
      fc.array(fc.tuple(blank, word), { maxLength: 4 }),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant("") },
        { weight: 1, arbitrary: fc.tuple(blank, piece(REDIRECTIONS)) },
      ),
    )
    .map(([wrapper, program, words, redirection]) => [wrapper, program, words, redirection].flat(2).join(""));
  return fc
    .tuple(
      simple,
      fc.array(fc.tuple(piece(OPERATORS), simple), { maxLength: 2 }),
      fc.option(fc.tuple(fc.nat(60), piece(ODD)), { freq: 3 }),
    )
    .map(([first, others, odd]) => {
      const text = first + others.flat().join("");
      return odd === null ? text : text.slice(0, odd[0]) + odd[1] + text.slice(odd[0]);
    });
}

/** Mostly with programs that a rule may name. */
export const ruledText = toText(
  fc.oneof({ weight: 24, arbitrary: piece(GRANTED) }, { weight: 1, arbitrary: piece(UNGRANTED) }),
);
/** With programs that can be run whatever is decided. */
export const quietText = toText(piece(QUIET_PROGRAMS));
