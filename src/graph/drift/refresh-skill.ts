import { toMessage } from "../../errors.ts";
import type { Catalog } from "../../skills/catalog.ts";
import type { Skill } from "../../skills/schema.ts";
import { startWizard } from "../../skills/stages/stage-machine.ts";
import { fillFolder } from "../fill-folder.ts";
import { readAgain } from "../loading/read-again.ts";
import { readSkill, toActiveSkill } from "../nodes/load-skill.ts";
import type { GraphParts } from "../parts.ts";
import type { ActiveSkill } from "../skill-state.ts";
import type { State } from "../state.ts";
import { readStages } from "../upgrade/displaced.ts";
import { carryOver } from "../upgrade/place-wizard.ts";
import { toProgress } from "../wizard/wizard.ts";
import { rememberFiles, type SkillChange } from "./skill-files.ts";

/** A skill as it would be loaded now, at its old place, and the texts to keep for it. */
export interface Refreshed {
  skill: ActiveSkill;
  /** What its header asks for, whether it is granted or not. */
  asks: Pick<ActiveSkill, "allowedTools" | "model">;
  texts: State["texts"];
  /** Why it is not trusted, as it follows "because"; absent when it is. */
  doubt?: string;
}

/** Where a skill is read anew. `texts`: those that the thread holds. */
export interface RefreshPlace {
  parts: Pick<GraphParts, "trust">;
  catalog: Catalog;
  texts: State["texts"];
}

/**
 * Reads an active skill anew, with the trust and the grants of today. A wizard goes on at its stage, or is displaced
 * where that cannot be.
 *
 * @returns or why the new text cannot be taken, in one sentence
 */
export function refreshSkill(
  old: ActiveSkill,
  change: SkillChange,
  { parts, catalog, texts: stored }: RefreshPlace,
): Refreshed | { fault: string } {
  if (change.digest === "") return { fault: "the SKILL.md is gone." };
  const skill = readAgain(old, catalog);
  if (!skill) return { fault: explainMissing(old.path, catalog) };
  if (skill.name !== old.name) return { fault: `its name is "${skill.name}" now.` };
  try {
    const { digest, wizard, key, text } = readSkill(skill, old.wizard !== undefined);
    const before = old.wizard && readStages(stored, old.wizard.digest);
    const progress =
      wizard &&
      (old.wizard
        ? carryOver(old.wizard, { before, after: wizard }, key)
        : toProgress(startWizard(wizard), { digest: key, anchor: old.anchor }));
    const { trusted, reason } = parts.trust.check(skill);
    const request = { name: old.name, arguments: old.arguments, chosenBy: old.chosenBy };
    const next = toActiveSkill({ ...skill, trusted }, request, {
      digest,
      text: wizard?.intro ?? text,
      anchor: old.anchor,
    });
    const texts = { [key]: text };
    next.files = rememberFiles(skill, texts);
    if (next.files !== change.digest) return { fault: "its files changed again while they were read." };
    return {
      skill: progress ? { ...next, wizard: progress } : next,
      asks: toAsks(skill),
      texts,
      ...(trusted ? {} : { doubt: reason ?? `its folder is not trusted: ${skill.source}` }),
    };
  } catch (error) {
    return { fault: toMessage(error) };
  }
}

function toAsks({ allowedTools, directory, model }: Skill): Refreshed["asks"] {
  const filled = allowedTools.map((entry) => fillFolder(entry, directory));
  return { allowedTools: filled, ...(model === undefined ? {} : { model }) };
}

/** A header that cannot be used any more says why; otherwise nobody looks for skills there now. */
function explainMissing(path: string, { files }: Catalog): string {
  const fault = files.get(path)?.diagnostics.find(({ severity }) => severity === "error");
  if (fault) return `${fault.path}:${fault.line}: ${fault.message}`;
  return `${path} is in none of the folders where skills are looked for.`;
}
