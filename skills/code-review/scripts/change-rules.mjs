import { posix } from "node:path";
import { findKind, findLanguage, isTest, locksOf } from "./kinds.mjs";
import { findExports, findFunctions } from "./outline.mjs";
import { isSecretFile } from "./secrets.mjs";

const largeFile = 1_000;
const largeFunction = 100;
const largeBinary = 1024 * 1024;
const minifiedLine = 1_000;

const testCase =
  /^\s*(?:it|test)(?:\.\w+)*\s*\(\s*["'`](.+?)["'`]|^\s*(?:async\s+)?def\s+(test_\w+)|^func\s+(Test\w+)|^\s*(?:public\s+)?(?:void|fun)\s+(test\w+)/;
const typeHead =
  /^(?:export\s+)?(?:default\s+)?(?:pub\s+|public\s+|abstract\s+)*(?:class|interface|struct|enum|trait|impl|namespace|module|mod|type)\b/;
const dependencyLine = {
  "package.json":
    /^\s*"(?!version"|name")[@\w./-]+"\s*:\s*"(?:[~^<>=*]|\d|npm:|file:|git|github:|workspace:|https?:|latest)/,
  "go.mod": /^\s*(?:require\s+)?[\w.-]+\.[\w.-]+\/\S+\s+v\d|^replace\b/,
};

/** What a file as a whole shows. */
export async function checkFile(file, kind, source) {
  const findings = [];
  const note = (rule, severity, message, line = 1) => findings.push({ rule, severity, line, message });
  if (file.status !== "deleted" && isSecretFile(file.path))
    note("secret-file", "high", `a file that holds secrets as a rule was ${file.status}`);
  if (kind === "link" && file.status !== "deleted") note("link", "low", `a symbolic link was ${file.status}`);
  if (file.binary && kind !== "lock" && file.status !== "deleted") {
    const size = file.size ?? (await source.findSize(file.path));
    const shown = size === undefined ? "" : `, ${Math.ceil(size / 1024)} KB`;
    note("binary", (size ?? 0) > largeBinary ? "medium" : "low", `a binary file was ${file.status}${shown}`);
  }
  if (file.status === "deleted" && isTest(file.path))
    note("deleted-test", "medium", `a test file of ${file.deletions} lines was deleted`);
  if (file.binary || kind === "lock" || file.status === "deleted") return findings;
  if (isMinified(file)) note("minified", "low", "minified or generated text; its lines were not checked");
  if (kind !== "source" && kind !== "test") return findings;
  const lines = (await source.readNew(file.path))?.split(/\r?\n/);
  if (lines === undefined) return findings;
  if (lines.length > largeFile && file.additions > 0)
    note("large-file", "low", `the file has ${lines.length} lines now`);
  if (kind === "source") noteLargeFunctions(file, lines, note);
  return findings;
}

/** True when lines are too long to have been written by a person. */
export function isMinified(file) {
  const added = file.hunks.flatMap(({ lines }) => lines.filter(({ sign }) => sign === "+"));
  const characters = added.reduce((sum, { text }) => sum + text.length, 0);
  return (
    findLanguage(file.path) !== undefined && added.length > 0 && characters / added.length > minifiedLine / 2
  );
}

/** What only the change as a whole shows. */
export async function checkChange(files, source) {
  const findings = [];
  const added = new Set(
    files.flatMap((file) => takeLines(file, "+").flatMap(({ text }) => findExports(text, file.path))),
  );
  const addedTests = new Set(
    files.flatMap((file) => takeLines(file, "+").map(({ text }) => findTestCase(text))),
  );
  for (const file of files) {
    for (const { text, number } of takeLines(file, "-")) {
      const place = { path: file.path, text, line: number, side: "old" };
      if (isTest(file.path)) {
        const name = file.status === "deleted" ? undefined : findTestCase(text);
        if (name === undefined || addedTests.has(name)) continue;
        findings.push({
          ...place,
          rule: "deleted-test",
          severity: "medium",
          message: `test "${name}" was removed or renamed`,
        });
        continue;
      }
      for (const name of findExports(text, file.path)) {
        if (added.has(name)) continue;
        findings.push({
          ...place,
          rule: "removed-export",
          severity: "medium",
          message: `"${name}" is exported no more`,
        });
      }
    }
  }
  return [...findings, ...(await checkDependencies(files, source))];
}

async function checkDependencies(files, source) {
  const changed = new Map(files.map((file) => [file.path, file]));
  const findings = [];
  for (const file of files) {
    const name = posix.basename(file.path);
    const folder = posix.dirname(file.path);
    const names = locksOf.get(name);
    if (names && file.status !== "deleted" && changesDependencies(file, name)) {
      const lock = await findLock(folder, names, changed, source);
      if (lock !== undefined && !changed.has(lock))
        findings.push({
          rule: "lock-not-changed",
          severity: "medium",
          path: file.path,
          line: 1,
          message: `dependencies changed, but ${lock} did not`,
        });
    }
    const manifest = [...locksOf].find(([, list]) => list.includes(name))?.[0];
    if (manifest === undefined || file.status === "deleted") continue;
    const isThere = files.some(({ path }) => posix.basename(path) === manifest && isBelow(path, folder));
    if (!isThere)
      findings.push({
        rule: "manifest-not-changed",
        severity: "low",
        path: file.path,
        line: 1,
        message: `the lock file changed, but no ${manifest} did`,
      });
  }
  return findings;
}

/** The lock file beside a manifest, or further up where packages share one. */
async function findLock(folder, names, changed, source) {
  for (let at = folder; ; at = posix.dirname(at)) {
    for (const name of names) {
      const path = posix.join(at, name);
      if (changed.has(path) || (await source.findSize(path)) !== undefined) return path;
    }
    if (at === "." || at === "/") return undefined;
  }
}

function changesDependencies(file, name) {
  const pattern = dependencyLine[name] ?? /\S/;
  // A comma that came or went at the end of a line is no change of it.
  const [added, removed] = ["+", "-"].map(
    (sign) => new Set(takeLines(file, sign).map(({ text }) => text.trim().replace(/,$/, ""))),
  );
  const changed = [...added, ...removed].filter((text) => !(added.has(text) && removed.has(text)));
  return changed.some((text) => pattern.test(text));
}

function noteLargeFunctions(file, lines, note) {
  const numbers = takeLines(file, "+").map(({ number }) => number);
  for (const { start, end, head } of findFunctions(lines, numbers, file.path)) {
    const length = end - start + 1;
    if (length > largeFunction && !typeHead.test(head))
      note("large-function", "low", `the changed function has ${length} lines`, start);
  }
}

function findTestCase(text) {
  return testCase
    .exec(text.slice(0, 500))
    ?.slice(1)
    .find((name) => name !== undefined);
}

function takeLines(file, sign) {
  if (file.binary || ["lock", "generated"].includes(findKind(file))) {
    return [];
  }
  return file.hunks.flatMap(({ lines }) => lines.filter((line) => line.sign === sign));
}

function isBelow(path, folder) {
  return folder === "." || path.startsWith(`${folder}/`);
}
