import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How many notes there are; later turns read them again under the names of links would be luck, so there are enough. */
const NOTES = 1_100;

/** Text that does not repeat, so that nothing is saved by luck. */
export function makeText(seed, length) {
  let text = "";
  for (let part = 0; text.length < length; part += 1) {
    text += createHash("sha256").update(`${seed}/${part}`).digest("base64");
  }
  return text.slice(0, length);
}

/** Writes so many notes of 1,000 characters, each different. */
export function writeNotes(workspace) {
  for (let index = 0; index < NOTES; index += 1)
    writeFileSync(join(workspace, `note-${index}.md`), makeText(`note ${index}`, 1_000));
}

/** The arguments of a call, for another note each time. */
export function noteOf(call, count) {
  const name = `note-${(count >> 1) % NOTES}.md`;
  return Object.fromEntries(
    Object.entries(call.args).map(([key, path]) => [key, path.replace("notes.md", name)]),
  );
}

/** A skill whose text has so many characters. */
export function writeBigSkill(workspace, characters) {
  const folder = join(workspace, "skills", "big");
  mkdirSync(folder, { recursive: true });
  const header = "---\nname: big\ndescription: Knows all house rules. Use when asked for them.\n---\n\n";
  writeFileSync(join(folder, "SKILL.md"), header + makeText("skill", characters));
}
