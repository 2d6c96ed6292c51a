import { createSkill } from "../../runtime/create-skill.ts";
import { quoteWord } from "../../skills/arguments/apply-arguments.ts";
import { exitCodes } from "../exit-code.ts";
import { type NewFlags, toFolder } from "../flags.ts";
import { toProgramName } from "../program-name.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, print } from "../screen.ts";

/**
 * `skillgraph new NAME`: a skill to begin with, which can be run at once.
 *
 * @throws SkillgraphError `usage` for a name that cannot be used, and for a skill that is there
 */
export async function newSkill(name: string, flags: NewFlags): Promise<number> {
  const screen = createScreen();
  const skill = createSkill(name, toFolder(flags.cwd), { wizard: flags.wizard === true });
  if (flags.json) {
    screen.out.write(toJsonDocument(skill));
    return exitCodes.finished;
  }
  for (const file of skill.files) print(screen, `Wrote ${toSafeLine(file, 4096)}`);
  if (skill.notice !== undefined) print(screen, toSafeLine(skill.notice, 200));
  const place = flags.cwd === undefined ? "" : ` --cwd ${quoteWord(flags.cwd)}`;
  print(screen, "\nNext, change them to your needs, and try:");
  print(screen, toSafeLine(`${toProgramName()} lint skills/${quoteWord(skill.name)}${place}`, 4096));
  print(screen, toSafeLine(`${toProgramName()} run ${quoteWord(`/${skill.name}`)} --trust${place}`, 4096));
  return exitCodes.finished;
}
