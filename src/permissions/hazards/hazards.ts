import { SHELLS, toProgramName } from "../command/scan.ts";
import { isStream } from "../command/stream.ts";
import { findOption, type OptionNames, toOptions } from "./hazard-options.ts";
import { findProgramHazard } from "./hazard-programs.ts";

/** Programs whose arguments are another command, or that change how the next commands are read. */
const RUNNERS = new Set(
  `xargs time nohup nice ionice timeout stdbuf setsid coproc eval exec source . builtin trap alias enable sudo doas su
  runuser ssh chroot unshare nsenter flock strace ltrace gdb lldb busybox toybox parallel watch script expect entr at
  batch crontab taskset chrt unbuffer caffeinate fakeroot dbus-run-session systemd-run screen tmux setarch linux32
  linux64 prlimit perf valgrind socat pkexec run-parts start-stop-daemon vi vim nvim view ex ed emacs nano
  let declare typeset local export readonly unset read mapfile readarray getopts
  fc history compgen complete bind hash jobs`.split(/\s+/),
);

/** Options by which another folder's files say what runs. */
const PACKAGE_OPTIONS =
  "--script-shell --prefix --cwd --dir --use-yarnrc --userconfig --globalconfig --node-options --local-prefix";

/** Options that make an otherwise harmless program run a command or write a file. */
const OPTIONS = new Map<string, OptionNames>([
  ["rg", toOptions("--pre --hostname-bin --search-zip", "z")],
  ["sort", toOptions("--output --compress-program", "o")],
  ["shuf", toOptions("--output", "o")],
  // Each folder gets a file by `-R`, in some versions by way of a shell.
  ["tree", toOptions("--output", "oR")],
  ["iconv", toOptions("--output", "o")],
  ["sdiff", toOptions("--output", "o")],
  ["diff", toOptions("--paginate", "l")],
  ["fzf", toOptions("--preview --bind --with-shell --listen --listen-unsafe", "")],
  ["less", toOptions("--log-file --LOG-FILE", "oO")],
  ["man", toOptions("--pager --html --preprocessor", "PHp")],
  ["bat", toOptions("--pager --diagnostic", "")],
  [
    "tar",
    toOptions(
      `--to-command --checkpoint-action --use-compress-program --rsh-command --rmt-command --info-script
      --new-volume-script --index-file`,
      "IF",
    ),
  ],
  ["file", toOptions("--compile", "C")],
  ["ag", toOptions("--pager", "")],
  ["zip", toOptions("--unzip-command", "")],
  ["split", toOptions("--filter", "")],
  ["yq", toOptions("--inplace --in-place --split-exp", "is")],
  [
    "curl",
    toOptions(
      `--output --remote-name --remote-name-all --output-dir --config --dump-header --cookie-jar --trace
      --trace-ascii --libcurl --stderr --etag-save --hsts --alt-svc --ssl-sessions`,
      "oOKDcJ",
    ),
  ],
  ["wget", toOptions("--execute --use-askpass --output-document --output-file --config", "eOoa")],
  ["rsync", toOptions("--rsh --rsync-path", "e")],
  ["scp", toOptions("", "SoF")],
  ["sftp", toOptions("", "SoFb")],
  ["npx", toOptions(`--call ${PACKAGE_OPTIONS}`, "cC")],
  ["npm", toOptions(`--call ${PACKAGE_OPTIONS}`, "cC")],
  ["pnpm", toOptions(`--shell-mode ${PACKAGE_OPTIONS}`, "cC")],
  ["yarn", toOptions(PACKAGE_OPTIONS, "")],
  ["bun", toOptions(`--config --env-file ${PACKAGE_OPTIONS}`, "c")],
  ["cargo", toOptions("--config --manifest-path", "CZ")],
  ["make", toOptions("--eval --directory --file --makefile --include-dir", "ECfI")],
  [
    "pandoc",
    toOptions("--filter --lua-filter --pdf-engine --output --defaults --extract-media --data-dir", "FLod"),
  ],
  ["nc", toOptions("--exec --sh-exec", "ec")],
  ["ncat", toOptions("--exec --sh-exec", "ec")],
  ["fd", toOptions("--exec --exec-batch", "xX")],
  ["fdfind", toOptions("--exec --exec-batch", "xX")],
]);

