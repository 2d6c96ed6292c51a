/** One step of a wildcard pattern: a run of characters, or one character that fits. */
export type Step = "*" | ((char: string) => boolean);

/** Steps for text that stands for itself. */
export function toSteps(text: string): Step[] {
  return [...text].map((expected) => (char: string) => char === expected);
}

/**
 * Matches a whole text. A regular expression with several `.*` takes exponential time for a text that does not
 * fit; this takes the product of both lengths at most, since only the last star is ever tried again.
 */
export function matchesSteps(steps: Step[], text: string): boolean {
  const chars = [...text];
  let step = 0;
  let star = -1;
  let retry = 0;
  for (let index = 0; index < chars.length; ) {
    const current = steps[step];
    if (current === "*") {
      star = step;
      retry = index;
      step += 1;
    } else if (current?.(chars[index] ?? "")) {
      step += 1;
      index += 1;
    } else if (star !== -1) {
      step = star + 1;
      retry += 1;
      index = retry;
    } else {
      return false;
    }
  }
  return steps.slice(step).every((item) => item === "*");
}

/** The steps of a shell's glob for one name: `*`, `?` and `[…]`. */
export function toGlobSteps(glob: string): Step[] {
  const pieces = glob.match(/\*+|\?|\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]|[\s\S]/gu) ?? [];
  return pieces.map((piece): Step => {
    if (piece.startsWith("*")) return "*";
    if (piece === "?") return () => true;
    return piece.length > 2 && piece.startsWith("[") ? toSet(piece.slice(1, -1)) : (char) => char === piece;
  });
}

function toSet(source: string): (char: string) => boolean {
  const negated = /^[!^]/.test(source);
  // A class such as `[:alpha:]` is taken for every character: rather one too many.
  if (source.includes("[:")) return () => true;
  const members = negated ? source.slice(1) : source;
  const ranges = members.match(/[\s\S]-[\s\S]|[\s\S]/gu) ?? [];
  const isMember = (char: string): boolean =>
    ranges.some((range) => char >= (range[0] ?? "") && char <= (range.at(-1) ?? ""));
  return (char) => isMember(char) !== negated;
}
