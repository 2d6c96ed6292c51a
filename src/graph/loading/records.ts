import type { ActiveSkill, SkillRecord } from "../skill-state.ts";

const MAX_RECORDS = 200;
const MAX_RECENT = 50;

/** The records of a thread with new ones behind; the oldest give way. */
export function addRecords(loads: SkillRecord[], records: SkillRecord[]): SkillRecord[] {
  return records.length === 0 ? loads : [...loads, ...records].slice(-MAX_RECORDS);
}

/** What happened to a skill, as it is kept. */
export function toRecord(
  { name, digest, tokens, version }: ActiveSkill,
  rest: Pick<SkillRecord, "type" | "by"> & Partial<Pick<SkillRecord, "way" | "files">>,
): SkillRecord {
  return { ...rest, name, digest, tokens, ...(version === undefined ? {} : { version }) };
}

/** The names of the skills used last, with these in front, the last of them first. */
export function putInFront(recent: string[], names: string[]): string[] {
  if (names.length === 0) return recent;
  return [...new Set([...names.toReversed(), ...recent])].slice(0, MAX_RECENT);
}
