/** With more such places a deep path can take minutes, and nothing could stop the matching. */
const MAX_DEEP = 3;

/**
 * The lines of a `.gitignore` as they would stand in one further up: only rules that stand together can take back
 * what an outer one leaves out, a folder with all that is in it too.
 *
 * @param text - The file as it is.
 * @param below - The file's folder, relative to the other one; empty when it is the same.
 */
export function rebaseRules(text: string, below: string): string[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => (below === "" ? line : rebase(line, below)))
    .filter((line) => line.split("**").length <= MAX_DEEP + 1);
}

function rebase(line: string, below: string): string {
  const isBack = line.startsWith("!");
  // At the beginning of a line alone these two have a meaning, and need the backslash.
  const body = line.slice(isBack ? 1 : 0).replace(/^\\(?=[!#])/, "");
  const isPlaced = /\/(?!\s*$)/.test(body);
  const folder = below.replace(/[\\*?[]/g, "\\$&");
  return `${isBack ? "!" : ""}/${folder}/${isPlaced ? "" : "**/"}${body.replace(/^\//, "")}`;
}
