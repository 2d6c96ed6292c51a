import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planTurn } from "../../src/model/offline-plan.ts";
import { applyArguments, applyDirectory } from "../../src/skills/arguments/apply-arguments.ts";
import { renderSkillEnvelope } from "../../src/skills/envelope.ts";

interface Finding {
  rule: string;
  severity: string;
  file: string;
  line: number;
  side: string;
  message: string;
  evidence?: string;
}

interface Report {
  reviewed: string;
  totals: { files: number; additions: number; deletions: number };
  findings: Finding[];
  files: {
    file: string;
    from?: string;
    status: string;
    kind: string;
    additions: number;
    deletions: number;
  }[];
}

const skill = fileURLToPath(new URL("../../skills/code-review", import.meta.url));
const person = { NAME: "Ada", EMAIL: "ada@example.org" };
const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((role) =>
      Object.entries(person).map(([name, value]) => [`GIT_${role}_${name}`, value]),
    ),
  ),
};

let work: string;

beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "review-")));
  git("init", "-q", "-b", "main");
});

afterEach(() => rmSync(work, { recursive: true, force: true }));

function spawn(program: string, words: string[], folder = work) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: folder,
    encoding: "utf8",
    env: environment,
  });
  return { status, stdout, stderr };
}

function git(...words: string[]): string {
  const { status, stdout, stderr } = spawn("git", words);
  if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.trim();
}

function run(script: string, ...words: string[]) {
  return spawn(process.execPath, [join(skill, "scripts", script), ...words]);
}

function put(files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
}

function commit(files: Record<string, string | Buffer>, message = "change"): void {
  put(files);
  git("add", "--all");
  git("commit", "-q", "--allow-empty", "-m", message);
}

function scan(...words: string[]): Report {
  const { status, stdout, stderr } = run("scan.mjs", "--json", ...words);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout) as Report;
}

/** `rule path:line` of every finding. */
function find(...words: string[]): string[] {
  return scan(...words).findings.map(({ rule, file, line }) => `${rule} ${file}:${line}`);
}

