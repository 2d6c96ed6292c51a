import { expect, it } from "vitest";
import * as api from "../src/index.ts";

it("the package exports these values and no others", () => {
  expect(Object.keys(api).sort()).toEqual([
    "SkillgraphError",
    "closeAgent",
    "createSkillAgent",
    "deleteThread",
    "findThread",
    "listThreads",
    "loadSettings",
    "openCatalog",
    "readHistory",
    "readThread",
    "resumeThread",
    "startThread",
    "unloadSkill",
  ]);
});
