import { SHELLS, type SimpleCommand, toProgramName } from "./scan.ts";
import { isStream } from "./stream.ts";

/** Programs that run commands from a file, from what they read, on another machine or by a language of their own. */
const BLIND = new Set(
  `alias parallel ssh gdb lldb expect entr at batch crontab screen tmux socat run-parts vi vim nvim view ex ed emacs
  nano enable hash fc compgen complete bind`.split(/\s+/),
);
/** Shells whose language is not the one that is parsed here. */
const OTHER_SHELLS = new Set(["zsh", "fish", "csh", "tcsh", "pwsh", "nu", "elvish", "xonsh"]);
const GIT_RUNNERS = new Set(
  "submodule bisect filter-branch difftool mergetool hook for-each-repo send-email instaweb".split(" "),
);
/** Settings that name no program: the others of `git -c` can. */
const GIT_PLAIN_SETTING =
  /^(user|author|committer|color|advice|commit|log|init|i18n|column)\.|^core\.(quotepath|pager=cat$|autocrlf|filemode|ignorecase)/i;
const SHELL_VALUED = /^([-+][A-Za-z]*[oO]|--(rcfile|init-file))$/;
// Where a shell takes a variable's name, it evaluates what stands between brackets, quoted or not.
const TAKES_NAMES = new Set(
  "let declare typeset local export readonly unset read mapfile readarray getopts test [ printf wait".split(
    " ",
  ),
);
const SUBSCRIPT = /\[[^\]]*(\$\(|`)/;

/** Why the words of a command do not show all that it runs, as the end of a sentence; undefined when they do. */
export function findUnseen(command: SimpleCommand): string | undefined {
  const { words, assignments } = command;
  const name = toProgramName(words[0] ?? "");
  if (BLIND.has(name)) return `"${name}" runs what its words do not show`;
  if (readsProgram(command)) return `"${name}" runs a text that is not spelled out`;
  if (OTHER_SHELLS.has(name) && words.some((word) => /^-[A-Za-z]*c[A-Za-z]*$|^-+[cC]ommand/.test(word)))
    return `"${name}" has a language of its own`;
  if (name === "git") return findUnseenByGit(words.slice(1));
  const names = TAKES_NAMES.has(name) ? [...words, ...assignments] : assignments;
  return names.some((word) => SUBSCRIPT.test(word)) ? "a subscript in it runs code" : undefined;
}

/** True for a shell, `source` or `.` that runs what it is sent, or a file that is not spelled out. */
export function readsProgram({ words, computed }: SimpleCommand): boolean {
  const name = toProgramName(words[0] ?? "");
  const sources = name === "source" || name === ".";
  if (!sources && !SHELLS.has(name)) return false;
  const args = words.slice(1);
  const index = args.findIndex((word, at) => !/^[-+]./.test(word) && !SHELL_VALUED.test(args[at - 1] ?? ""));
  const options = index === -1 ? args : args.slice(0, index);
  if (!sources && options.includes("--version")) return false;
  const script = args[index];
  if (script === undefined || isStream(script) || computed.includes(script)) return true;
  return !sources && options.some((word) => /^-[A-Za-z]*s/.test(word));
}

function findUnseenByGit(args: string[]): string | undefined {
  const own = args.findIndex(
    (word, index) => !word.startsWith("-") && !/^-[cC]$/.test(args[index - 1] ?? ""),
  );
  const before = own === -1 ? args : args.slice(0, own);
  const setting = before.find((word, index) => {
    if (/^--(exec-path=|config-env)/.test(word)) return true;
    return /^-c$/.test(args[index - 1] ?? "") && !GIT_PLAIN_SETTING.test(word);
  });
  if (setting !== undefined) return `git's "${setting}" can run a command`;
  const subcommand = args[own] ?? "";
  const runs =
    GIT_RUNNERS.has(subcommand) ||
    (subcommand === "rebase" && args.some((word) => /^(-[a-z]*x|--e)/.test(word)));
  return runs ? `"git ${subcommand}" runs what its words do not show` : undefined;
}
