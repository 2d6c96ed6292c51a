/** Spellings that bash reads in another way than the parser, so that other words may run than are seen. */
const AMBIGUITIES: [spelling: RegExp, reason: string][] = [
  // `2\⏎>file` is `2>file`.
  [/[\d}](\\\n)+[<>]/, "a redirection is spread over lines"],
  // Too large to be a descriptor, it is a word.
  [/\d{6,}(\\\n)*[<>]/, "a number before a redirection is too large for one"],
  // `$⏎{X}` is a variable, and `$⏎'a'` a quote that decodes.
  [/\$(\\\n)+/, "a line is joined behind a dollar sign"],
  // `>&-word` closes the output, and the word is one of the command.
  [/[<>](\\\n)*&(\\\n)*-(\\\n)*[^\s;&|<>()\\]/, "a word begins right behind a closed redirection"],
  // What it joins is not there: bash takes it for itself, or behind several lines for nothing.
  [/(^|[^\\])(\\\\)*\\$/, "it ends with a backslash"],
];

/** Why a command line may not be what it is read as, as the end of a sentence. */
export function findAmbiguity(text: string): string | undefined {
  return AMBIGUITIES.find(([spelling]) => spelling.test(text))?.[1];
}
