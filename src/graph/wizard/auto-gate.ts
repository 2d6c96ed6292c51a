import type { State } from "../state.ts";
import { findOpenWizard, moveWizard } from "./wizard.ts";

/**
 * Opens the gate of a stage that says `auto`, where what was handed over needs nobody: it fits, and the values and
 * defaults of its form do, too.
 *
 * @returns the wizard as it goes on; undefined where a person has to be asked
 */
export function openAutoGate(state: Pick<State, "active" | "texts">, anchor: string) {
  const open = findOpenWizard(state);
  // Where the attempts are used up nothing was handed over, and the wizard itself takes no such answer.
  if (open?.stage.auto !== true || open.progress.status !== "gate") return undefined;
  const { gate, form } = open.stage;
  const hasOwnForm = gate === "form" && form !== undefined;
  const moved = moveWizard(
    state,
    open,
    hasOwnForm ? { type: "answer", values: {} } : { type: "approve" },
    anchor,
  );
  return "error" in moved ? undefined : moved;
}
