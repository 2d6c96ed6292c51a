/**
 * Reads a unified diff, of git or plain, into its files.
 *
 * Lines of a hunk are counted, so that a removed `-- x` is no header. A line carries its number on the side
 * that it stands on.
 */
export function parsePatch(text) {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const files = [];
  let file;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line.startsWith("diff --git ")) {
      file = createFile(readBothNames(line.slice(11)));
      files.push(file);
    } else if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      if (!file || file.hunks.length > 0 || file.named) {
        file = createFile(undefined);
        files.push(file);
      }
      nameFile(file, readName(line.slice(4)), readName(lines[at + 1].slice(4)));
      at += 1;
    } else if (file && line.startsWith("@@ ")) {
      at = readHunk(lines, at, file);
    } else if (file) {
      readHeader(file, line);
    }
  }
  return files.filter(({ path }) => path !== undefined && path !== "").map(({ named, ...rest }) => rest);
}

/** A file that git does not know yet, as a diff would show it. */
export function toAddedFile(path, content) {
  const texts = content === "" ? [] : content.replace(/\r?\n$/, "").split(/\r?\n/);
  const lines = texts.map((text, index) => ({ sign: "+", text, number: index + 1 }));
  const hunks = lines.length > 0 ? [{ newStart: 1, newCount: lines.length, lines }] : [];
  return { path, status: "added", binary: false, additions: lines.length, deletions: 0, hunks };
}

function createFile(path) {
  return { path, status: "modified", binary: false, additions: 0, deletions: 0, hunks: [] };
}

function nameFile(file, from, to) {
  file.named = true;
  if (to === undefined) Object.assign(file, { path: from, status: "deleted" });
  else file.path = to;
  if (from === undefined) file.status = "added";
  else if (to !== undefined && from !== to && file.status === "modified")
    Object.assign(file, { status: "renamed", oldPath: from });
}

function readHeader(file, line) {
  const [, word = "", rest = ""] =
    /^(new file mode|deleted file mode|new mode|rename from|rename to|copy from|copy to) (.*)$/.exec(line) ??
    [];
  if (word === "new file mode") Object.assign(file, { status: "added", mode: rest });
  if (word === "deleted file mode") Object.assign(file, { status: "deleted", mode: rest });
  if (word === "new mode") file.mode = rest;
  if (word.endsWith(" from"))
    Object.assign(file, {
      status: word === "copy from" ? "copied" : "renamed",
      oldPath: unquote(rest),
    });
  if (word.endsWith(" to")) file.path = unquote(rest);
  if (line.startsWith("Binary files ") || line === "GIT binary patch") file.binary = true;
}

/** Reads one hunk and returns the index of its last line. */
function readHunk(lines, start, file) {
  const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[start]);
  if (!header) return start;
  let [oldNumber, oldLeft, newNumber, newLeft] = [1, 2, 3, 4].map((at) => Number(header[at] ?? 1));
  const hunk = { newStart: newNumber, newCount: newLeft, lines: [] };
  file.hunks.push(hunk);
  let at = start + 1;
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0); at += 1) {
    const sign = lines[at][0] ?? " ";
    const text = lines[at].slice(1);
    if (sign === "+") {
      hunk.lines.push({ sign, text, number: newNumber });
      file.additions += 1;
    } else if (sign === "-") {
      hunk.lines.push({ sign, text, number: oldNumber });
      file.deletions += 1;
    } else if (sign === " ") {
      hunk.lines.push({ sign, text, number: newNumber });
    } else if (sign === "\\") {
      continue;
    } else {
      break;
    }
    if (sign !== "+") [oldNumber, oldLeft] = [oldNumber + 1, oldLeft - 1];
    if (sign !== "-") [newNumber, newLeft] = [newNumber + 1, newLeft - 1];
  }
  return at - 1;
}

/** The name in `a/x b/x`: both are the same where nothing else in the header says otherwise. */
function readBothNames(text) {
  const quoted = /"((?:\\.|[^"\\])*)"$/.exec(text);
  if (quoted) return unquote(quoted[0]).replace(/^b\//, "");
  const half = (text.length - 1) / 2;
  const [one, other] = [text.slice(0, half), text.slice(half + 1)];
  const isSame = Number.isInteger(half) && one.slice(one.indexOf("/")) === other.slice(other.indexOf("/"));
  return isSame ? other.replace(/^b\//, "") : text.slice(text.lastIndexOf(" b/") + 3);
}

/** The name behind `---` or `+++`; undefined for a side that is not there. */
function readName(text) {
  // Plain diffs put a date behind a tab, git a lone tab behind a name with blanks.
  const bare = text.replace(/\t.*$/, "");
  const name = unquote(bare);
  return name === "/dev/null" ? undefined : name.replace(/^[ab]\//, "");
}

const escapes = new Map(Object.entries({ n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, "\\": 92 }));

/** Git writes odd names in quotes, with the bytes of other letters in octal. */
function unquote(text) {
  if (!text.startsWith('"')) return text;
  const bytes = [];
  for (const [, octal, escaped, plain] of text.slice(1, -1).matchAll(/\\([0-3][0-7]{2})|\\(.)|([^\\])/gu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (escaped !== undefined) bytes.push(escapes.get(escaped) ?? escaped.codePointAt(0));
    else bytes.push(...Buffer.from(plain));
  }
  return Buffer.from(bytes).toString();
}
