import { describe, expect, it } from "vitest";
import { READING_GIT_COMMANDS } from "../../../src/permissions/read-only/git-commands.ts";
import { READING_PROGRAMS } from "../../../src/permissions/read-only/programs.ts";
import { KNOWN_FLAGS } from "./known-flags.ts";
import { createFolder, createRepository, decideIn, run, toDigest, writeIn } from "./scratch.ts";

const workspace = createRepository(createFolder());
writeIn(workspace, "a.txt", "one\ntwo\n");
writeIn(workspace, "b.txt", "one\n");
writeIn(workspace, "sub/x.txt", "one\n");
writeIn(workspace, "data.json", '{"a": 1}\n');

/** Flags with the words behind them, quoted for a shell. */
function listFlags(text: string): string[] {
  return text
    .trim()
    .split(/\s+(?=-)/)
    .filter((flag) => flag !== "")
    .map((flag) => flag.split(/\s+/).map(quote).join(" "));
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
}

function listCommands(form: string, flags: string): string[] {
  return listFlags(flags).map((flag) => form.replace("_", () => flag));
}

describe.each(KNOWN_FLAGS)("$form", ({ form, reads, asks }) => {
  it("needs no asking with flags that only read", () => {
    const plain = form.replace("_ ", "").replace(" _", "");
    const commands = [plain, ...listCommands(form, reads)];
    expect(commands.filter((command) => decideIn(workspace, command).verdict !== "allow")).toEqual([]);
  });

  it("asks with any other flag", () => {
    const commands = listCommands(form, asks);
    expect(commands.filter((command) => decideIn(workspace, command).verdict !== "ask")).toEqual([]);
  });

  it("changes no file when it really runs", () => {
    const before = toDigest(workspace);
    run(
      workspace,
      listCommands(form, reads)
        .map((command) => `${command} >/dev/null 2>&1`)
        .join("\n"),
    );
    expect(toDigest(workspace)).toBe(before);
  });
});

/** A form's own name, as the tables have it. */
function toName(form: string): string {
  const [first = "", second = ""] = form.split(" ");
  return first === "git" ? `git ${second}` : first;
}

function listSpecFlags(spec: { short?: string; long?: string }): string[] {
  const short = (spec.short?.match(/[A-Za-z0-9.]/g) ?? []).map((letter) => `-${letter}`);
  const long = (spec.long ?? "").split(/\s+/).filter((name) => name !== "");
  return [...short, ...long.map((name) => `--${name.replace(/[:?=@+]$/, "")}`)];
}

describe("the list", () => {
  const noted = new Map<string, string[]>();
  for (const { form, reads } of KNOWN_FLAGS)
    noted.set(toName(form), [
      ...(noted.get(toName(form)) ?? []),
      ...listFlags(`${form.replace(/^.*? (?=-|_)/, "")} ${reads}`),
    ]);

  it("holds no flag that is not noted from a manual", () => {
    const tables = [
      ...[...READING_PROGRAMS].map(([name, spec]) => ({ name, spec })),
      ...[...READING_GIT_COMMANDS].map(([name, spec]) => ({ name: `git ${name}`, spec })),
    ];
    const missing = tables.flatMap(({ name, spec }) =>
      listSpecFlags(spec)
        .filter((flag) => !noted.get(name)?.some((item) => isUseOf(item, flag)))
        .map((flag) => `${name} ${flag}`),
    );
    expect(missing).toEqual([]);
  });
});

function isUseOf(item: string, flag: string): boolean {
  const word = item.replace(/^'/, "").split(/[\s=']/)[0] ?? "";
  return flag.startsWith("--")
    ? word === flag
    : word.startsWith("-") && !word.startsWith("--") && word.startsWith(flag);
}
