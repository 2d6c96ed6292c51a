import { describe, expect, it } from "vitest";
import { findLoadFault } from "../../../src/graph/loading/consent.ts";
import type { WantedSkill } from "../../../src/graph/skill-state.ts";
import { loadCatalog } from "../../../src/skills/catalog.ts";
import { createFolder, toRoot, writeSkill } from "../../skills/temp-folder.ts";

function createSkill() {
  const root = createFolder();
  writeSkill(`${root}/tidy`, "tidy");
  const skill = loadCatalog([toRoot(root)]).get("tidy");
  if (!skill) throw new Error("There is no skill.");
  return skill;
}

const wish: WantedSkill = { name: "tidy", arguments: "", chosenBy: "person" };
const doubted = { trusted: false, reason: "its folder is not trusted", files: [], digest: "d" };
const trusted = { trusted: true, files: [], digest: "d" };

describe("a skill that nobody vouches for", () => {
  it.each(["person", "model"] as const)("is not loaded for a %s without a person's word", (chosenBy) => {
    const skill = createSkill();
    for (const mode of ["ask", "deny"] as const) {
      expect(findLoadFault({ ...wish, chosenBy }, skill, doubted, mode)).toBe(
        'Not loaded: "tidy" needs a person\'s word, because its folder is not trusted. Ask again.',
      );
    }
  });

  it("is loaded after that word, where it is trusted, and in the mode that asks nothing", () => {
    const skill = createSkill();
    expect(findLoadFault({ ...wish, agreed: true }, skill, doubted, "ask")).toBeUndefined();
    expect(findLoadFault(wish, skill, trusted, "ask")).toBeUndefined();
    expect(findLoadFault(wish, skill, doubted, "allow")).toBeUndefined();
  });
});

describe("a word is for what was shown", () => {
  it("not for another file of that name, nor for other files", () => {
    const skill = createSkill();
    const agreed = { ...wish, agreed: true, path: skill.path };
    const terms = {
      digest: "d",
      source: skill.source,
      trusted: false,
      risk: "L0",
      asks: [],
      files: [],
    } as const;
    const fault = (request: object, digest = "d") =>
      findLoadFault({ ...agreed, ...request } as WantedSkill, skill, { ...doubted, digest }, "ask");
    expect(fault({ terms })).toBeUndefined();
    expect(fault({ terms, path: "/elsewhere/SKILL.md" })).toMatch(/agreed to \/elsewhere\/SKILL\.md/);
    expect(fault({ terms }, "e")).toMatch(/changed after the person agreed/);
  });
});
