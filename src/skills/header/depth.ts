import { DEPTH_LIMIT } from "./fields.ts";

/**
 * How deep lists and maps stand in each other. To be asked before parsing: the parser recurses, and 16 KiB of "["
 * burn seconds or the stack.
 */
export function measureDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of source) {
    if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    if (character === "]" || character === "}") depth = Math.max(0, depth - 1);
  }
  for (const run of source.matchAll(/^[ \t]*(?:[-?][ \t]+)+/gm)) {
    deepest = Math.max(deepest, run[0].replace(/[ \t]/g, "").length);
  }
  return deepest;
}

/** Why a header that is too deep is refused. */
export function depthMessage(): string {
  return `The header is nested more than ${DEPTH_LIMIT} levels deep or repeats itself without end.`;
}
