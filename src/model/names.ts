import { createHash } from "node:crypto";

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;
const idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** True for what every server takes as the name of a tool and as the id of a call. */
export function isWireName(text: string): boolean {
  return namePattern.test(text);
}

/** A name that every server accepts: unchanged if it can be, else cleaned and told apart by a short digest. */
export function toToolName(name: string): string {
  if (isWireName(name)) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 55)}_${digest}`;
}

/**
 * An id that no other call has, the same for the same seed, so that a repaired history reads the same at every
 * request. Nine letters and digits, because Mistral's servers take nothing else.
 */
export function createCallId(taken: ReadonlySet<string>, seed: string): string {
  for (let round = 0; ; round += 1) {
    const bytes = createHash("sha256").update(`${seed}:${round}`).digest();
    const id = Array.from(bytes.subarray(0, 9), (byte) => idLetters[byte % idLetters.length]).join("");
    if (!taken.has(id)) return id;
  }
}
