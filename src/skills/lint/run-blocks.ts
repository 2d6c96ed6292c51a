import { readLines } from "../lines.ts";
import { findRunBlocks } from "../run-blocks.ts";
import { type Finding, type Instructions, toWarning } from "./rule.ts";

const SHELLS = "bash, sh or shell";

/** Code that is marked to be run can be run, and what is opened is closed. */
export function judgeRunBlocks({ text, firstLine }: Instructions): Finding[] {
  const { lines, open } = readLines(text);
  const found = new Set(findRunBlocks(text).map(({ line }) => line - 1));
  const findings: Finding[] = [];
  for (const line of lines) {
    if (line.kind !== "opening" || found.has(line.index)) continue;
    const message = describeFence(line.fence.info);
    if (message !== undefined) findings.push(toWarning("run-block", firstLine + line.index, message));
  }
  // A mark that nothing follows holds nothing.
  if (open && lines.slice(open.index + 1).some((line) => line.text.trim() !== "")) {
    const what = open.kind === "fence" ? "The code" : "The comment";
    const message = `${what} that begins here is never closed; it holds all that follows.`;
    findings.push(toWarning("body-open", firstLine + open.index, message));
  }
  return findings;
}

/** Why code is not run although its fence says so; undefined when it does not say so. */
function describeFence(info: string): string | undefined {
  const [language = "", second = ""] = info.toLowerCase().split(/\s+/);
  if (language === "run") return `A language comes before "run": ${SHELLS}. This code is not run.`;
  if (second !== "run") return undefined;
  if (!["bash", "sh", "shell"].includes(language)) {
    return `"${language}" is not run, only ${SHELLS}. Call the program from there.`;
  }
  return /\srun(?:\s|$)/.test(info) ? "There is no command to run." : 'Write "run" in small letters.';
}
