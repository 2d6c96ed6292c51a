import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { validate } from "skills-ref";
import { describe, expect, it } from "vitest";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { FIXTURES } from "./faults.ts";

const BUNDLED = join(import.meta.dirname, "../../../skills");

/** What the reference validator takes and we refuse, and the other way round, each with its reason. */
const DIFFERENCES = new Map([
  ["description-as-list", "it makes text of any value; the specification wants text"],
  ["latin1", "it puts another sign in the place of bytes that are no UTF-8"],
  ["second/same-name", "it looks at one skill at a time"],
  ["stage-with-wrong-gate", "it knows no stages"],
]);

describe("the reference validator and lint agree on what is valid", () => {
  it.each([
    ["the fixtures", FIXTURES],
    ["the bundled skills", BUNDLED],
  ])("%s", async (_title, root) => {
    const { diagnostics } = await lintPaths(["."], root);
    const folders = listSkillFolders(root);
    const differences: string[] = [];
    for (const folder of folders) {
      const isRefused = (await validate(folder)).length > 0;
      const isWrong = diagnostics.some(
        ({ path, severity }) => severity === "error" && path.startsWith(`${folder}/`),
      );
      if (isRefused !== isWrong) differences.push(relative(root, folder));
    }
    expect(folders.length).toBeGreaterThan(3);
    const known = [...DIFFERENCES.keys()].filter((name) => existsSync(join(root, name)));
    expect(differences.sort()).toEqual(known.sort());
  });
});

function listSkillFolders(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?:^|[/\\])skill\.md$/i.test(path))
    .map((path) => dirname(join(root, path)));
}
