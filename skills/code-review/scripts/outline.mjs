import { findLanguage } from "./kinds.mjs";

/** Words that begin a line which looks like a function's head and is none. */
const notFunctions =
  /^\s*(?:\}\s*)?(?:if|else|for|foreach|while|switch|catch|try|do|with|return|await|throw|new|match|select|case|elif|except|finally)\b/;
const heads = {
  javascript:
    /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\b|class\b|(?:const|let|var)\s+[\w$]+\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\([^)]*\)?|[\w$]+)\s*(?::[^=]+)?(?:=>|$)|(?:(?:public|private|protected|static|async|override|get|set)\s+)*[\w$#]+\s*(?:<[^>]*>)?\([^;]*$)/,
  python: /^\s*(?:async\s+)?(?:def|class)\s+\w+/,
  ruby: /^\s*(?:def|class|module)\s+[\w.:]+/,
  go: /^(?:func|type)\s/,
  rust: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(?:fn|impl|struct|enum|trait|mod)\b/,
  shell: /^\s*(?:function\s+)?[\w-]+\s*\(\)\s*\{?/,
};
const anyHead =
  /^\s*(?:[\w<>[\],*&:~]+\s+)+[\w:~*&]+\s*\([^;]*$|^\s*(?:\w+\s+)*(?:class|interface|struct|enum|namespace|func|fun|function)\s+\w+/;

/**
 * The function or class around a line, found by indentation: the nearest head above that stands further left,
 * down to the first line that is as far left again.
 *
 * @returns one-based `start` and `end` and the `head`; undefined at the top level.
 */
export function findEnclosing(lines, number, path) {
  const head = heads[findLanguage(path)] ?? anyHead;
  let limit = indentOf(lines[number - 1]) ?? Number.POSITIVE_INFINITY;
  if (isHead(lines[number - 1] ?? "", head)) limit += 1;
  for (let at = number - 1; at >= 0; at -= 1) {
    const indent = indentOf(lines[at]);
    if (indent === undefined || indent >= limit) continue;
    if (isHead(lines[at], head)) return { start: at + 1, end: findEnd(lines, at), head: lines[at].trim() };
    // A closing bracket further left ends what is above it.
    if (!/^\s*[})\]]/.test(lines[at])) limit = indent;
    if (indent === 0 && !/^[})\]]/.test(lines[at])) return undefined;
  }
  return undefined;
}

/** Every function that holds one of these lines, once, in order. */
export function findFunctions(lines, numbers, path) {
  const found = new Map();
  for (const number of numbers) {
    const around = findEnclosing(lines, number, path);
    if (around && !found.has(around.start)) found.set(around.start, around);
  }
  return [...found.values()].sort((one, other) => one.start - other.start);
}

/** The names that a line makes known to other files. */
export function findExports(text, path) {
  const language = findLanguage(path);
  if (language === "javascript") return findScriptExports(text);
  if (language === "python") return pick(/^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)/, text);
  if (language === "go") return pick(/^(?:func(?:\s+\([^)]*\))?|type|var|const)\s+([A-Z]\w*)/, text);
  if (language === "rust")
    return pick(
      /^\s*pub\s+(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|const|static|type|mod)\s+(\w+)/,
      text,
    );
  if (language === "java" || language === "csharp")
    return pick(/^\s*public\s+(?:[\w<>[\],?]+\s+)*?(\w+)\s*(?:[({]|extends|implements|;|=|$)/, text);
  if (language === "ruby") return pick(/^\s*(?:class|module)\s+([A-Z]\w*)/, text);
  return [];
}

function findScriptExports(text) {
  const declared = pick(
    /^\s*export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|const|let|var|interface|type|enum)\s+([\w$]+)/,
    text,
  );
  if (/^\s*export\s+default\b/.test(text)) declared.push("default");
  const list = /^\s*export\s+(?:type\s+)?\{([^}]*)\}/.exec(text)?.[1] ?? "";
  const listed = list
    .split(",")
    .map((item) =>
      item
        .trim()
        .replace(/^type\s+/, "")
        .split(/\s+as\s+/)
        .at(-1),
    )
    .filter((name) => /^[\w$]+$/.test(name));
  return [...declared, ...listed, ...pick(/^\s*(?:module\.)?exports\.([\w$]+)\s*=/, text)];
}

function pick(pattern, text) {
  const name = pattern.exec(text.slice(0, 500))?.[1];
  return name === undefined ? [] : [name];
}

function isHead(line, head) {
  return line.length < 500 && head.test(line) && !notFunctions.test(line);
}

function indentOf(line) {
  if (line === undefined || line.trim() === "") return undefined;
  return /^\s*/.exec(line)[0].replaceAll("\t", "    ").length;
}

function findEnd(lines, start) {
  const indent = indentOf(lines[start]);
  let last = start;
  for (let at = start + 1; at < lines.length; at += 1) {
    const here = indentOf(lines[at]);
    if (here === undefined) continue;
    if (here > indent) {
      last = at;
      continue;
    }
    // `) {` goes on, `}` ends it; anything else belongs to what follows.
    if (here < indent || !/^\s*[})\]]|^\s*(?:end|fi|done)\b|^\s*\{\s*$/.test(lines[at])) return last + 1;
    last = at;
    if (!/[{([,]\s*$|=>\s*$|:\s*$/.test(lines[at])) return last + 1;
  }
  return last + 1;
}
