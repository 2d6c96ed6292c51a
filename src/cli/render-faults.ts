import type { Diagnostic } from "../skills/schema.ts";
import { toSafeLine } from "./safe-text.ts";
import { note, type Screen } from "./screen.ts";

/** One line for each fault in a file that was read. */
export function showFaults(diagnostics: Diagnostic[], screen: Screen): void {
  const { colors } = screen.err;
  for (const { severity, path, line, message, code } of diagnostics) {
    const word = severity === "error" ? colors.red(severity) : colors.yellow(severity);
    note(screen, `${word}: ${toSafeLine(`${path}:${line}: ${message}`, 1000)} [${code}]`);
  }
}
