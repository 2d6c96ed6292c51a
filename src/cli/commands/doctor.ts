import type { Check } from "../../runtime/doctor/check.ts";
import { examine } from "../../runtime/doctor/doctor.ts";
import { exitCodes } from "../exit-code.ts";
import { type CommonFlags, toSettingsOptions } from "../flags.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, print, type Screen } from "../screen.ts";

/** `skillgraph doctor`: what is in force and why, and what is wrong. */
export async function runDoctor(flags: CommonFlags): Promise<number> {
  const screen = createScreen();
  const checks = await examine(toSettingsOptions(flags));
  if (flags.json) screen.out.write(toJsonDocument({ checks }));
  else for (const check of checks) printCheck(check, screen);
  return checks.some(({ status }) => status === "error") ? exitCodes.failed : exitCodes.finished;
}

function printCheck({ name, status, text }: Check, screen: Screen): void {
  const { colors } = screen.out;
  const marks = { ok: colors.green("ok"), warning: colors.yellow("! "), error: colors.red("✗ ") };
  print(screen, `${marks[status]} ${colors.bold(name)}: ${toSafeLine(text, 4096)}`);
}
