import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolvePath, toShownPath } from "../../src/tools/workspace.ts";
import { createPlace } from "./call.ts";

describe("toShownPath", () => {
  it("G8: writes any name so that it leads back to the same file", () => {
    const { context } = createPlace();
    for (const name of [
      "a b.txt",
      " outer ",
      "two\nlines",
      'quo"te',
      '"quoted"',
      "~",
      "~/x",
      "表/é.ts",
      "[1].md",
      "a\\b",
      "-rf",
      "new\u0085line",
      "right\u202eleft",
      "\u{e0001}tag",
    ]) {
      const path = join(context.workspace, name);
      mkdirSync(path, { recursive: true });
      const shown = toShownPath(path, context.workspace);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]|^-/u);
      expect(resolvePath(shown, context, "read")).toBe(path);
      expect(existsSync(path)).toBe(true);
    }
  });
});
