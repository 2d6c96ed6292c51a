const MAX_QUOTED = 200;
const MAX_REASON = 800;
const LONG_QUOTED = new RegExp(`"([^"]{${MAX_QUOTED}})[^"]+"`, "g");

/** A reason as one line that can be read: what it quotes may be as long as a command can be. */
export function toShortReason(reason: string): string {
  const line = reason.replace(/\s+/g, " ").replace(LONG_QUOTED, '"$1…"');
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
}
