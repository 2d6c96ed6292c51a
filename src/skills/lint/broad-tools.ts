import { type GrantedEntry, readGrant, toProgram } from "./grants.ts";
import { type Finding, toWarning } from "./rule.ts";

/** Programs that run whatever they are given: shells, interpreters, runners of packages, and what starts another. */
const RUNNERS = new Set(
  `ash bash cmd csh dash fish ksh powershell pwsh sh tcsh zsh bun bunx deno lua node npx perl php pipx python python2
  python3 pypy pypy3 Rscript ruby ts-node tsx uvx awk gawk command doas env eval exec find fd ionice nice nohup parallel
  setsid ssh stdbuf sudo su time timeout watch xargs chroot docker podman npm pnpm yarn uv`.split(/\s+/),
);

/** The same by a second word; narrower forms of these programs are of use. */
const RUNNING_COMMANDS = new Set([
  "bundle exec",
  "conda run",
  "docker exec",
  "docker run",
  "kubectl exec",
  "nix run",
  "nix shell",
  "npm exec",
  "npm x",
  "pipx run",
  "pnpm dlx",
  "pnpm exec",
  "podman exec",
  "podman run",
  "poetry run",
  "uv run",
  "yarn dlx",
  "yarn exec",
]);

/** They run a program wherever in their arguments it is asked for, so that no beginning of them is narrow. */
const NEVER_NARROW = new Set(["find", "fd", "xargs", "parallel"]);

/**
 * A grant is narrow: what runs any program lets the skill, and whatever text it reads, do everything without asking.
 *
 * @param toLine The line of an entry.
 */
export function judgeBroadTools(entries: readonly string[], toLine: (entry: string) => number): Finding[] {
  return entries.flatMap((entry) => {
    const reason = describeBreadth(readGrant(entry));
    if (reason === undefined) return [];
    const advice = "Name what the skill needs, such as Bash(git status:*) or a script of its own.";
    return [toWarning("tools-broad", toLine(entry), `"${entry}" ${reason}. ${advice}`)];
  });
}

function describeBreadth({ tool, isShell, words, isOpen }: GrantedEntry): string | undefined {
  if (tool === "*") return "grants every tool";
  if (/^mcp__\*/.test(tool)) return "grants every tool of every server";
  if (!isShell) return undefined;
  const anything = "lets any command run without asking";
  if (words === undefined) return anything;
  const [first = "", ...rest] = words.filter((word) => !/^\w+=/.test(word));
  if (first === "") return isOpen ? anything : undefined;
  if (!isOpen) return undefined;
  const program = toProgram(first);
  if (NEVER_NARROW.has(program)) return `runs any program: "${program}" takes one in its arguments`;
  // What follows an option is not known to be the program, so only options alone are wide open.
  const isBare = rest.every((word) => /^-|^\d+[smhd]?$/.test(word));
  if (RUNNERS.has(program) && isBare) return `runs any program: "${program}" runs what it is given`;
  const command = [program, rest[0]].join(" ");
  const isBareCommand = rest.slice(1).every((word) => word.startsWith("-"));
  return RUNNING_COMMANDS.has(command) && isBareCommand
    ? `runs any program: so does "${command}"`
    : undefined;
}
