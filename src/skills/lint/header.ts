import type { Finding, LintedFile } from "./rule.ts";

/**
 * What a run reads with a warning and the specification forbids. Another client that reads the same file may
 * refuse it, or read something else.
 */
const FORBIDDEN: ReadonlySet<string> = new Set([
  "header-repaired",
  "header-tab",
  "header-indent",
  "header-dropped",
  "header-duplicate-key",
  "header-text",
  "name-missing",
  "name-folder",
  "name-form",
  "name-long",
  "description-long",
  "compatibility-long",
]);

/** Judges what was found when the header was read, as the specification does. */
export function judgeHeader({ reported }: Pick<LintedFile, "reported">): Finding[] {
  return (
    reported
      // Every key that the specification does not know is judged by the rule for keys.
      .filter(({ code }) => code !== "key-spelling")
      .map((finding) => (FORBIDDEN.has(finding.code) ? { ...finding, severity: "error" } : finding))
  );
}
