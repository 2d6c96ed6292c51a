import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { checkValue } from "../../../src/skills/json-schema/json-schema.ts";

const slow = { type: "string", pattern: "^(a+)+$" };

/** A text on which the pattern is busy for a tenth of a second or more, and far less than the limit. */
function findSlowText(): string {
  for (let length = 16; ; length += 1) {
    const text = `${"a".repeat(length)}!`;
    const begun = performance.now();
    checkValue(slow, text);
    if (performance.now() - begun > 100) return text;
  }
}

it.skipIf(process.platform === "win32")(
  "a check that was stopped from outside is not taken for a slow one",
  async () => {
    const text = findSlowText();
    const script = `sleep 0.5; kill -STOP ${process.pid}; sleep 1.5; kill -CONT ${process.pid}`;
    const stopper = spawn("sh", ["-c", script], { stdio: "ignore" });
    const ended = once(stopper, "exit");
    const begun = performance.now();
    const seen = new Set<string>();
    // One check after the other, so that one of them is at work when the process is stopped.
    while (performance.now() - begun < 2_500) {
      const checked = checkValue(slow, text);
      if (!checked.ok) for (const error of checked.errors) seen.add(error.split(":")[0] ?? "");
    }
    await ended;
    expect([...seen]).toEqual(["the value"]);
  },
);
