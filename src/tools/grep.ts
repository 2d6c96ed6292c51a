import { isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { basename, relative } from "node:path";
import { z } from "zod";
import { SkillgraphError, toMessage } from "../errors.ts";
import { findProtection } from "../permissions/places/protected.ts";
import { resolveDecidedPath } from "./files/decided-path.ts";
import { openFile } from "./files/files.ts";
import { createLineSearch, type LineMatch, type LineSearch } from "./files/line-search.ts";
import { createPathMatch } from "./files/path-match.ts";
import { walkFiles } from "./files/walk.ts";
import { hasDot, isOpen, MAX_PATTERN } from "./glob.ts";
import { findHomeFolder } from "./home.ts";
import { createInput } from "./input.ts";
import { capOutput, cleanText, toCount } from "./output.ts";
import { isBinary } from "./process/collector.ts";
import { defineTool, type ToolContext } from "./tool.ts";
import { toPathTarget, toShownPath } from "./workspace.ts";

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_MATCHES = 500;
const LINE_WIDTH = 500;
const BUDGET_MS = 5_000;

/** Searches the text of files by a regular expression. */
export const grepTool = defineTool({
  name: "Grep",
  description:
    "Search files for a JavaScript regular expression, line by line; begin it with (?i) to ignore case. Gives each " +
    `file's path and below it the numbered lines, at most ${MAX_MATCHES}. Leaves out what .gitignore names, binary, ` +
    "non-UTF-8 and very large files, files that hold secrets and files that the rules do not open.",
  input: createInput(
    {
      pattern: z.string().min(1).describe("JavaScript regular expression."),
      path: z.string().optional().describe("File or folder to search; the workspace by default."),
      glob: z
        .string()
        .max(MAX_PATTERN)
        .optional()
        .describe("Only files whose path fits, such as *.ts or docs/**."),
    },
    { query: "pattern", regex: "pattern", include: "glob", target_directory: "path" },
  ),
  target: ({ path }, context) => toPathTarget(path ?? ".", context, "read"),
  readOnly: true,
  idempotent: true,
  run: async ({ pattern, path, glob }, context) => {
    const start = resolveDecidedPath(path ?? ".", context, "read");
    const search = createLineSearch(toExpression(pattern), {
      budgetMs: BUDGET_MS,
      most: MAX_MATCHES,
      width: LINE_WIDTH,
    });
    try {
      const report = await searchFiles(start, listFiles(start, glob, context), search, context);
      return toText(report, pattern, toShownPath(start, context.workspace));
    } finally {
      await search.close();
    }
  },
});

function toExpression(pattern: string): RegExp {
  const flags = pattern.startsWith("(?i)") ? "i" : "";
  const source = flags === "" ? pattern : pattern.slice("(?i)".length);
  try {
    return new RegExp(source, `u${flags}`);
  } catch {
    // Unicode mode refuses needless backslashes, which models write often.
    return toPlainExpression(source, flags);
  }
}

function toPlainExpression(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new SkillgraphError("tool-failed", `Pattern ${JSON.stringify(source)}: ${toMessage(error)}.`, {
      cause: error,
    });
  }
}

async function* listFiles(
  start: string,
  glob: string | undefined,
  context: ToolContext,
): AsyncGenerator<string> {
  const stat = statSync(start, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) {
    yield start;
    return;
  }
  const isMatch = glob === undefined ? () => true : createPathMatch(glob, { byName: true });
  const dots = glob !== undefined && hasDot(glob);
  for await (const file of walkFiles({
    folder: start,
    workspace: context.workspace,
    dots,
    signal: context.signal,
  })) {
    if (!file.isLink && isMatch(relative(start, file.path))) yield file.path;
  }
}

interface Report {
  found: { shown: string; matches: LineMatch[] }[];
  searched: number;
  skipped: Map<string, number>;
  /** Why the search ended before all files were seen. */
  ended?: string;
}

async function searchFiles(
  start: string,
  files: AsyncIterable<string>,
  search: LineSearch,
  context: ToolContext,
): Promise<Report> {
  const report: Report = { found: [], searched: 0, skipped: new Map() };
  let left = MAX_MATCHES;
  for await (const file of files) {
    context.signal?.throwIfAborted();
    const content = await readContent(file, context).catch((error: unknown) =>
      toUnreadable(error, file, start),
    );
    if (content.kind === "skipped") {
      report.skipped.set(content.why, (report.skipped.get(content.why) ?? 0) + 1);
      continue;
    }
    const shown = toShownPath(file, context.workspace);
    const matches = await search.search(content.text);
    if (matches === undefined)
      return { ...report, ended: `the pattern took too long in ${shown}; make it simpler` };
    report.searched += 1;
    if (matches.length > 0) report.found.push({ shown, matches: matches.slice(0, left) });
    left -= matches.length;
    if (left <= 0) return { ...report, ended: `${MAX_MATCHES} lines match; narrow the pattern or the path` };
  }
  return report;
}

type Content = { kind: "text"; text: string } | { kind: "skipped"; why: string };

async function readContent(path: string, context: ToolContext): Promise<Content> {
  if (isSecret(path, context) || !isOpen(path, context)) {
    return { kind: "skipped", why: "that may hold secrets or that the rules do not open" };
  }
  const handle = await openFile(path, context.workspace);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) return { kind: "skipped", why: `larger than ${toCount(MAX_BYTES)} bytes` };
    const bytes = await handle.readFile();
    if (isBinary(bytes)) return { kind: "skipped", why: "binary" };
    return isUtf8(bytes)
      ? { kind: "text", text: bytes.toString("utf8") }
      : { kind: "skipped", why: "not UTF-8 text" };
  } finally {
    await handle.close();
  }
}

/** One closed file does not stop the search of a folder, but a file that was asked for must be there. */
function toUnreadable(error: unknown, file: string, start: string): Content {
  if (file === start) throw error;
  return { kind: "skipped", why: "unreadable" };
}

function isSecret(path: string, context: ToolContext): boolean {
  const place = { workspace: context.workspace, home: findHomeFolder(), skillFolders: [] };
  return basename(path).startsWith(".env") || findProtection(path, place, "read") === "secret";
}

function toText({ found, searched, skipped, ended }: Report, pattern: string, start: string): string {
  const blocks = found.map(({ shown, matches }) =>
    [shown, ...matches.map(({ line, text }) => `  ${line}: ${text}`)].join("\n"),
  );
  const left = [...skipped].map(([why, count]) => `${toCount(count)} ${why}`);
  const notices = [
    ...(found.length === 0
      ? [`[No line matches ${JSON.stringify(pattern)} in ${start}; ${searched} files searched.]`]
      : []),
    ...(left.length > 0 ? [`[Files left out: ${left.join(", ")}.]`] : []),
    ...(ended === undefined ? [] : [`[Ended early: ${ended}.]`]),
  ];
  return [capOutput(cleanText(blocks.join("\n"))), ...notices].filter((part) => part !== "").join("\n");
}
