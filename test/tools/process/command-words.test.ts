import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findShell, toCommandWords } from "../../../src/tools/process/command-words.ts";
import { runCommand } from "../../../src/tools/process/run-command.ts";
import { createPlace } from "../call.ts";

function createTools() {
  const { context } = createPlace();
  const { workspace: cwd, environment, outputFolder } = context;
  const addProgram = (path: string, text: string) => {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), text);
    chmodSync(join(cwd, path), 0o755);
  };
  const run = async (command: string) =>
    (await runCommand({ command, cwd, environment, outputFolder, timeoutMs: 10_000 })).output.text;
  return {
    cwd,
    environment,
    addProgram,
    run,
    toWords: (text: string) => toCommandWords(text, { cwd, environment }),
  };
}

describe("toCommandWords", () => {
  it.each([
    ["git status", ["git", "status"]],
    ["git commit -m 'a b' # why", ["git", "commit", "-m", "a b"]],
    [`ls "-l" a\\ b '*' '$HOME' "\\$(id)" ';'`, ["ls", "-l", "a b", "*", "$HOME", "$(id)", ";"]],
    ["\\ls", ["ls"]],
    ["'ls' ''", ["ls", ""]],
    ["ls a=b", ["ls", "a=b"]],
    ["/bin/ls -l;", ["/bin/ls", "-l"]],
  ])("%s is started by its words", (command, words) => {
    expect(createTools().toWords(command)).toEqual(words);
  });

  it.each([
    ...["ls | cat", "ls; ls", "ls && ls", "! ls", "ls &", "(ls)", "{ ls; }", "if ls; then ls; fi", "time ls"],
    ...[
      "ls > out",
      "ls 2>&1",
      "ls >/dev/null",
      "ls < in",
      "cat <<< x",
      "cat <<X\nx\nX",
      "2>&1 ls",
      ">out ls",
    ],
    ...[
      "A=1 ls",
      "A=1",
      "ls $HOME",
      "ls *",
      "ls ~",
      "ls {a,b}",
      "ls $(id)",
      "ls `id`",
      "ls <(id)",
      "ls $'a'",
    ],
    ...[
      "echo x",
      "cd x",
      "[ -e x ]",
      "test -e x",
      "kill 1",
      "exec ls",
      "eval ls",
      "command ls",
      ". ./x",
      "true",
    ],
    ...[
      "no-such-program",
      "./missing",
      "/bin",
      "-ls",
      "",
      "ls\u200b",
      "ls 'unclosed",
      "coproc ls",
      "function f",
    ],
  ])("%s goes to the shell as it is", (command) => {
    expect(createTools().toWords(command)).toEqual([findShell(), "-c", command]);
  });

  it("a program is a file that can be run, on the PATH or by its path from the folder it runs in", () => {
    const { toWords, addProgram, cwd } = createTools();
    addProgram("tool", "#!/bin/sh\necho tool\n");
    mkdirSync(join(cwd, "folder"));
    writeFileSync(join(cwd, "plain"), "");
    symlinkSync("tool", join(cwd, "link"));
    symlinkSync("gone", join(cwd, "dangling"));
    expect(toWords("./tool x")).toEqual(["./tool", "x"]);
    expect(toWords("./link")).toEqual(["./link"]);
    for (const other of ["tool", "./folder", "./plain", "./dangling", "./tool/x"]) {
      expect(toWords(other)[1]).toBe("-c");
    }
  });
});

describe("a command that is started by its words", () => {
  it("gets them as the shell would give them", async () => {
    const { run } = createTools();
    const command = `node -p 'JSON.stringify(process.argv.slice(1))' -- "a  b" 'é表😀' '' '*' '$HOME' "it's" "\\"q\\"" '-n' '\\x'`;
    expect(JSON.parse(await run(command))).toEqual([
      ...["a  b", "é表😀", "", "*", "$HOME", "it's", '"q"', "-n", "\\x"],
    ]);
    expect(await run(command)).toBe(await run(`${command};:`));
  });

  it.each([
    "env",
    "pwd -P",
    "/bin/pwd",
    "git status",
    "ls no-such-file",
    "./no-shebang x",
    "./no-interpreter",
    "node -e 'process.exit(3)'",
    "node -e 'console.error(1);console.log(2)'",
    "/bin/ls",
    "sh -c 'echo $0 $#' a b c",
  ])("%s says the same as in a shell", async (command) => {
    const { run, addProgram, cwd } = createTools();
    addProgram("no-shebang", 'echo "ran $1"\n');
    addProgram("no-interpreter", "#!/no/such/interpreter\n");
    const plain = (text: string) =>
      text
        .split("\n")
        .filter((line) => !/^(?:SKILLGRAPH_CALL|_|SHLVL)=/.test(line))
        .map((line) => line.replace(/^(\S*sh: )(?:line 1: )?/, "$1").replace(`${cwd}/`, "./"))
        .sort();
    expect(plain(await run(command))).toEqual(plain(await run(`${command};:`)));
  });

  it("is not read by a shell on the way", async () => {
    const { run, cwd } = createTools();
    writeFileSync(join(cwd, "a b"), "text\n");
    expect(await run("cat 'a b'")).toBe("text\n");
    expect(await run("git --no-such-option='$(touch P)' '`touch P`' ';touch P'")).not.toContain("touch:");
    expect(await run("ls")).toBe("a b\n");
  });
});