describe("what is looked at", () => {
  it("without a range it is what is not committed, with new files and without ignored ones", () => {
    commit({ "a.js": "1;\n", ".gitignore": "out\n" });
    put({ "a.js": "2;\n", "new/b.js": "3;\n", out: "x" });
    const report = scan();
    expect(report.reviewed).toBe("what is not committed");
    expect(report.files.map(({ file, status }) => `${file} ${status}`)).toEqual([
      "a.js modified",
      "new/b.js added",
    ]);
    expect(report.totals).toEqual({ files: 2, additions: 2, deletions: 1 });
  });

  it("without a range it is the last commit when all is committed, the first one too", () => {
    commit({ "a.js": "1;\n" }, "begin");
    expect(scan()).toMatchObject({
      reviewed: expect.stringMatching(/the last commit, \w+ \(begin\)/),
      files: [{ file: "a.js", status: "added" }],
    });
    commit({ "b.js": "1;\n" });
    expect(scan().files.map(({ file }) => file)).toEqual(["b.js"]);
  });

  it("a repository without a commit is looked at as it stands", () => {
    put({ "a.js": "debugger;\n" });
    git("add", "a.js");
    put({ "b.js": "debugger;\n" });
    expect(find()).toEqual(["debugging a.js:1", "debugging b.js:1"]);
  });

  it("an empty argument is none", () => {
    commit({ "a.js": "1;\n" });
    expect(scan("").reviewed).toContain("the last commit");
  });

  it.each([
    ["HEAD~2..HEAD", ["b.js", "c.js"]],
    ["HEAD~1..", ["c.js"]],
    ["main...side", ["d.js"]],
    ["HEAD~1^!", ["b.js"]],
    ["HEAD~1", ["c.js", "e.js"]],
    ["side", ["a.js", "b.js", "c.js", "e.js"]],
  ])("%s is read as the table of the skill says", (range, files) => {
    commit({ "0.js": "" });
    git("branch", "side");
    for (const name of ["a.js", "b.js", "c.js"]) commit({ [name]: "1;\n" });
    git("switch", "-q", "side");
    commit({ "d.js": "1;\n" });
    git("switch", "-q", "main");
    put({ "e.js": "1;\n" });
    expect(scan(range).files.map(({ file }) => file)).toEqual(files);
  });

  it("--staged is the index, not the file on the disk", () => {
    commit({ "a.js": "1;\n" });
    put({ "a.js": "debugger;\n" });
    git("add", "a.js");
    put({ "a.js": "1;\n", "b.js": "debugger;\n" });
    expect(find("--staged")).toEqual(["debugging a.js:1"]);
  });

  it("paths behind -- take these only, from the folder we stand in", () => {
    commit({ "a.js": "1;\n" });
    put({ "sub/b*.js": "2;\n", "sub/bc.js": "2;\n", "a.js": "3;\n" });
    expect(scan("--", "sub/b*.js").files.map(({ file }) => file)).toEqual(["sub/b*.js"]);
    const inside = spawn(process.execPath, [join(skill, "scripts/scan.mjs"), "--json"], join(work, "sub"));
    expect((JSON.parse(inside.stdout) as Report).files.map(({ file }) => file)).toEqual([
      "../a.js",
      "b*.js",
      "bc.js",
    ]);
  });

  it("a diff file is read outside of a repository too", () => {
    const patch = "--- a/x.js\t2024-01-01\n+++ b/x.js\t2024-01-02\n@@ -1 +1,2 @@\n one\n+debugger;\n";
    put({ "change.diff": patch });
    rmSync(join(work, ".git"), { recursive: true });
    expect(find("change.diff")).toEqual(["debugging x.js:2"]);
  });

  it.each(["a b.js", 'quote".js', "tab\t.js", "line\nbreak.js", "ü 表.js", "-dash.js", "[x]*.js", " b/c.js"])(
    "a file named %j is found under its own name",
    (name) => {
      commit({ [name]: "1;\n" });
      put({ [name]: "1;\ndebugger;\n" });
      expect(scan().findings).toMatchObject([{ rule: "debugging", file: name, line: 2 }]);
      git("add", "--all");
      git("commit", "-qm", "x");
      git("mv", "--", name, "moved to.js");
      expect(scan("--staged").files).toMatchObject([{ file: "moved to.js", from: name, status: "renamed" }]);
      expect(run("context.mjs", "HEAD^!", "--file", name.replace(/^-/, "./-")).stdout).toContain(
        "+     2  debugger;",
      );
    },
  );

  it("a removed line that looks like a header is a line", () => {
    commit({ "a.sql": "-- one\n++ two\nkeep\n" });
    put({ "a.sql": "keep\n++ b/x.js\n" });
    expect(scan().files).toMatchObject([{ file: "a.sql", additions: 1, deletions: 2 }]);
  });

  it("settings of the repository start no program", () => {
    commit({ "a.js": "1;\n", ".gitattributes": "*.js diff=evil\n" });
    const touch = `touch ${join(work, "ran")}`;
    git("config", "diff.external", touch);
    git("config", "diff.evil.textconv", touch);
    git("config", "core.fsmonitor", touch);
    git("config", "core.pager", touch);
    git("config", "diff.noprefix", "true");
    put({ "a.js": "debugger;\n" });
    expect(find()).toEqual(["debugging a.js:1"]);
    run("context.mjs");
    expect(existsSync(join(work, "ran"))).toBe(false);
  });

  it.each([
    ["an unknown name", ["nope"], '"nope" is no commit, branch or diff file'],
    ["plain words", ["the", "last", "two"], "more than one thing to review"],
    ["half a range", ["main..nope"], '"nope" is no commit'],
    ["an option of git", ["--output=x"], "Usage"],
    ["a range that is an option", ["--", "--output=x"], undefined],
    ["a file that is no diff", ["a.js"], "holds no diff"],
    ["a range with --staged", ["--staged", "main"], "--staged takes no range"],
  ])("%s is answered in one line, exit code 2", (_title, words, message) => {
    commit({ "a.js": "1;\n" });
    const { status, stdout, stderr } = run("scan.mjs", ...words);
    if (message === undefined) expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    else {
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
    expect(existsSync(join(work, "x"))).toBe(false);
  });

  it("outside of a repository a diff file is asked for", () => {
    rmSync(join(work, ".git"), { recursive: true });
    expect(run("scan.mjs")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("in no Git repository"),
    });
  });
});

