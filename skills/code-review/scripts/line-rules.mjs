import { findLanguage, isTest } from "./kinds.mjs";
import { findSecrets } from "./secrets.mjs";

const longest = 400;
const mostOfLine = 5_000;

/** Calls that were put in to look at something while working. */
const debugging = {
  javascript:
    /(?<![\w.])console\.(log|debug|trace|dir|table)\s*\(|(?<![\w."'`-])debugger\s*(;|$)|(?<![\w.])alert\s*\(/,
  python: /(?<![\w.])(print\s*\(|breakpoint\s*\(\)|i?pdb\.set_trace\s*\()/,
  ruby: /(?<![\w.])(binding\.(pry|irb)|byebug)\b/,
  php: /(?<![\w>:$])(var_dump|print_r|dd|dump)\s*\(/,
  go: /(?<!\w)fmt\.Print(ln|f)?\s*\(|(?<![\w.])println\s*\(/,
  rust: /(?<!\w)dbg!\s*\(/,
  java: /\bSystem\.(out|err)\.print|\.printStackTrace\s*\(\)/,
  csharp: /\bConsole\.WriteLine\s*\(|\bDebugger\.(Break|Launch)\s*\(/,
  swift: /(?<![\w.])(print|dump)\s*\(/,
  shell: /^\s*set\s+-[a-w]*x/,
};

/** Calls that turn text into code, commands or markup, or switch a check off. */
const dangerous = {
  javascript:
    /(?<![\w.])eval\s*\(|\bnew Function\s*\(|\.(innerHTML|outerHTML)\s*\+?=(?!=)|\binsertAdjacentHTML\s*\(|\bdocument\.write(ln)?\s*\(|\bdangerouslySetInnerHTML\b|\bv-html=|(?<![\w.-])exec(Sync)?\s*\(|\b(child_process|cp)\.exec(Sync)?\s*\(|\bshell:\s*true\b|\bvm\.runIn\w+\s*\(|\brejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/,
  python:
    /(?<![\w.])(eval|exec)\s*\(|\bos\.(system|popen)\s*\(|\bshell\s*=\s*True\b|\bc?[pP]ickle\.loads?\s*\(|\byaml\.load\s*\((?!.*SafeLoader)|\bverify\s*=\s*False\b|\bmark_safe\s*\(/,
  ruby: /(?<![\w.])(eval|system|exec)[\s(]|\b(instance|class)_eval\b|\bMarshal\.load\b|\.html_safe\b|\.constantize\b/,
  php: /(?<![\w>:$])(eval|exec|shell_exec|system|passthru|popen|proc_open|unserialize|extract)\s*\(/,
  go: /\bexec\.Command(Context)?\s*\(|\btemplate\.(HTML|JS|URL)\s*\(|\bInsecureSkipVerify:\s*true/,
  rust: /\bunsafe\s*(\{|fn)|\bCommand::new\s*\(/,
  java: /\bgetRuntime\(\)\.exec\s*\(|\bnew ProcessBuilder\s*\(|\.readObject\s*\(\)|\bScriptEngine\b/,
  csharp: /\bProcess\.Start\s*\(|\bBinaryFormatter\b|\bHtml\.Raw\s*\(/,
  c: /(?<![\w.>])(gets|strcpy|strcat|sprintf|system|popen)\s*\(/,
  shell: /(?<![\w-])eval\s|\b(curl|wget)\b[^|]*\|\s*(sudo\s+)?(ba|z)?sh\b|\bchmod\s+(-\w+\s+)?0?777\b/,
  html: /\son\w+\s*=\s*["']|<script(?![^>]*\bsrc=)/i,
  sql: /\b(drop|truncate)\s+(table|database|schema)\b|\bgrant\s+all\b/i,
};

const testWords = "(?:it|test|describe|context|suite|bench)";
const focused = new RegExp(
  `(?<![\\w.])${testWords}(?:\\.\\w+)*\\.only\\b|(?<![\\w.])(?:fit|fdescribe|fcontext)\\s*\\(`,
);
const skipped = new RegExp(
  `(?<![\\w.])${testWords}(?:\\.\\w+)*\\.(?:skip|todo)\\b|(?<![\\w.])x(?:it|describe|test)\\s*\\(|@(?:pytest\\.mark\\.|unittest\\.)skip|@(?:Ignore|Disabled)\\b|\\bt\\.Skip(?:f|Now)?\\(|#\\[ignore`,
);
// These reorder what is read; the others are at home in prose of some scripts, but not in code.
const reordering = /[\u202A-\u202E\u2066-\u2069]/;
const invisible = /[\u200B\u200C\u200E\u200F\u2060-\u2064]|(?<!^)\uFEFF/;
const comment = /^\s*(\/\/|\/\*|\*|#(?!\[)|--\s|<!--|;)/;
const rules = [
  ["conflict-marker", "high", "merge conflict marker", ({ text, marks }) => isConflictMarker(text, marks)],
  [
    "hidden-character",
    "high",
    "invisible or direction-changing character",
    ({ text, language }) => reordering.test(text) || (language !== undefined && invisible.test(text)),
  ],
  [
    "focused-test",
    "high",
    "only this test runs",
    ({ text, path, code }) => code && isTest(path) && focused.test(text),
  ],
  [
    "skipped-test",
    "medium",
    "test is skipped",
    ({ text, path, code }) => code && isTest(path) && skipped.test(text),
  ],
  [
    "dangerous-call",
    "medium",
    "text becomes code, a command or markup, or a check is off",
    ({ text, code, language }) => code && dangerous[language]?.test(text),
  ],
  [
    "debugging",
    "low",
    "debugging output",
    ({ text, code, language }) => code && debugging[language]?.test(text),
  ],
  [
    "install-script",
    "medium",
    "script that runs at installation",
    ({ text, path }) => /(^|\/)package\.json$/.test(path) && /"(pre|post)?install"\s*:/.test(text),
  ],
  ["todo", "low", "open task", ({ text }) => /(?<![\w-])(TODO|FIXME|XXX|HACK)(?![\w-])/.test(text)],
  [
    "long-line",
    "low",
    `line of more than ${longest} characters`,
    ({ text, language }) => language !== undefined && text.length > longest,
  ],
];

/** What the added lines of a file show, line by line. */
export function checkLines(file, kind) {
  const added = file.hunks.flatMap(({ lines }) => lines.filter(({ sign }) => sign === "+"));
  const language = findLanguage(file.path);
  const marks = new Set(added.map(({ text }) => /^(<{7}|>{7}) /.exec(text)?.[1]));
  const isWritten = kind !== "generated" && kind !== "lock";
  const findings = [];
  for (const { text: whole, number } of added) {
    const text = whole.slice(0, mostOfLine);
    const line = { text, marks, path: file.path, language, code: !comment.test(text) };
    for (const secret of findSecrets(text, file.path)) {
      const severity = secret.certain ? "high" : "medium";
      findings.push({ rule: "secret", severity, line: number, message: secret.kind, text });
    }
    for (const [rule, severity, message, fits] of rules) {
      if (!isWritten && rule !== "conflict-marker") continue;
      if (fits(line)) findings.push({ rule, severity, line: number, message, text });
    }
  }
  return isWritten ? [...findings, ...findSwallowedErrors(file, language)] : findings;
}

/** A line of equal signs is a heading too: it counts only between the other marks. */
function isConflictMarker(text, marks) {
  if (/^(<{7}|>{7}|\|{7})( |$)/.test(text)) return true;
  return text === "=======" && marks.has("<<<<<<<") && marks.has(">>>>>>>");
}

/** Handlers that do nothing at all; one with a word of explanation is left to the reader. */
function findSwallowedErrors(file, language) {
  const findings = [];
  for (const { lines } of file.hunks) {
    const kept = lines.filter(({ sign }) => sign !== "-");
    for (const [index, line] of kept.entries()) {
      const next = kept.slice(index + 1).find(({ text }) => text.trim() !== "");
      if (line.sign !== "+" && next?.sign !== "+") continue;
      if (!swallows(line.text, next?.text ?? "", language)) continue;
      const { text, number } = line;
      findings.push({
        rule: "swallowed-error",
        severity: "medium",
        line: number,
        message: "error is dropped",
        text,
      });
    }
  }
  return findings;
}

function swallows(text, next, language) {
  if (comment.test(text)) return false;
  if (language === "python") {
    return (
      /^\s*except\b[^#]*:\s*(pass|\.\.\.)\s*$/.test(text) ||
      (/^\s*except\b[^#]*:\s*$/.test(text) && /^\s*(pass|\.\.\.)\s*$/.test(next))
    );
  }
  if (language === "ruby") return /\brescue\s+nil\b/.test(text);
  if (/\bcatch\s*(\([^)]*\))?\s*\{\s*\}/.test(text)) return true;
  if (/\.catch\s*\(\s*(\(\s*\w*\s*\)|\w+)\s*=>\s*\{\s*\}\s*\)/.test(text)) return true;
  return /\bcatch\s*(\([^)]*\))?\s*\{\s*$/.test(text) && /^\s*\}/.test(next);
}
