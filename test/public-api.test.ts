import { expect, it } from "vitest";
import * as api from "../src/index.ts";

it("the package exports these values and no others", () => {
  expect(Object.keys(api).sort()).toEqual([
    "SkillgraphError",
    "closeAgent",
    "createSkillAgent",
    "deleteThread",
    "findThread",
    "forkThread",
    "listThreads",
    "loadSettings",
    "openCatalog",
    "readHistory",
    "readModel",
    "readThread",
    "resumeThread",
    "startThread",
    "unloadSkill",
  ]);
});
