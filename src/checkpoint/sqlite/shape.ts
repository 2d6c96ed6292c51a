/** JSON taken apart: how it is built, which many checkpoints have in common, and what fills it. */
export interface Shaped {
  /** JSON in which `0` stands for each number and each text. */
  shape: string;
  /** A list of these, as JSON. */
  fill: string;
}

/** Takes plain JSON apart. Most checkpoints differ in numbers alone, so their shapes are few. */
export function toShaped(value: unknown): Shaped {
  const fill: (number | string)[] = [];
  const shape = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "number" && typeof part !== "string") return part;
    fill.push(part);
    return 0;
  });
  return { shape, fill: JSON.stringify(fill) };
}

/** What was taken apart; undefined when one of both is broken, or they do not belong together. Both ways go through the parts in the same order. */
export function fromShaped({ shape, fill }: Shaped): unknown {
  let next = 0;
  try {
    const parts: unknown = JSON.parse(fill);
    if (!Array.isArray(parts)) return undefined;
    const value: unknown = JSON.parse(shape, (_key, part: unknown) => {
      if (part !== 0) return part;
      next += 1;
      return parts[next - 1] as unknown;
    });
    return next === parts.length ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
