import { readLines } from "../lines.ts";
import { type Finding, toWarning } from "./rule.ts";
import { READS_SECRET, SAYS_TO_READ_SECRET } from "./secrets.ts";

interface Danger {
  code: string;
  pattern: RegExp;
  /** The same, as it is said in a sentence. */
  prose?: RegExp;
  /** What it does and what to do instead, behind the text that was found. */
  says: string;
}

const SHELL = "(?:sudo\\s+(?:-\\S+\\s+)*)?(?:/(?:usr/)?bin/)?(?:env\\s+)?(?:ba|z|da|k|fi)?sh\\b";
const INTERPRETER = `(?:${SHELL}|(?:sudo\\s+)?(?:python3?|node|perl|ruby|php)\\b(?=\\s*(?:-\\s|-$|$|[;&|\`)"'])))`;
/** Where the project has one of these, it is run, not fetched. */
const LOCAL_TOOLS = "(?:tsc|tsx|ts-node|eslint|prettier|biome|vite|vitest|jest|playwright)\\b";
const RUNNER = `(?:(?:npx\\s+(?:--yes|-y)|bunx|npm\\s+exec\\s+(?:--yes|-y))(?!\\s+${LOCAL_TOOLS})|uvx(?!\\s+(?:and|are|available|can|command|for|has|if|in|installed|is|not|on|or|to|when|will)\\b)|pnpm\\s+dlx|yarn\\s+dlx|pipx\\s+run)`;

const DANGERS: Danger[] = [
  {
    code: "pipe-to-shell",
    pattern: new RegExp(
      `\\b(?:curl|wget|fetch|iwr|Invoke-WebRequest)\\s+[^\\n|;*]*\\|\\s*(?:tee\\s+\\S+\\s*\\|\\s*)?${INTERPRETER}|` +
        `\\b(?:${SHELL}|source|eval|\\.)\\s+(?:-c\\s+)?["']?(?:<\\(|\\$\\(|\`)\\s*(?:curl|wget)\\b[^\\n]*|` +
        `\\bbase64\\s+(?:-d|-D|--decode)\\b[^\\n|;]*\\|\\s*${INTERPRETER}|` +
        `\\b(?:iex|Invoke-Expression)(?=[\\s(])[^\\n|]*\\b(?:(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\\s|DownloadString\\()|` +
        `\\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\\s+[^\\n|;]*\\|\\s*(?:iex|Invoke-Expression)\\b`,
    ),
    says: "runs whatever a server or an encoded text holds, unread. Put the program into the skill, or name the package that holds it.",
  },
  {
    code: "package-unpinned",
    pattern: new RegExp(
      `\\b${RUNNER}\\s+(?:-{1,2}[\\w-]+(?:=\\S+)?\\s+)*(?:@[a-z\\d][\\w.-]*/)?[a-z\\d][\\w.-]*(?:@(?:latest|next|beta)\\b|(?![\\w.-]*(?:@\\S|==\\S|\\S*/)))`,
    ),
    says: "fetches and runs whatever was published last, without asking. Write the version, such as name@1.2.3.",
  },
  {
    code: "install-from-url",
    pattern:
      /\b(?:pip3?|uv pip|pipx)\s+install\s+(?:-{1,2}(?![if]\b|[\w-]*(?:url|links)\b)[\w-]+\s+)*["']?(?:git\+)?https?:\/\/(?![^\s"']*@[\da-f]{7,40}\b)[^\s"'`)]+/,
    says: "installs what an address holds today. Name a package and its version, or a commit.",
  },
  {
    code: "secret-path",
    pattern: READS_SECRET,
    prose: SAYS_TO_READ_SECRET,
    says: "reads a file of secrets. Say which value is needed and let the person give it.",
  },
  {
    code: "delete-root",
    pattern:
      /(?<!["']\s?;\s*)\brm\s+(?=(?:-{1,2}[\w-]+\s+)*(?:-\w*[rR]|--recursive))(?:-{1,2}[\w-]+\s+)+["']?(?:\/\*?|~\/?\*?|\$\{?HOME\}?["']?\/?\*?)["']?(?=\s|$|[;&|`)])|\brm\s[^\n;|]*--no-preserve-root/,
    says: "deletes everything. Name the folder that is meant.",
  },
  {
    code: "checks-off",
    pattern:
      /--dangerously-(?:skip-permissions|bypass-approvals-and-sandbox)\b|\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx|ugo\+rwx)\s+(?:["']?[./~$*{<]|[\w-]+["']?\s*(?:$|[;&|`)#]))|\bNODE_TLS_REJECT_UNAUTHORIZED=["']?0|\bStrictHostKeyChecking[= ]no\b|\bsetenforce\s+0\b|\bspctl\s+--master-disable\b|\bGIT_SSL_NO_VERIFY=(?:1|true)\b/,
    says: "switches off a check that protects the person. Leave it on, or ask them to do it.",
  },
];

/** Said of what must not be done, just before it is named. */
const DENIAL =
  /(?:\b(?:warning|not|never|cannot|avoid|no|without|refuse|forbid\w*|block\w*|deny|denied|dangerous|instead of)\b|n['’]t\b|❌|✗|🚫)[^.;!?]{0,60}$/i;

/** A line of code that runs nothing, and may speak as a sentence does. */
const COMMENT = /^\s*(?:#|\/\/)/;

/** A longer line is a program that was made small, and the patterns would take long for it. */
const LINE_LIMIT = 10_000;

/** A line that may be followed. */
export interface SpokenLine {
  text: string;
  /** One-based, in its file. */
  line: number;
  /** It is no code, so that it may also speak of what is not to be done. */
  isProse: boolean;
}

/** Nothing that a skill has done harms whoever runs it. The same text is told once. */
export function judgeDangers(lines: readonly SpokenLine[]): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const { text, line, isProse } of lines) {
    if (text.length > LINE_LIMIT) continue;
    for (const { code, pattern, prose, says } of DANGERS) {
      const match = pattern.exec(text) ?? (isProse ? (prose?.exec(text) ?? null) : null);
      if (match === null || ((isProse || COMMENT.test(text)) && DENIAL.test(text.slice(0, match.index))))
        continue;
      const found = match[0].trim();
      if (seen.has(`${code} ${found}`)) continue;
      seen.add(`${code} ${found}`);
      findings.push(toWarning(code, line, `"${shorten(found)}" ${says}`));
    }
  }
  return findings;
}

/**
 * The lines of a text, each command in one, also where it goes on behind a backslash.
 *
 * @param firstLine The line of its file at which the text begins.
 * @param isCode True for a script; else fenced code is told apart.
 */
export function toSpokenLines(text: string, firstLine: number, isCode = false): SpokenLine[] {
  const spoken: SpokenLine[] = [];
  let isOpen = false;
  const lines = isCode
    ? text.split(/\r\n|\r|\n/).map((line, index) => ({ text: line, index, isProse: false }))
    : readLines(text).lines.map(({ text: line, index, kind }) => ({
        text: line,
        index,
        isProse: kind !== "code",
      }));
  for (const { text: line, index, isProse } of lines) {
    const last = spoken.at(-1);
    if (isOpen && last && last.isProse === isProse) last.text += line.replace(/\\$/, " ");
    else spoken.push({ text: line.replace(/\\$/, " "), line: firstLine + index, isProse });
    isOpen = /(?:^|[^\\])\\$/.test(line);
  }
  return spoken;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
