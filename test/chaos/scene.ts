import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder with a wizard of three stages, and a home folder without settings. */
export interface Scene {
  folder: string;
  home: string;
  remove: () => void;
}

const SKILL = "skills/ship";

const FILES: Record<string, string> = {
  [`${SKILL}/SKILL.md`]: "---\nname: ship\ndescription: Ships a parcel in stages.\n---\nINTRO: ship it.\n",
  [`${SKILL}/stages/01-look.md`]: toStage(
    ["title: Look", "output: { type: object, required: [round], properties: { round: { type: integer } } }"],
    "STAGE-LOOK: look around.",
  ),
  [`${SKILL}/stages/02-plan.md`]: toStage(
    [
      "title: Plan",
      "gate: form",
      "output: { type: object, required: [round], properties: { round: { type: integer } } }",
      "form: { type: object, required: [days], properties: { days: { type: integer }, note: { type: string } } }",
      "check: bash effect.sh check",
    ],
    "STAGE-PLAN: make a plan.",
  ),
  [`${SKILL}/stages/03-send.md`]: toStage(["title: Send", "gate: none"], "STAGE-SEND: send it."),
  "todo.txt": "TODO\n",
  // An effect of two lines. The file `kill` names the place at which it ends the process that started it.
  "effect.sh": [
    "id=$1",
    "reach() {",
    "  [ -f kill ] || return 0",
    "  read -r place victim < kill",
    '  [ "$place" = "effect:$id:$1" ] || return 0',
    // The group of a command is noted right after its start, and a kill of its own must not come before that.
    '  rm kill; echo $$ > orphan; sleep 0.5; kill -9 "$victim"; sleep 30; exit 1',
    "}",
    'reach before; echo "$id:1" >> log; reach middle; echo "$id:2" >> log; reach after',
    'echo "did $id"',
  ].join("\n"),
};

/** Makes the folders; remove them in the end. */
export function createScene(): Scene {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-chaos-")));
  const folder = join(root, "work");
  const home = join(root, "home");
  mkdirSync(home, { recursive: true });
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, home, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** The effects of commands and of the caller's tool, in order, as `id:1` and `id:2`. */
export function readEffects(folder: string): string[] {
  return readText(folder, "log").split("\n").filter(Boolean);
}

/** The text of a file; empty when it is not there. */
export function readText(folder: string, path: string): string {
  try {
    return readFileSync(join(folder, path), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function toStage(header: string[], body: string): string {
  return `---\n${header.join("\n")}\n---\n\n${body}\n`;
}
