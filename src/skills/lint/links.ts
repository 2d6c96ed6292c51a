import { existsSync } from "node:fs";
import { join } from "node:path";
import { readLines } from "../lines.ts";
import { isWithin } from "../within.ts";
import { type Finding, type Instructions, toWarning } from "./rule.ts";

const LINK = /\]\(\s*(?:<([^<>]*)>|([^\s()]+(?:\([^\s()]*\)[^\s()]*)*)(?=[\s)]))[^()]*\)/g;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]]+\]:\s+<?([^\s<>]+)>?/;
// A file in one of the folders that the specification names, perhaps behind the placeholder of the skill's folder.
const FILE =
  /(?<![\w./\\}>~$%*-])(?:\$\{CLAUDE_SKILL_DIR\}\/|\{baseDir\}\/|\.\/)?((?:scripts|references|assets)\/[\w./-]*\w\.\w{1,8})(?![\w/*{<$-])/g;
/** A link in code shows how one is written. */
const SHOWN_LINK = /(?<!`)(`+)\[[^`]{0,300}\]\([^`]{0,300}\)\1(?!`)/g;
/** What a link is called; where it leads to is what counts. */
const LABEL = /\[[^\]]{0,300}\]\(/g;
const CODE = /(?<!`)(`+)(?:(?!`)[\s\S])+?\1(?!`)/g;
/** Behind a path that might be there. */
const WISHED = /^[^.;|]*\bwould\b/;
/** So much of a line around a path says what it is there for. */
const NEAR = 200;
/** Before a path that is there to show what a skill may have, and before one that is written to. */
const SHOWN =
  /(?:\bexamples?\W{0,4}:|\b(?:for example|for instance|such as|would|could)\b|\be\.g\.)(?:[^.;]|\.\w)*$|(?:>|\s-o|--out(?:put)?(?:-file)?[ =])\s*["'`]?$/i;
/** Languages of commands; code in others is mostly an example of what the skill writes. */
const COMMANDS: ReadonlySet<string> = new Set(["", "bash", "sh", "shell", "zsh", "console"]);

/** A place on one person's machine, or on a web site that is not named. */
const ABSOLUTE = /^(?:\/(?!\/)|~\/|file:|[a-z]:[\\/])/i;

/** Files of the skill that its instructions name are there. */
export function judgeLinks({ text, firstLine, folders }: Instructions): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const line of readLines(text).lines) {
    const info = "fence" in line ? line.fence.info : line.kind === "text" ? undefined : "comment";
    for (const path of findPaths(line.text, info)) {
      const finding = seen.has(path) ? undefined : judgePath(path, firstLine + line.index, folders);
      seen.add(path);
      if (finding) findings.push(finding);
    }
  }
  return findings;
}

function findPaths(line: string, info: string | undefined): string[] {
  const files = [...line.replace(SHOWN_LINK, "").replace(LABEL, "](").matchAll(FILE)]
    .filter(
      ({ 0: found, input, index }) =>
        !SHOWN.test(input.slice(Math.max(0, index - NEAR), index)) &&
        !WISHED.test(input.slice(index + found.length, index + found.length + NEAR)),
    )
    .map((match) => match[1] ?? "");
  if (info !== undefined) return COMMANDS.has(info.split(/\s/)[0]?.toLowerCase() ?? "") ? files : [];
  const plain = line.replace(CODE, "");
  const links = [...plain.matchAll(LINK)].map((match) => match[1] ?? match[2] ?? "");
  const definition = DEFINITION.exec(plain)?.[1];
  const targets = [...links, ...(definition === undefined ? [] : [definition])].flatMap(toPath);
  return [...targets, ...files.filter((file) => !targets.includes(file))];
}

/** The file that a link leads to; nothing for other places and for what only stands for a path. */
function toPath(target: string): string[] {
  const path = (target.split(/[?#]/)[0] ?? "").replace(/^(?:\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}|\.)\//, "");
  if (/[<>{}$*|…]|\.\.\.|^$/.test(path)) return [];
  if (ABSOLUTE.test(path)) return [path];
  if (/^[a-z][a-z\d+.-]*:|^[/~]|\\/i.test(path)) return [];
  return /[./]/.test(path) ? [decode(path)] : [];
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // A "%" that is part of the name.
  }
}

function judgePath(path: string, line: number, folders: string[]): Finding | undefined {
  const [skill = ""] = folders;
  if (ABSOLUTE.test(path)) {
    const message = `"${path}" does not begin in the skill's folder: it leads nowhere for others. Put the file into the skill, or write the whole address.`;
    return toWarning("link-absolute", line, message);
  }
  const targets = folders.map((folder) => join(folder, path));
  if (targets.every((target) => !isWithin(skill, target))) {
    const advice = /(?:^|\/)skill\.md$/i.test(path)
      ? "Name the other skill instead."
      : "Put a copy into the skill.";
    const message = `"${path}" leads out of the skill's folder: it is not there where the skill is installed alone. ${advice}`;
    return toWarning("link-outside", line, message);
  }
  if (targets.some((target) => existsSync(target))) return undefined;
  return toWarning("link-missing", line, `The skill has no file "${path}".`);
}
