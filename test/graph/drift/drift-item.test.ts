import { expect, it } from "vitest";
import { listUsedFiles } from "../../../src/graph/drift/drift-item.ts";

it("names every file that is used as it is on disk, whatever it is called", () => {
  const texts = ["SKILL.md (changed)", "stages (changed)", "stages/01-look.md (new)", "scripts/go.sh (gone)"];
  const used = [
    "scripts/go.sh (changed)",
    "SKILL.md (1).sh (changed)",
    "stages (1) (new)",
    "stages/a.sh (new)",
  ];
  expect(listUsedFiles([...texts, ...used])).toEqual(used);
});
