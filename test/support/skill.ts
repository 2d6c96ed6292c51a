import type { Skill } from "../../src/skills/schema.ts";

/** A skill as the catalog would hold it. No file is behind it. */
export function toSkill(name: string, description: string, more: Partial<Skill> = {}): Skill {
  return {
    name,
    description,
    path: `/s/${name}/SKILL.md`,
    directory: `/s/${name}`,
    source: "/s",
    tier: "flag",
    trusted: true,
    allowedTools: [],
    disallowedTools: [],
    metadata: {},
    modelInvocable: true,
    userInvocable: true,
    argumentNames: [],
    mode: false,
    paths: [],
    ...more,
  };
}
