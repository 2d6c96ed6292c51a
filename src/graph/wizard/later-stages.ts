import { statSync } from "node:fs";
import { SkillgraphError } from "../../errors.ts";
import { isInside, toRealPath } from "../../permissions/places/real-path.ts";
import { readDrafts } from "../../skills/stages/read-wizard.ts";
import type { Stage, Wizard } from "../../skills/stages/stage.ts";
import { grepTool } from "../../tools/grep.ts";
import { readTool } from "../../tools/read.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ActiveSkill } from "../skill-state.ts";

/** A wizard as far as it is known what its model is not to see yet. */
interface Place {
  wizard: Wizard;
  stage: Stage;
  skill: Pick<ActiveSkill, "name" | "path" | "directory">;
}

/** The stage that a file holds, where it comes after the current one. */
type FindLater = (path: string) => { next: string; current: string } | undefined;

/** A tool that does not show the files of stages that are still to come: their instructions come when they begin. */
export function closeLaterStages(tool: Tool, wizards: Place[]): Tool {
  if (wizards.length === 0) return tool;
  if (tool === grepTool) {
    return {
      ...tool,
      run: (input, context) => {
        const findLater = createFinder(wizards);
        const mayRead = (path: string) => findLater(path) === undefined && context.mayRead?.(path) !== false;
        return tool.run(input, { ...context, mayRead });
      },
    };
  }
  if (tool !== readTool) return tool;
  return {
    ...tool,
    run: async (input, context) => {
      const target = tool.target(input, context);
      const later = target.kind === "path" ? createFinder(wizards)(target.path) : undefined;
      if (later === undefined) return tool.run(input, context);
      const message = `Not shown: these are the instructions of the stage "${later.next}", which come when it begins. Complete the stage "${later.current}" first, with CompleteStage.`;
      throw new SkillgraphError("tool-failed", message);
    },
  };
}

/** Reads the stages of a skill once, when a file of its folder is asked for. */
function createFinder(wizards: Place[]): FindLater {
  const known = new Map<Place, Map<string, Stage>>();
  return (path) => {
    for (const place of wizards) {
      if (!isInside(toRealPath(place.skill.directory), path)) continue;
      const files = known.get(place) ?? listLater(place);
      known.set(place, files);
      const next = files.get(readIdentity(path) ?? "");
      if (next) return { next: next.title, current: place.stage.title };
    }
    return undefined;
  };
}

/**
 * The files of the stages to come, each by what it is on the disk: a link, or another case where that does not count,
 * leads to the same one. A wizard remembers no files, so they are found as they were when it was loaded.
 */
function listLater({ skill, wizard, stage }: Place): Map<string, Stage> {
  const later = wizard.stages.slice(wizard.stages.indexOf(stage) + 1);
  const { drafts = [] } = readDrafts({ ...skill, metadata: {} }, { asked: true }) ?? {};
  return new Map(
    drafts.flatMap(({ id, place: { path } }): [string, Stage][] => {
      const held = later.find((each) => each.id === id);
      // A SKILL.md with its stages as headings holds the current one, too.
      const identity = path === skill.path ? undefined : readIdentity(path);
      return held && identity !== undefined ? [[identity, held]] : [];
    }),
  );
}

function readIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined; // Gone, or closed to us: what is left to read is found out there.
  }
}
