import { findHazard } from "../hazards/hazards.ts";
import { toProgramKind } from "../hazards/program-kinds.ts";
import { type SimpleCommand, toProgramName } from "./scan.ts";

/** What trusts, answers or sends messages in a person's name. */
const GIVING = /^(trust|resume|chat|--trust(=.*)?)$/;
/** By its name, as a package or an archive of it, and by its file. */
const NAMED = /^skillgraph(?!\.)/i;
const FILE = /(^|\/)cli\.[cm]?js$/i;
/** In code: the name, and behind it on the same line such a word. */
const IN_CODE = /(skillgraph|cli\.[cm]?js)\b.{0,200}?[^\w-](trust|resume|chat)\b/i;

/** True for `skillgraph trust`, `resume` or `chat`, also by way of `npx` or `node`, and for what may be one of them. */
export function speaksForPerson({ words, computed }: SimpleCommand): boolean {
  const kind = toProgramKind(words);
  if (kind === "reader" || kind === "speaker") return false;
  if (computed.includes(words[0] ?? "") && words.some((word) => GIVING.test(word))) return true;
  const at = words.findIndex((word) => NAMED.test(toProgramName(word)) || FILE.test(word));
  if (at === -1) return false;
  const rest = words.slice(at + 1);
  if (rest.some((word) => GIVING.test(word))) return true;
  const isOurs = NAMED.test(toProgramName(words[at] ?? ""));
  return isOurs && computed.includes(rest.find((word) => !word.startsWith("-")) ?? "");
}

/** True for a program text, as that of `node -e`, which names such a command. */
export function speaksInCode({ words }: SimpleCommand): boolean {
  return findHazard(words) !== undefined && words.some((word) => /\W/.test(word) && IN_CODE.test(word));
}
