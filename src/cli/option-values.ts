import type { Command, Option } from "commander";

/**
 * Makes an option whose value was left out wrong usage, where the next option would be taken for it: of
 * `--answer --trust` the answer is not `--trust`. Such a value can still be given as `--answer=--trust`.
 *
 * @param program with all its commands
 */
export function refuseOptionsAsValues(program: Command): void {
  for (const command of listCommands(program)) {
    for (const option of command.options.filter(({ required }) => required)) {
      command.on(`option:${option.name()}`, (value: string) => check(program, command, option, value));
    }
  }
}

function check(program: Command, command: Command, option: Option, value: string): void {
  const word = value.split("=", 1)[0] ?? "";
  const known = [...command.options, ...(command.parent?.options ?? [])];
  if (!known.some(({ short, long }) => word === short || word === long)) return;
  const whole = `${option.long}=${value}`;
  const { rawArgs } = program as Command & { rawArgs: string[] }; // Public, and not in commander's types.
  if (rawArgs.includes(whole)) return;
  const message = `error: option '${option.flags}' argument missing, since '${word}' is an option. To give it as the value: ${whole}`;
  command.error(message, { code: "commander.optionMissingArgument" });
}

function listCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(listCommands)];
}
