import { join, relative, sep } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { isInside, toRealPath } from "../../permissions/places/real-path.ts";
import type { Stage } from "../../skills/stages/stage.ts";
import { listStageFiles, listStageFolders } from "../../skills/stages/stage-files.ts";
import { readFileName } from "../../skills/stages/stage-names.ts";
import { grepTool } from "../../tools/grep.ts";
import { readTool } from "../../tools/read.ts";
import type { Tool } from "../../tools/tool.ts";
import type { OpenWizard } from "./wizard.ts";

/** A wizard as far as it is known what its model is not to see yet. */
type Place = Pick<OpenWizard, "wizard" | "stage"> & { skill: Pick<OpenWizard["skill"], "directory"> };

/** A tool that does not show the files of stages that are still to come: their instructions come when they begin. */
export function closeLaterStages(tool: Tool, wizards: Place[]): Tool {
  if (wizards.length === 0) return tool;
  if (tool === grepTool) {
    return {
      ...tool,
      run: (input, context) => {
        const mayRead = (path: string) =>
          findLaterStage(path, wizards) === undefined && context.mayRead?.(path) !== false;
        return tool.run(input, { ...context, mayRead });
      },
    };
  }
  if (tool !== readTool) return tool;
  return {
    ...tool,
    run: async (input, context) => {
      const target = tool.target(input, context);
      const later = target.kind === "path" ? findLaterStage(target.path, wizards) : undefined;
      if (later === undefined) return tool.run(input, context);
      const message = `Not shown: these are the instructions of the stage "${later.next}", which come when it begins. Complete the stage "${later.current}" first, with CompleteStage.`;
      throw new SkillgraphError("tool-failed", message);
    },
  };
}

/** The stage that the file holds, where it comes after the current one. */
function findLaterStage(path: string, wizards: Place[]): { next: string; current: string } | undefined {
  for (const { skill, wizard, stage } of wizards) {
    const next = findStageOf(path, skill.directory, wizard.stages);
    if (next !== undefined && wizard.stages.indexOf(next) > wizard.stages.indexOf(stage)) {
      return { next: next.title, current: stage.title };
    }
  }
  return undefined;
}

/** The stage whose file this is by its name; a wizard remembers no files. */
function findStageOf(path: string, directory: string, stages: Stage[]): Stage | undefined {
  try {
    const root = toRealPath(directory);
    if (!isInside(root, path) || !/\.md$/i.test(path)) return undefined;
    const parts = relative(root, path).split(sep);
    const name = parts.pop() ?? "";
    const folder = parts.join("/");
    if (folder !== findFolder(root)) return undefined;
    const isStep = folder !== "stages";
    const { id, number, isWorded } = readFileName(name, { isStep });
    if (folder === "" && !isWorded) return undefined;
    const ids = [id, readFileName(name).id, `stage-${number.join("-")}`];
    return stages.find((stage) => ids.includes(stage.id));
  } catch {
    return undefined; // The skill's folder is gone, or cannot be listed: what is left to read is found out there.
  }
}

/** The folder of a skill that its stages lie in; empty where they lie beside its SKILL.md. */
function findFolder(directory: string): string {
  const { folders } = listStageFolders(directory);
  return folders.find((folder) => (listStageFiles(join(directory, folder)) ?? []).length > 0) ?? "";
}
