import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KNOWN_KEYS } from "../../../src/skills/header/fields.ts";
import { findKnownKey, KNOWN_HEADER_KEYS } from "../../../src/skills/header/known-keys.ts";

const page = readFileSync(new URL("../../../docs/skills.md", import.meta.url), "utf8");
const section = /^## The header\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";

function toNames(text: string): string[] {
  return [...text.matchAll(/`([^`:]+)(?::[^`]*)?`/g)].map((match) => match[1] ?? "").sort();
}

function namesOf(uses: string[]): string[] {
  return KNOWN_HEADER_KEYS.filter(({ use }) => uses.includes(use))
    .map(({ name }) => name)
    .sort();
}

describe("the keys that are known", () => {
  it("those that are used are the rows of the table in docs/skills.md", () => {
    const cells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map((match) => match[1] ?? "");
    expect(toNames(cells.join(" "))).toEqual(namesOf(["honoured", "shown"]));
  });

  it("those that are not used are named there, too", () => {
    const sentence = /Known and not used: ([^.]*)\./.exec(section)?.[1] ?? "";
    expect(toNames(sentence)).toEqual(namesOf(["ignored"]));
  });

  it("each stands once, with one sentence, and six are of the specification", () => {
    const names = KNOWN_HEADER_KEYS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { meaning } of KNOWN_HEADER_KEYS) expect(meaning).toMatch(/^[A-Z][^\n]*\.$/);
    const own = KNOWN_HEADER_KEYS.filter(({ level }) => level === "specification");
    expect(own.map(({ name }) => name)).toEqual([
      ...["name", "description", "license", "compatibility", "metadata", "allowed-tools"],
    ]);
  });

  it("every key that the reader uses is among them, but for those of stages", () => {
    const ofStages = ["check", "form", "gate", "max-attempts", "needs", "output", "restrict", "title"];
    const unknown = [...KNOWN_KEYS].filter((key) => findKnownKey(key) === undefined);
    expect(unknown.sort()).toEqual(ofStages);
  });

  it("a key of Object.prototype is not known", () => {
    expect(findKnownKey("constructor")).toBeUndefined();
    expect(findKnownKey("__proto__")).toBeUndefined();
  });
});