describe("what the scan finds in lines", () => {
  beforeEach(() => commit({ "0.txt": "0\n" }));

  it.each([
    ["a.txt", "<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n", ["1", "3", "5"], "conflict-marker"],
    ["a.js", "f(1);\ndebugger;\n", ["2"], "debugging"],
    ["a.ts", "  console.log(x);\n", ["1"], "debugging"],
    ["a.py", "x = 1\nprint(x)\nbreakpoint()\n", ["2", "3"], "debugging"],
    ["a.go", "\tfmt.Println(x)\n", ["1"], "debugging"],
    ["a.rs", "dbg!(x);\n", ["1"], "debugging"],
    ["a.test.ts", 'it.only("x", run);\n', ["1"], "focused-test"],
    ["a.spec.js", "fdescribe('x', run);\n", ["1"], "focused-test"],
    ["a.test.ts", "describe.skip('x', run);\n", ["1"], "skipped-test"],
    ["test_a.py", "@pytest.mark.skip\n", ["1"], "skipped-test"],
    ["a.js", "run(eval(x));\n", ["1"], "dangerous-call"],
    ["a.js", "element.innerHTML = text;\n", ["1"], "dangerous-call"],
    ["a.js", "exec(`rm ${x}`);\n", ["1"], "dangerous-call"],
    ["a.py", "subprocess.run(x, shell=True)\n", ["1"], "dangerous-call"],
    ["a.php", "unserialize($x);\n", ["1"], "dangerous-call"],
    ["a.sh", "curl https://x.org | sh\n", ["1"], "dangerous-call"],
    ["a.js", "try { x() } catch (e) {}\n", ["1"], "swallowed-error"],
    ["a.js", "try {\n  x();\n} catch {\n}\n", ["3"], "swallowed-error"],
    ["a.js", "x().catch(() => {});\n", ["1"], "swallowed-error"],
    ["a.py", "try:\n    x()\nexcept ValueError:\n    pass\n", ["3"], "swallowed-error"],
    ["a.js", "// TODO later\n", ["1"], "todo"],
    ["a.js", `x = "${"y".repeat(450)}";\n`, ["1"], "long-line"],
    ["a.js", "let a\u202e = 1;\n", ["1"], "hidden-character"],
    ["package.json", '{\n  "postinstall": "x"\n}\n', ["2"], "install-script"],
  ])("%s with %j", (path, content, lines, rule) => {
    put({ [path]: content });
    expect(find()).toEqual(lines.map((line) => `${rule} ${path}:${line}`));
  });

  it.each([
    ["a.md", "Title\n=======\n\nUse `console.log(x)` or eval(x).\n"],
    ["a.js", "const found = /x/.exec(text);\nlogger.console.log;\n// debugger;\n"],
    ["a.js", "try {\n  x();\n} catch {\n  // Gone already: nothing to do.\n}\n"],
    ["a.js", "if (x.innerHTML == y) run();\nlist.only(1);\n"],
    ["a.py", "pprint(x)\nself.print(x)\nyaml.load(x, Loader=SafeLoader)\n"],
    ["a.md", "می\u200cخواهم\n"],
    ["a.js", 'const password = "changeme-example";\nconst token = process.env.API_TOKEN;\n'],
    ["a.ts", "interface User {\n  password: string;\n  apiKey: ApiKeyOfTheUser;\n}\n"],
  ])("nothing in %s with %j", (path, content) => {
    put({ [path]: content });
    expect(find()).toEqual([]);
  });

  it("lines that were there before are not findings", () => {
    commit({ "a.js": "debugger;\nconsole.log(1);\n" });
    put({ "a.js": "debugger;\nconsole.log(1);\nx();\n" });
    expect(find()).toEqual([]);
  });

  it.each([
    ["AWS access key", "AKIA", "QWERTYUIOPASDFGH"],
    ["GitHub token", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"],
    ["Slack token", "xoxb-", "123456789012-abcdefghij"],
    ["Stripe key", "sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"],
    ["npm token", "npm_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"],
    ["password in a URL", "postgres://ada:", "hunter2horse"],
  ])("a %s is found and its value shown nowhere", (kind, beginning, secret) => {
    put({ "a.js": `console.log("${beginning}${secret}@db.internal");\n` });
    const { findings } = scan();
    expect(findings[0]).toMatchObject({ rule: "secret", severity: "high", message: kind });
    expect(findings.map(({ rule }) => rule)).toContain("debugging");
    for (const script of ["scan.mjs", "context.mjs"]) {
      const { status, stdout } = run(script);
      expect(status).toBe(0);
      expect(stdout).toContain(`${beginning}********`);
      expect(stdout).not.toContain(secret);
    }
  });

  it("values that are named like secrets are found and masked, in .env files too", () => {
    put({
      "a.py": 'db_password = "correct horse".strip()\nAPI_KEY = "q8w7e6r5t4"\n',
      ".env": "APP_TOKEN=z9x8c7v6b5\n",
    });
    expect(find()).toEqual(["secret-file .env:1", "secret .env:1", "secret a.py:2"]);
    const shown = run("scan.mjs").stdout + run("context.mjs", "--file", "a.py", "--file", ".env").stdout;
    expect(shown).not.toMatch(/q8w7|z9x8/);
  });

  it("the body of a private key is not shown", () => {
    const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    put({ "key.txt": `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----\n` });
    expect(find()).toEqual(["secret key.txt:1"]);
    expect(run("context.mjs", "--file", "key.txt").stdout).not.toContain("MIIE");
  });

  it("control characters of a name and a line do not reach the terminal", () => {
    put({ "a\u001b[31m.js": "debugger; \u001b[2J\n" });
    const { stdout } = run("scan.mjs");
    expect(stdout).toContain("a\\u001b[31m.js:1");
    expect(stdout).not.toContain("\u001b");
  });
});

describe("what the scan finds in the whole change", () => {
  it("a deleted test file, and a test that was taken out of one", () => {
    const tests = 'it("adds", () => {});\nit("subtracts", () => {});\n';
    commit({ "a.test.js": tests, "b.test.js": tests });
    rmSync(join(work, "a.test.js"));
    put({ "b.test.js": 'it("adds", () => {});\n' });
    expect(scan().findings.map(({ file, line, side, message }) => [file, line, side, message])).toEqual([
      ["a.test.js", 1, "new", "a test file of 2 lines was deleted"],
      ["b.test.js", 2, "old", 'test "subtracts" was removed or renamed'],
    ]);
  });

  it("a test that moved to another file is not lost", () => {
    commit({ "a.test.js": 'it("adds", () => {});\nit("rest", () => {});\n' });
    put({ "a.test.js": 'it("rest", () => {});\n', "b.test.js": 'it("adds", () => {});\n' });
    expect(find()).toEqual([]);
  });

  it.each([
    ["a.ts", "export function gone(): void {}\n"],
    ["a.js", "export const gone = 1;\n"],
    ["a.js", "export { x as gone };\n"],
    ["a.cjs", "exports.gone = 1;\n"],
    ["a.py", "def gone():\n    return 1\n"],
    ["a.go", "func Gone() int {\n"],
    ["a.rs", "pub fn gone() {}\n"],
  ])("an export that %s lost: %j", (path, line) => {
    commit({ [path]: `${line}// rest\n` });
    put({ [path]: "// rest\n" });
    expect(scan().findings).toMatchObject([
      {
        rule: "removed-export",
        severity: "medium",
        line: 1,
        side: "old",
        message: expect.stringMatching(/"gone"/i),
      },
    ]);
  });

  it("an export that changed its line or its file is not lost", () => {
    commit({ "a.ts": "export function one() {}\nexport const two = 1;\n" });
    put({ "a.ts": "export function one(x: number) {}\n", "b.ts": "export const two = 1;\n" });
    expect(find()).toEqual([]);
  });

  it.each([
    [
      "a lock file without its manifest",
      { "package-lock.json": "{2}\n" },
      ["manifest-not-changed package-lock.json:1"],
    ],
    [
      "a dependency without its lock file",
      { "package.json": '{\n"x": "^2.0.0"\n}\n' },
      ["lock-not-changed package.json:1"],
    ],
    ["both", { "package.json": '{\n"x": "^2.0.0"\n}\n', "package-lock.json": "{2}\n" }, []],
    [
      "a manifest's other lines",
      { "package.json": '{\n"x": "^1.0.0",\n"y": "1",\n"type": "module"\n}\n' },
      [],
    ],
    [
      "a package that shares the lock file above",
      { "packages/a/package.json": '{\n"y": "^2.0.0"\n}\n' },
      ["lock-not-changed packages/a/package.json:1"],
    ],
  ])("%s", (_title, files, expected) => {
    commit({
      "package.json": '{\n"x": "^1.0.0",\n"y": "1"\n}\n',
      "package-lock.json": "{1}\n",
      "packages/a/package.json": "{\n}\n",
    });
    put(files);
    expect(find()).toEqual(expected);
  });

  it("binary files, links and minified text are named, and minified lines not judged", () => {
    commit({ "0.txt": "" });
    put({ "a.png": Buffer.from([0, 1, 2]), "m.js": `${"eval(x);".repeat(200)}\n` });
    symlinkSync("/etc/hosts", join(work, "link"));
    git("add", "--all");
    const expected = ["binary a.png:1", "link link:1", "minified m.js:1"];
    expect(find("--staged")).toEqual(expected);
    git("reset", "-q");
    expect(find()).toEqual(expected);
    expect(run("scan.mjs").stdout).toContain("Not read line by line: a.png (binary)");
  });

  it("large files and large functions that changed, at the function's first line", () => {
    const body = (count: number) => Array.from({ length: count }, (_, at) => `  run(${at});`).join("\n");
    const text = (last: string) =>
      `function small() {\n  run();\n}\n\nfunction large() {\n${body(120)}\n  ${last}\n}\n`;
    commit({ "a.js": text("one();"), "b.js": `${body(1_100)}\n` });
    put({ "a.js": text("two();"), "b.js": `${body(1_101)}\n` });
    expect(find()).toEqual(["large-function a.js:5", "large-file b.js:1"]);
    put({ "a.js": text("one();").replace("run();", "stop();") });
    expect(find("--", "a.js")).toEqual([]);
  });

  it("the text lists the gravest first, then the files with what they are", () => {
    commit({ "old.md": "text that stays the same\nin both\n" });
    git("mv", "old.md", "new.md");
    put({ "src/a.ts": "debugger;\n", "src/a.test.ts": "it.only('x', f);\n", "x.lock": "" });
    git("add", "--all");
    const { status, stdout } = run("scan.mjs", "--staged");
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        "Looked at: what is staged: 4 files, +2 -0.",
        "Found 2 things: 1 high, 0 medium, 1 low.",
        "",
        "High",
        "  src/a.test.ts:1  focused-test: only this test runs",
        "      it.only('x', f);",
        "",
        "Low",
        "  src/a.ts:1  debugging: debugging output",
        "      debugger;",
        "",
        "Files",
        "  old.md -> new.md  docs, renamed, +0 -0",
        "  src/a.test.ts  test, added, +1 -0",
        "  src/a.ts  source, added, +1 -0",
        "  x.lock  other, added, +0 -0",
        "",
        "1 source file and 1 test file changed.",
        "A script finds patterns, not mistakes of thought: read the change.",
        "",
      ].join("\n"),
    );
  });

  it("many findings of one rule are cut with their number, and whole in the data", () => {
    commit({ "0.txt": "" });
    put({ "a.js": "debugger;\n".repeat(30) });
    expect(run("scan.mjs").stdout).toContain("… and 10 more of debugging (--json has all)");
    expect(scan().findings).toHaveLength(30);
  });
});

