import { readCommand } from "./command/read-command.ts";
import { parseRule, type Rule } from "./rule.ts";
import { isAnyCommand, parseCommandPattern } from "./subjects/command-pattern.ts";
import { parseDomainPattern } from "./subjects/domain-pattern.ts";

/** Why an entry is no rule that could ever count, as the end of a sentence, and what may have been meant. */
export interface RuleFault {
  reason: string;
  /** Readable entries, to be used instead. */
  nearest: string[];
}

/** Our tools of which there is nothing more to say than their names. */
const PATTERNLESS = new Set(["AskUser", "SearchSkills", "CompleteStage", "UnloadSkill"]);
const NAME = /^[\p{L}\p{N}_.:/-]+$/u;
const PLACEHOLDER = /\{baseDir\}|\$\{?(CLAUDE_)?SKILL_DIR\b/;

/** Says why an entry of `allowed-tools` or of the settings' permissions grants nothing; undefined for a rule that can. */
export function findRuleFault(entry: string): RuleFault | undefined {
  const rule = parseRule(entry);
  if (rule === undefined) return findFormFault(entry.trim());
  const { tool, pattern } = rule;
  if (tool.startsWith("mcp__")) return findServerFault(rule);
  if (!NAME.test(tool)) return { reason: `"${tool}" is no tool's name`, nearest: [] };
  if (pattern === undefined) return undefined;
  if (PATTERNLESS.has(tool)) return { reason: `"${tool}" takes no pattern`, nearest: [tool] };
  if (tool === "Bash") return findCommandFault(pattern);
  return tool === "WebFetch" && parseDomainPattern(pattern) === undefined
    ? findDomainFault(pattern)
    : findPlaceholder(pattern);
}

/** A fault as a sentence for people, with what to write instead where that is known. */
export function describeFault({ reason, nearest }: RuleFault): string {
  const advice = nearest.length === 0 ? "" : ` Write ${nearest.join(" and ")}.`;
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.${advice}`;
}

/**
 * What a readable allow entry is likely not meant to say; undefined for one that says what it seems to.
 *
 * @example
 * ```ts
 * findRuleSurprise("Bash(git status*)"); // nothing may follow that word
 * ```
 */
export function findRuleSurprise(entry: string): RuleFault | undefined {
  const rule = parseRule(entry);
  if (rule?.tool !== "Bash" || rule.pattern === undefined || isAnyCommand(rule.pattern)) return undefined;
  const parsed = parseCommandPattern(rule.pattern);
  const last = parsed?.words.at(-1);
  if (!parsed || !last || parsed.prefix || !last.star || !/[^\s:*/'"]\*+$/.test(rule.pattern))
    return undefined;
  const nearest = [`Bash(${rule.pattern.replace(/\*+$/, "")}:*)`];
  const shown = rule.pattern.split(/\s+/).at(-1) ?? "";
  return { reason: `"${shown}" stands for one word that begins so, and none may follow it`, nearest };
}

function findFormFault(entry: string): RuleFault {
  if (entry === "") return { reason: "it is empty", nearest: [] };
  const [name = "", ...rest] = entry.split("(");
  const inner = rest.join("(");
  if (/^\s*\)?\s*$/.test(inner) && rest.length > 0)
    return {
      reason: "nothing stands in its parentheses",
      nearest: name.trim() === "Bash" ? [] : [name.trim()],
    };
  const missing = inner.split("(").length + 1 - inner.split(")").length;
  if (rest.length > 0 && missing > 0) {
    const closed = `${entry}${")".repeat(missing)}`;
    const reason = "a parenthesis is not closed";
    return { reason, nearest: findRuleFault(closed) === undefined && parseRule(closed) ? [closed] : [] };
  }
  if (missing < 0 || (rest.length === 0 && entry.includes(")")))
    return { reason: "a parenthesis is closed that was not opened", nearest: [] };
  if (rest.length > 0 && name.trim() !== "")
    return { reason: "something stands behind its parentheses", nearest: [] };
  return { reason: "it does not begin with one tool's name", nearest: [] };
}

/** `mcp__server`, `mcp__server__*` and `mcp__server__tool`, without a pattern. */
function findServerFault({ tool, pattern }: Rule): RuleFault | undefined {
  const [, server = "", name] = /^mcp__(.+?)(?:__(.*))?$/.exec(tool) ?? [];
  if (server === "" || server.includes("*") || (name?.includes("*") && name !== "*"))
    return { reason: "a * can only stand for all tools of one server", nearest: [] };
  if (name === "" || !NAME.test(server)) return { reason: `"${tool}" is no tool's name`, nearest: [] };
  if (pattern === undefined) return undefined;
  return { reason: "a tool of a server takes no pattern", nearest: [tool] };
}

function findCommandFault(pattern: string): RuleFault | undefined {
  if (isAnyCommand(pattern)) return undefined;
  const parsed = parseCommandPattern(pattern);
  const first = parsed?.words[0]?.text ?? "";
  if (/:\*/.test(first) && parsed !== undefined && parsed.words.length > 1) {
    return { reason: '":*" can only stand at the end', nearest: [`Bash(${pattern.replace(":*", "")})`] };
  }
  if (/:\s+\*+$/.test(pattern)) {
    return { reason: 'a blank stands before "*"', nearest: [`Bash(${pattern.replace(/\s+\*+$/, "*")})`] };
  }
  if (parsed !== undefined) return findPlaceholder(pattern);
  const ending = /(:|\s)\*+$/.exec(pattern.trim())?.[0] ?? "";
  const bare = pattern.trim().slice(0, pattern.trim().length - ending.length);
  const view = readCommand(bare);
  if (view.kind === "unreadable")
    return { reason: `its command cannot be read: ${view.reason}`, nearest: [] };
  if (view.commands.length > 1) {
    const parts = splitPlain(bare);
    const nearest = parts.map((part, index) => `Bash(${part}${index === parts.length - 1 ? ending : ""})`);
    return { reason: "a rule is for one command, and each of several needs its own", nearest };
  }
  return { reason: "files of redirections are a matter of Write and Read rules", nearest: [] };
}

/** The commands of a line whose quotes hide no mark between commands. */
function splitPlain(line: string): string[] {
  return /["'\\]/.test(line) ? [] : line.split(/&&|\|\||[|;\n]/).map((part) => part.trim());
}

function findDomainFault(pattern: string): RuleFault {
  const bare = pattern.replace(/^domain:/, "").trim();
  const [, host = ""] = /^(?:https?:\/\/)?([^\s/?#]+)/i.exec(bare) ?? [];
  const nearest = parseDomainPattern(`domain:${host}`) ? [`WebFetch(domain:${host})`] : [];
  return { reason: "addresses are named by their host, as in domain:example.com", nearest };
}

/** The folder of a skill is filled in before; what is left of it means nothing. */
function findPlaceholder(pattern: string): RuleFault | undefined {
  const [word] = PLACEHOLDER.exec(pattern) ?? [];
  return word === undefined
    ? undefined
    : {
        reason: `"${word}" stands for nothing here: only a skill has a folder, and not between single quotes`,
        nearest: [],
      };
}
