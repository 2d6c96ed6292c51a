/** A name that an argument can have. */
export const ARGUMENT_NAME = /^[A-Za-z_][\w-]*$/;

/**
 * The pattern of what stands behind the `$` of a named placeholder. A longer word is none: `$file_x` is not `$file`.
 * Undefined without names.
 */
export function toNamePattern(names: readonly string[] = []): string | undefined {
  const usable = names.filter((name) => ARGUMENT_NAME.test(name));
  // Where "file-name" stands, "file" is not meant.
  usable.sort((left, right) => right.length - left.length);
  return usable.length === 0 ? undefined : `(?:${usable.join("|")})(?!\\w)`;
}

/** The place of an argument, from zero, by its placeholder: `$1`, or `$file`; -1 when it has none. */
export function toPlace(placeholder: string, names: readonly string[] = []): number {
  const name = placeholder.slice(1);
  return /^[1-9]$/.test(name) ? Number(name) - 1 : names.indexOf(name);
}
