import picocolors from "picocolors";
import type { Screen } from "../../src/cli/screen.ts";

/** A screen without colours that keeps what is written. */
export function createTestScreen(): Screen & { read: () => { out: string; err: string } } {
  const written = { out: "", err: "" };
  const toChannel = (name: "out" | "err") => ({
    write: (text: string) => {
      written[name] += text;
    },
    flush: async () => undefined,
    colors: picocolors.createColors(false),
    isTerminal: false,
    columns: 100,
  });
  return { out: toChannel("out"), err: toChannel("err"), read: () => written };
}
