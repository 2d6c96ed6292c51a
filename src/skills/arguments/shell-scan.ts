/** Values for the placeholders of a shell command. What is absent stays as it stands. */
export interface ShellValues {
  /** Real path of the skill's folder. */
  directory?: string;
  /** The person's words, for `$1` … `$9`. */
  words?: readonly (string | undefined)[];
  /** Names of the words, in their order, for `$name`. */
  names?: readonly string[];
  /** All that the person wrote, for `$ARGUMENTS`. */
  whole?: string;
  /** What earlier stages handed over, by placeholder: `{plan.version}`. */
  fields?: ReadonlyMap<string, string>;
}

/** A command that is being read, and how far. */
export interface Scan {
  code: string;
  at: number;
  /** How many substitutions are open. */
  depth: number;
  values: ShellValues;
  /** Everything that may be a placeholder, at the place where the scan is. */
  placeholder: RegExp;
  /** A placeholder that stands for itself. */
  escaped: RegExp;
  /** Somewhere the command evaluates what its variables hold, so only values that are no code pass. */
  plainOnly: boolean;
  missing: Set<string>;
  refused: Set<string>;
}

/** What a sticky pattern matches here. */
export function peek(scan: Scan, pattern: RegExp): string | undefined {
  pattern.lastIndex = scan.at;
  return pattern.exec(scan.code)?.[0];
}

/** What a sticky pattern matches here, and goes on behind it. */
export function take(scan: Scan, pattern: RegExp): string | undefined {
  const text = peek(scan, pattern);
  scan.at += text?.length ?? 0;
  return text;
}
