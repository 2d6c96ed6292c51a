import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { superviseWords } from "../../../src/tools/process/confined.ts";
import { REPORT_DESCRIPTOR } from "../../../src/tools/process/process-table.ts";

/** What a supervisor reports of a command, without a sandbox around them. */
async function supervise(...command: string[]): Promise<string> {
  const [shell = "", ...words] = superviseWords(command);
  const streams = Array.from({ length: REPORT_DESCRIPTOR }, () => "ignore" as const);
  const child = spawn(shell, words, { stdio: [...streams, "pipe"], timeout: 5_000 });
  const report = child.stdio[REPORT_DESCRIPTOR as 4] as Duplex;
  let text = "";
  report.on("data", (piece: Buffer) => {
    text = `${text}${piece}`.slice(0, 1_000);
    if (/^exit /m.test(text)) report.end();
  });
  await once(child, "exit");
  return text;
}

describe("the supervisor", () => {
  // Waiting with -f, bash 5.2 goes round for ever, now and then, when the command ends at that moment.
  it("ends with its command, however quick that is", async () => {
    const lane = async () => {
      for (let count = 0; count < 100; count += 1) expect(await supervise("true")).toMatch(/^exit 0$/m);
    };
    await Promise.all(Array.from({ length: 4 }, lane));
  });
});