/** Options of one dash and several letters. */
const WORD_OPTIONS = new Map<string, RegExp>([
  ["find", /^-(exec|execdir|ok|okdir|delete|fprint.*|fls)$/],
  ["go", /^--?(exec|toolexec|vettool|C|modfile|overlay)(=|$)|-ext(ld|ar)/],
  ["printf", /^-v/],
  ["test", /^-[vR]$/],
  ["[", /^-[vR]$/],
  ["zip", /^-[a-zA-Z]*TT/],
  ["wait", /^-[a-z]*p/],
  // A rule's commands are made of variables, and "!=" runs its value at once.
  ["make", /^(SHELL|MAKEFLAGS|\.SHELLFLAGS|CC|CXX|CPP|LD|AR|AS|MAKE|RM)\s*[:+?]*=|!=|=.*[^\w./,:@%+=-]/s],
  // A name with a colon is on another machine, which is reached by a program.
  ["tar", /^(-[A-Za-z]*f|--fi?l?e?=)?[\w.@-]+:/],
  ["curl", /%output/],
  ["dc", /!/],
  ["m4", /syscmd/],
  ["mysql", /\\[!TPe]|\b(system|tee|pager|source)\b|outfile|dumpfile/i],
  ["mariadb", /\\[!TPe]|\b(system|tee|pager|source)\b|outfile|dumpfile/i],
  ["openssl", /^-(out|keyout|engine|provider|provider-path|config|writerand)$/],
  [
    "sqlite3",
    /^\.|\n[^\S\n]*\.|writefile|load_extension|edit\s*\(|attach|vacuum[^;]*\binto\b|^--?(cmd|init)$|^-A/i,
  ],
  ["psql", /\\|program|^-[a-zA-Z]*o|^--output/i],
  // A writer or a reader in a language of programs.
  ["pandoc", /\.lua\b/],
  ...["convert", "magick", "mogrify", "identify", "montage", "composite", "compare"].map(
    (name): [string, RegExp] => [name, /(^|:)\||^(msl|ephemeral):|^-write$/i],
  ),
  ...["soffice", "libreoffice"].map((name): [string, RegExp] => [name, /^(macro:|vnd\.sun\.star|-env:)/i]),
]);

const SHELL_TEXT_OPTION = /^[-+][A-Za-z]*[cis]|^--(rcfile|init-file|init-command|command)/;

/**
 * Finds what lets a command run or write more than its words show, so that a prefix rule must not allow it.
 *
 * @returns the culprit, short enough for a message: `find -exec`.
 */
export function findHazard(words: string[]): string | undefined {
  const known = looked.get(words);
  if (known !== undefined) return known.hazard;
  const hazard = lookForHazard(words);
  looked.set(words, { hazard });
  return hazard;
}

/** Each command is asked about many times in one decision; its words do not change once they are read. */
const looked = new WeakMap<string[], { hazard: string | undefined }>();

function lookForHazard(words: string[]): string | undefined {
  const [first = "", ...args] = words;
  const name = toProgramName(first);
  if (RUNNERS.has(name)) return name;
  if (name === "command") return args[0] === "-v" || args[0] === "-V" ? undefined : name;
  if (name === "env") return args.length === 0 ? undefined : name;
  if (name === "uniq" || name === "xxd")
    return countFiles(args) > 1 ? `${name} with an output file` : undefined;
  const names = OPTIONS.get(name);
  const option = names && findOption(toOwnArguments(name, args), names);
  if (option !== undefined) return `${name} ${option}`;
  const wordOption = WORD_OPTIONS.get(name);
  const word = wordOption && args.find((item) => wordOption.test(item));
  if (word !== undefined) return `${name} ${word}`;
  // `tar xIf` is `tar -xIf`.
  if (name === "tar" && /^[A-Za-z]*[IF]/.test(args[0] ?? "")) return `tar ${args[0]}`;
  if (SHELLS.has(name)) return findShellHazard(name, args);
  return findProgramHazard(name, args);
}

/** Behind `--` stand the arguments of the script that a package manager runs. */
function toOwnArguments(name: string, args: string[]): string[] {
  const end = /^(npm|pnpm|yarn)$/.test(name) ? args.indexOf("--") : -1;
  return end === -1 ? args : args.slice(0, end);
}

function findShellHazard(name: string, args: string[]): string | undefined {
  // Behind a script that comes first stand the script's own arguments.
  if (args[0] !== undefined && !/^[-+]/.test(args[0]))
    return isStream(args[0]) ? `${name} ${args[0]}` : undefined;
  const option = args.find((item) => SHELL_TEXT_OPTION.test(item) || isStream(item));
  if (option !== undefined) return `${name} ${option}`;
  return countOperands(args) === 0 && !args.includes("--version") ? `${name} without a script` : undefined;
}

/** `+2` is an option of old, `+name` a file, and so is all behind `--`. */
function countFiles(args: string[]): number {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  const files = own.filter((item) => !/^-.|^\+\d+$/.test(item)).length;
  return end === -1 ? files : files + args.length - end - 1;
}

function countOperands(args: string[]): number {
  return args.filter((item) => !/^[-+]./.test(item)).length;
}
