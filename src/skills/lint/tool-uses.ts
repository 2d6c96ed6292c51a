import { splitCommands } from "../arguments/shell-commands.ts";
import { readLines } from "../lines.ts";
import { type GrantedEntry, readGrant, toProgram } from "./grants.ts";
import { ENGLISH, type Finding, type Instructions, toWarning } from "./rule.ts";

const SHELLS = new Set(["bash", "sh", "shell", "zsh"]);
/** Words of a shell, and programs that say or change nothing outside of it. */
const SHELL_WORDS = new Set(
  `. : [ [[ alias break case cd continue declare do done echo elif else esac eval exec exit export false fi for function
  getopts hash if in local printf pwd read return select set shift sleep source test then time trap true type umask
  unset until wait while { }`.split(/\s+/),
);
const NAMED_TOOL =
  /`?\b(Read|Write|Edit|MultiEdit|Bash|Glob|Grep|WebFetch|WebSearch|NotebookEdit)\b`? tools?\b(?! (?:input|output|call|result)s?\b)/g;
/** Small programs that a model uses without being told their names. */
const UTILITIES = new Set(
  `basename cat chmod column comm cp cut date diff dirname du file find grep head ls mkdir mv realpath rg rm sed sort
  stat tail tee touch tr tree uniq wc which`.split(/\s+/),
);
/** They run the program that comes next. */
const RUNNERS = new Set(["npx", "bunx", "uvx", "pipx", "sudo", "env"]);
const COMMAND_FENCE = /^ {0,3}(?:```|~~~)[ \t]*(?:bash|sh|shell|zsh|console)\b/im;
/** Said of a tool that is not to be used. */
const DENIAL = /\b(?:not?|never|cannot|without|avoid|instead of|rather than|over|than)\b|n['’]t\b/i;
/** By which words an English text shows that it has a use for a tool. */
const TRACES: Record<string, RegExp> = {
  websearch: /search|web|online|look up|google|internet|research/i,
  webfetch: /fetch|https?:|url|web|download|online|page|site|link/i,
  write: /writ|creat|sav|generat|output|produc|fil(?:e|l)|report|draft|make|build|add|put/i,
  edit: /edit|chang|modif|updat|replac|fix|writ|refactor|add|remov|insert|rename|improv|apply/i,
  notebookedit: /notebook|jupyter|ipynb|cell/i,
};

/**
 * What the instructions run as it stands, and the tools that they call by name, are pre-approved. A skill without
 * `allowed-tools` declares nothing, and all that it does is asked about.
 *
 * @param others Entries that are pre-approved at another place, as in a stage.
 */
export function judgeMissingTools(
  entries: readonly string[],
  others: readonly string[],
  text: Pick<Instructions, "text" | "firstLine">,
): Finding[] {
  if (entries.length === 0) return [];
  const grants = [...entries, ...others].map(readGrant);
  if (grants.some(({ tool }) => tool === "*")) return [];
  const missing = new Map<string, number>();
  for (const { name, isProgram, line } of [...findPrograms(text), ...findTools(text)]) {
    const isGranted = isProgram ? isProgramGranted(grants, name) : grants.some((each) => isTool(each, name));
    if (!isGranted && !missing.has(name)) missing.set(name, line);
  }
  if (missing.size === 0) return [];
  const line = Math.min(...missing.values());
  const names = [...missing.keys()];
  const shown = `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
  const message = `The instructions use ${shown}, which "allowed-tools" does not name: their uses may be asked about. Name what needs no approval.`;
  return [toWarning("tools-missing", line, message)];
}

/**
 * What is pre-approved is used. Only English is judged, and only entries that leave a trace in a text.
 *
 * @param line Of `allowed-tools`.
 * @param texts The instructions, those of the stages included.
 * @param scripts Further texts in which a program may be named.
 */
export function judgeUnusedTools(
  entries: readonly string[],
  line: number,
  texts: readonly string[],
  scripts: readonly string[],
): Finding[] {
  const whole = texts.join("\n");
  if (entries.length === 0 || !ENGLISH.test(whole)) return [];
  const everything = [whole, ...scripts].join("\n").toLowerCase();
  const unused = entries.filter((entry) => !isMentioned(readGrant(entry), whole, everything));
  if (unused.length === 0) return [];
  const shown = unused.map((entry) => `"${entry}"`).join(", ");
  const message = `Nothing in the skill mentions what ${shown} ${unused.length === 1 ? "is" : "are"} for. Remove what is not needed.`;
  return [toWarning("tools-unused", line, message)];
}

interface Use {
  name: string;
  isProgram: boolean;
  line: number;
}

function findPrograms({ text, firstLine }: Pick<Instructions, "text" | "firstLine">): Use[] {
  const uses: Use[] = [];
  for (const { kind, text: line, index, ...rest } of readLines(text).lines) {
    if (kind !== "code" || !("fence" in rest)) continue;
    const [language = "", mark] = rest.fence.info.toLowerCase().split(/\s+/);
    if (!SHELLS.has(language) || mark !== "run") continue;
    const code = line.trim();
    if (code.startsWith("#")) continue;
    for (const { bare } of splitCommands(code)) {
      const name = toProgram(
        bare
          .trim()
          .split(/\s+/)
          .find((word) => !/^\w+=/.test(word)) ?? "",
      );
      if (!/^[A-Za-z][\w.+-]*$/.test(name) || SHELL_WORDS.has(name)) continue;
      uses.push({ name, isProgram: true, line: firstLine + index });
    }
  }
  return uses;
}

function findTools({ text, firstLine }: Pick<Instructions, "text" | "firstLine">): Use[] {
  return readLines(text).lines.flatMap(({ kind, text: line, index }) =>
    kind !== "text"
      ? []
      : [...line.matchAll(NAMED_TOOL)]
          .filter((match) => !DENIAL.test(line.slice(0, match.index)))
          .map((match) => ({ name: match[1] ?? "", isProgram: false, line: firstLine + index })),
  );
}

function isTool({ tool, isShell }: GrantedEntry, name: string): boolean {
  return (
    tool === name.toLowerCase() || (isShell && name === "Bash") || (tool === "edit" && name === "MultiEdit")
  );
}

function isProgramGranted(grants: readonly GrantedEntry[], program: string): boolean {
  return grants.some(({ isShell, words }) => {
    if (!isShell) return false;
    const first = words?.find((word) => !/^\w+=/.test(word));
    return first === undefined || toProgram(first).replace(/\*$/, "") === program;
  });
}

function isMentioned({ tool, isShell, words }: GrantedEntry, text: string, everything: string): boolean {
  if (isShell) {
    const [first = "", second = ""] = words?.filter((word) => !/^(?:\w+=|-)/.test(word)) ?? [];
    // `npx tool` is for the tool, and `python3` is what `python` is elsewhere.
    const program = toProgram(RUNNERS.has(first) && second !== "" ? second : first).replace(/[\d*]+$/, "");
    // Where no command is shown, and for what every task may need, a sentence that names none says enough.
    if (program === "" || UTILITIES.has(program) || SHELL_WORDS.has(program) || !COMMAND_FENCE.test(text))
      return true;
    return everything.includes(program.toLowerCase());
  }
  const parts = /^mcp__(.+?)(?:__(.+))?$/.exec(tool);
  if (parts !== null)
    return [parts[1], parts[2]].some((part) => part !== undefined && hasPart(everything, part));
  return TRACES[tool]?.test(text) ?? true;
}

function hasPart(text: string, part: string): boolean {
  return part.split(/[_*-]+/).some((word) => word.length > 2 && text.includes(word.toLowerCase()));
}
