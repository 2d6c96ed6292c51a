import { relative, resolve } from "node:path";
import { describeCall } from "../../permissions/ask/describe-call.ts";
import { toRealPath } from "../../permissions/places/real-path.ts";
import { type FileLook, lookAtFile } from "../../tools/files/look-at-file.ts";
import { parseInput } from "../../tools/toolbox.ts";
import { type Bench, toPlace, toPolicy } from "../judge.ts";
import type { ActiveSkill, WizardProgress, WrittenFile } from "../skill-state.ts";
import type { PendingCall, State } from "../state.ts";
import { noteSurvey, toTextKey } from "./stage-survey.ts";
import { findOpenWizard } from "./wizard.ts";

/** Files of one stage that are looked at. */
const MAX_FILES = 50;
/** What the shell makes other words of, and what the eye does not see in a name. */
const COMPUTED = /[$`*?[\]{}]|<U\+/;

/** What the first look at files adds to the state. */
export interface FirstLook {
  active: State["active"];
  texts: State["texts"];
}

/**
 * Keeps what files hold before the first call of a stage that writes them, and what the workspace looks like before
 * the first that may change any. It is to be in a checkpoint before that call begins: after a crash in the middle
 * nobody could tell what was there.
 *
 * @returns undefined where no wizard is under way, or all of the files are known
 */
export function noteWrittenFiles(
  state: Pick<State, "active" | "texts">,
  calls: PendingCall[],
  bench: Bench,
): FirstLook | undefined {
  const writing = calls.filter(({ tool }) => bench.parts.toolbox.get(tool)?.readOnly === false);
  const open = writing.length > 0 ? findOpenWizard(state) : undefined;
  if (!open) return undefined;
  const { skill, stage, progress } = open;
  const { workspace } = bench.parts.policy;
  const named = writing.map((call) => listWrites(call, bench));
  const surveyed = named.some(({ isWhole }) => !isWhole) ? noteSurvey(progress, workspace) : undefined;
  const texts: State["texts"] = { ...(surveyed ? dropSurvey(skill, state.active) : {}), ...surveyed?.texts };
  const files = named.flatMap(({ writes }) => writes);
  const added = lookAtFresh(files, { stage: stage.id, written: progress.written ?? [], workspace }, texts);
  if (added.length === 0 && !surveyed) return undefined;
  const wizard: WizardProgress = {
    ...progress,
    ...(added.length > 0 ? { written: [...(progress.written ?? []), ...added] } : {}),
    ...(surveyed ? { survey: surveyed.survey } : {}),
  };
  const active = state.active.map((each) => (each === skill ? { ...skill, wizard } : each));
  return { active, texts };
}

/** Empties the list of the stage before: each is long, and a thread that holds them all is sent to every client. */
function dropSurvey(skill: ActiveSkill, active: State["active"]): State["texts"] {
  const key = skill.wizard?.survey?.key;
  const isShared = active.some((other) => other !== skill && other.wizard?.survey?.key === key);
  return key === undefined || isShared ? {} : { [key]: "" };
}

/** The files that the stage did not write before, as they are now, as long as there is room. */
function lookAtFresh(
  files: Named[],
  { stage, written, workspace }: { stage: string; written: WrittenFile[]; workspace: string },
  texts: State["texts"],
): WrittenFile[] {
  const known = written.filter((file) => file.stage === stage);
  if (known.some(({ kind }) => kind === "more")) return [];
  const fresh = new Map<string, Named>();
  for (const named of files) {
    if (!known.some(({ path }) => path === named.path)) fresh.set(named.path, named);
  }
  const room = MAX_FILES - known.length;
  const added = [...fresh.values()].slice(0, room).map((named) => look(named, stage, workspace, texts));
  return fresh.size > room ? [...added, { stage, path: "", kind: "more" }] : added;
}

/** A file as a call names it: below the workspace relative. `isWord`: as a command spells it. */
interface Named {
  path: string;
  isWord: boolean;
}

/** The files that a call is known to write, and whether it can write no others. */
function listWrites(call: PendingCall, bench: Bench): { writes: Named[]; isWhole: boolean } {
  const tool = bench.parts.toolbox.get(call.tool);
  const parsed = tool && parseInput(tool, call.input);
  if (!tool || !parsed?.ok) return { writes: [], isWhole: true };
  const policy = toPolicy(bench);
  try {
    const target = tool.target(parsed.input, toPlace(policy, bench.state));
    if (target.kind === "path") {
      const path = relative(policy.workspace, target.path);
      return { writes: target.access === "write" ? [{ path, isWord: false }] : [], isWhole: true };
    }
    const { writes } = describeCall(policy, { tool: "Bash", target });
    // What a caller's own tool does, nobody knows.
    const isWhole = target.kind !== "command" && tool.idempotent;
    return { writes: writes.map((path) => ({ path, isWord: true })), isWhole };
  } catch {
    return { writes: [], isWhole: true }; // It leads out of the workspace: the call fails, too, and says so.
  }
}

function look({ path, isWord }: Named, stage: string, workspace: string, texts: State["texts"]): WrittenFile {
  const found = lookAtNamed(path, workspace);
  if (isWord && found.kind === "none" && COMPUTED.test(path)) return { stage, path, kind: "unseen" };
  if (found.kind !== "text") return { stage, path, ...found };
  const mark = toTextKey(found.text);
  texts[mark] = found.text;
  return { stage, path, kind: "text", mark };
}

/** What is there now, behind the links that lead to it. */
export function lookAtNamed(path: string, workspace: string): FileLook {
  try {
    return lookAtFile(toRealPath(resolve(workspace, path)), workspace);
  } catch {
    return { kind: "outside" }; // Links without an end lead nowhere.
  }
}