describe("the closer look", () => {
  const before = [
    "export function total(items) {",
    "  let sum = 0;",
    "  for (const item of items) {",
    "    sum += item.price;",
    "  }",
    "  return sum;",
    "}",
    "",
    "export const rate = 0.2;",
    "",
  ].join("\n");

  beforeEach(() => {
    commit({
      "src/total.js": before,
      "src/use.js": 'import { total } from "./total.js";\ntotal([]);\n',
      "test/total.test.js": 'it("totals", () => total([1]));\n',
      "notes.md": "total is fine\n",
    });
  });

  it("shows a changed place with the function around it, old and new lines marked", () => {
    put({ "src/total.js": before.replace("item.price", "item.price * item.count") });
    const { status, stdout } = run("context.mjs");
    expect(status).toBe(0);
    expect(stdout).toContain(
      [
        "== src/total.js  source, modified, +1 -1",
        "",
        "-- lines 1-7, in: export function total(items) {",
        "      1  export function total(items) {",
        "      2    let sum = 0;",
        "      3    for (const item of items) {",
        "-     4      sum += item.price;",
        "+     4      sum += item.price * item.count;",
        "      5    }",
        "      6    return sum;",
        "      7  }",
      ].join("\n"),
    );
  });

  it("names who uses a changed export, the project before its tests, and no prose", () => {
    put({ "src/total.js": before.replace("sum = 0", "sum = 1") });
    const { stdout } = run("context.mjs");
    expect(stdout).toContain(
      [
        "  total (its body changed): 3 lines",
        '    src/use.js:1  import { total } from "./total.js";',
        "    src/use.js:2  total([]);",
        '    test/total.test.js:1  it("totals", () => total([1]));',
      ].join("\n"),
    );
    expect(stdout).not.toContain("notes.md");
  });

  it.each([
    ["rate (removed): nobody", before.replace("export const rate = 0.2;\n", "")],
    ["rate (its line changed): nobody", before.replace("0.2", "0.3")],
    ["added (new): nobody", `${before}export const added = 1;\n`],
  ])("says of an export: %s", (text, content) => {
    put({ "src/total.js": content });
    expect(run("context.mjs").stdout).toContain(text);
  });

  it("looks at the commit's side, not at the disk", () => {
    commit({ "src/total.js": before.replace("sum = 0", "sum = 1") });
    put({ "src/total.js": "gone\n", "src/use.js": "gone\n" });
    const { stdout } = run("context.mjs", "HEAD^!", "--file", "src/total.js");
    expect(stdout).toContain("+     2    let sum = 1;");
    expect(stdout).toContain("src/use.js:2  total([]);");
  });

  it("chooses the files with the gravest findings, as many as asked for", () => {
    put({ "a.js": "x();\n", "b.js": "debugger;\n", "c.js": "<<<<<<< x\n" });
    const { stdout } = run("context.mjs", "--top", "2");
    expect([...stdout.matchAll(/^== (\S+)/gm)].map((match) => match[1])).toEqual(["c.js", "b.js"]);
  });

  it("shows some lines around where the function is long", () => {
    const long = (value: number) =>
      `function long() {\n${"  run();\n".repeat(100)}  set(${value});\n${"  run();\n".repeat(100)}}\n`;
    commit({ "long.js": long(1) });
    put({ "long.js": long(2) });
    const { stdout } = run("context.mjs");
    expect(stdout).toContain("-- lines 94-110, in: function long() {");
    expect(stdout).not.toContain("\n     93 ");
  });

  it("shows the hunks of a deleted file and of a diff file, where there is no more", () => {
    git("rm", "-q", "src/use.js");
    expect(run("context.mjs", "--staged", "--file", "src/use.js").stdout).toContain("-     2  total([]);");
    writeFileSync(join(work, "x.diff"), `${git("diff", "--cached")}\n`);
    expect(run("context.mjs", "x.diff", "--file", "src/use.js").stdout).toContain("-     2  total([]);");
  });

  it.each([
    [
      "a file that did not change",
      ["--file", "notes.md"],
      '"notes.md" did not change. Changed: src/total.js.',
    ],
    ["a file outside", ["--file", "../../etc/hosts"], "did not change"],
    ["a number that is none", ["--top", "many"], '--top takes a number from 1 to 999, not "many".'],
  ])("refuses %s in one line", (_title, words, message) => {
    put({ "src/total.js": "" });
    const { status, stdout, stderr } = run("context.mjs", ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("the skill's text", () => {
  const text = readFileSync(join(skill, "SKILL.md"), "utf8");
  const tools = ["Bash", "AskUser"].map((name) => ({ name, description: "" }));

  function load(values: string): HumanMessage[] {
    const body = text.replace(/^---\n[\s\S]*?\n---\n/, "");
    const filled = applyArguments(body, { arguments: values, skillDirectory: "/skills/code-review" });
    const hint = /^ {2}argument-hint: "(.*)"$/m.exec(text)?.[1] ?? "";
    const facts = { name: "code-review", directory: "/skills/code-review", argumentHint: hint, digest: "d" };
    return [
      new HumanMessage(`/code-review ${values}`.trim()),
      new HumanMessage(renderSkillEnvelope({ ...facts, arguments: values, text: filled })),
    ];
  }

  it("is carried out without a model and without a question when a range is given", () => {
    const messages = load("HEAD~3..HEAD -- src");
    const first = planTurn(messages, tools).calls[0];
    expect(first?.input.command).toBe("node /skills/code-review/scripts/scan.mjs 'HEAD~3..HEAD' -- src");
    const call = { id: "1", name: "Bash", args: first?.input ?? {}, type: "tool_call" as const };
    const history = [
      ...messages,
      new AIMessage({ content: "", tool_calls: [call] }),
      new ToolMessage("done", "1"),
    ];
    expect(planTurn(history, tools).calls[0]?.input.command).toBe(
      "node /skills/code-review/scripts/context.mjs 'HEAD~3..HEAD' -- src",
    );
  });

  it("reviews what is not committed when the range is left empty", () => {
    const question = "What is [range | --staged | diff file]?";
    const call = { id: "1", name: "AskUser", args: { question }, type: "tool_call" as const };
    const history = [
      ...load(""),
      new AIMessage({ content: "", tool_calls: [call] }),
      new ToolMessage("", "1"),
    ];
    const command = String(planTurn(history, tools).calls[0]?.input.command).trim();
    expect(command).toBe("node /skills/code-review/scripts/scan.mjs");
  });

  it("allows in advance what it runs, and nothing that writes", () => {
    const allowed = /^allowed-tools: (.*)$/m.exec(text)?.[1] ?? "";
    expect(applyDirectory(allowed, "/s")).toBe(
      "Read Glob Grep Bash(node /s/scripts/scan.mjs:*) Bash(node /s/scripts/context.mjs:*)",
    );
    commit({ "a.js": "1;\n" });
    put({ "a.js": "debugger;\n", "b.js": "2;\n" });
    const listing = () =>
      readdirSync(work, { recursive: true, encoding: "utf8" }).map(
        (path) => `${path} ${lstatSync(join(work, path)).mtimeMs}`,
      );
    const before = listing();
    run("scan.mjs");
    run("context.mjs");
    expect(listing()).toEqual(before);
  });
});
