import { type ShellCommand, splitCommands } from "./shell-commands.ts";

/** Around a name: `sh` is neither `x.sh` nor `sh-x`. */
const [BEGIN, END] = ["(?<![\\w.-])", "(?![\\w.\\-/])"];
const SHELLS = "(?:ba|da|k|z|c|tc|fi|a|r|rba|mk|y)?sh|busybox|\\$\\{?(?:SHELL|BASH)\\b\\}?";
const INTERPRETERS =
  "(?:python|pypy|perl|ruby|node|nodejs|deno|bun|tsx|php|lua|luajit|tclsh|Rscript|R|julia|groovy|elixir|scala|osascript|pwsh|powershell|guile|racket|swift)[\\d.]*";
const SHELL = new RegExp(`${BEGIN}(?:${SHELLS})${END}`);
// Options of an interpreter stand before its script: what follows the script is the script's own.
const OPTIONS = "(?:\\s+-\\S+(?:\\s+(?![-<>])\\S+)?)*?";
const INTERPRETED = [
  new RegExp(
    `${BEGIN}(?:${INTERPRETERS})${OPTIONS}\\s+(?:-[A-Za-z]*[ceEpB]|(?<=php\\s+)-r|--(?:eval|print|execute|command|run)\\b|eval\\s)`,
  ),
  new RegExp(`${BEGIN}(?:${INTERPRETERS})(?:\\s+-\\S*)*\\s*(?:<|\\s/dev/|\\s/proc/)`),
];
const PIPED = new RegExp(`${BEGIN}(?:${INTERPRETERS})(?:\\s+-\\S*)*\\s*(?:$|[)}>])`);

/** What may stand before the name of a command. */
const PREFIX =
  "(?:^|[({`!]|(?<![\\w-])(?:then|do|else|elif|if|while|until|time|sudo|env|nohup|exec|command|builtin|xargs|setsid|nice|timeout|coproc|-exec|-execdir)(?:\\s+-\\S+)*(?:\\s+[\\d.]+[smhd]?)?\\s)\\s*(?:\\w+=(?:\"[^\"]*\"|'[^']*'|[^\\s\"'])*\\s+)*";
/** Commands that hand their words to a shell, or have a language of their own that reaches one. */
const RUNNERS =
  "su|runuser|script|flock|watch|parallel|at|batch|crontab|tmux|screen|ssh|expect|socat|nc|ncat|hyperfine|nodemon|concurrently|entr|xterm|gdb|ed|ex|vi|vim|nvim|view|emacs|g?make|sqlite3|mysql|mariadb|psql|dc|bc|compgen|complete|bind|alias|enable|hash|fc";
const RUNNER = new RegExp(`${PREFIX}["'\\\\]?(?:\\S*/)?(?:${RUNNERS})["']?(?=\\s|$)`);
const EXPORT = /(?<![\w-])(?:export|declare|set\s+-\w*a)\b/;
const SOURCE = new RegExp(`${PREFIX}(?:source|\\.)\\s[\\s\\S]*(?:<|/dev/|/proc/|\\$)`);
const OWN_FOLDERS = "(?!\\{?(?:CLAUDE_SKILL_DIR|HOME|PWD)\\b)";
/** A variable as a command: `$COMMAND`. */
const VARIABLE = new RegExp(`${PREFIX}\\$${OWN_FOLDERS}[\\w{(]`);
const QUOTED_VARIABLE = new RegExp(`${PREFIX}"\\$${OWN_FOLDERS}\\{?\\w+\\}?"${OPTIONS}\\s+-[A-Za-z]*[ceEp]`);

/** Languages whose programs usually are one word of a command. */
const FILTERS = /(?<![\w.-])(?:g?sed|[gmno]?awk)(?=\s)[\s\S]*(?:\$[\w{(]|\s-f\s*(?:-|\/dev\/))/;
/** Variables whose value a program runs. */
const CODE_VARIABLES =
  /(?<![\w$-])(?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|ENV|SHELLOPTS|SHELL|PAGER|EDITOR|VISUAL|BROWSER|NODE_OPTIONS|PERL5OPT|RUBYOPT|LESSOPEN|GIT_(?!AUTHOR|COMMITTER)[A-Z_]+|(?:LD|PYTHON)_?[A-Z_]+)\+?=/;
const CODE_OPTIONS = [
  /--(?:to-command|checkpoint-action|use-compress-program|rsh|rsync-path|exec|upload-pack|receive-pack|open-files-in-pager)\b|(?:Proxy|Local)Command/,
  /(?<![\w.-])git(?=\s)[\s\S]*(?:\s-c\s*\S*[$!]|\sforeach\s|\sfilter-branch\s|\sconfig\s|\sbisect\s|\srebase\s[\s\S]*\s-x)/,
  /(?<![\w.-])rsync(?=\s)[\s\S]*\s-\w*e/,
];

/** True when a command hands words to a shell or an interpreter as code, or what it reads is code. */
export function runsWords(code: string): boolean {
  const isExporting = EXPORT.test(code);
  return splitCommands(code).some(
    (command) => isOfShell(command) || isOfInterpreter(command) || isOfRunner(command, isExporting),
  );
}

// `make` reads its variables from the environment, and runs what they hold.
function isOfRunner({ written, expanded, piped }: ShellCommand, isExporting: boolean): boolean {
  return RUNNER.test(written) && (piped || isExporting || /\$[\w{(]|</.test(expanded));
}

function isOfShell({ written, bare, expanded, piped }: ShellCommand): boolean {
  if (
    SHELL.test(bare) &&
    (piped || /\s[-+][A-Za-z]*c|\s--[a-z-]*command|[<]|>\(|\/dev\/|\/proc\//.test(bare))
  )
    return true;
  if ([SOURCE, VARIABLE, QUOTED_VARIABLE].some((pattern) => pattern.test(written))) return true;
  return FILTERS.test(expanded) || [CODE_VARIABLES, ...CODE_OPTIONS].some((pattern) => pattern.test(bare));
}

function isOfInterpreter({ bare, piped }: ShellCommand): boolean {
  return INTERPRETED.some((pattern) => pattern.test(bare)) || (piped && PIPED.test(bare));
}
