import { Command, InvalidArgumentError, Option } from "commander";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import type { Commands } from "./command-list.ts";
import type {
  CatalogFlags,
  ChatFlags,
  CommonFlags,
  DemoFlags,
  GraphFlags,
  LintFlags,
  NewFlags,
  ResumeFlags,
  RunFlags,
  TrustFlags,
} from "./flags.ts";
import { jsonFlag } from "./json-flag.ts";
import { refuseOptionsAsValues } from "./option-values.ts";
import { addThreads } from "./program-threads.ts";

/**
 * Builds the command line. It throws CommanderError instead of exiting, and writes no errors of its own.
 *
 * @param commands what to call
 * @param version what `--version` prints
 * @param onEnd told the exit code of the command that ran
 */
export function createProgram(commands: Commands, version: string, onEnd: (code: number) => void): Command {
  const program = new Command("skillgraph")
    .description("Runs Agent Skills as a LangGraph state graph that people can watch, pause and resume.")
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
  const finish = async (code: Promise<number>) => onEnd(await code);

  addRunFlags(program.command("run").description("start a thread and run to the answer or to a question"))
    .argument("[task...]", "what to do, in words; - reads standard input, @file adds a file, @@ is a plain @")
    .option("--skill <name>", "load this skill first, as /NAME does")
    .option("--wizard", "work through the named skill stage by stage, with a gate after each")
    .option("--name <text>", "name the thread for lists")
    .option("--continue", "write on the newest thread that waits for nothing")
    .action((words: string[], flags: RunFlags) => finish(commands.run(words, flags)));

  addRunFlags(program.command("resume").description("answer what is open, or go on after a stop or a crash"))
    .argument(
      "[thread]",
      "id, or a unique beginning of it; without one, an answer is for the only one that waits",
    )
    .option("--approve", "yes to everything that is asked")
    .option("--always", "with --approve: also add the shown rules to your settings for this project")
    .option("--reject <text>", "no, and why")
    .option(
      "--edit <json>",
      'new arguments for the open call, or {"<item id>": {…}}; at a stage, what changes',
    )
    .option("--answer <value>", "the answer to a question: JSON, or text; at a form, its values")
    .option("--goto <stage>", `go back to a stage, or ${END_STAGE} to stop the wizard`)
    .option("--request <id>", "answer only this request")
    .addOption(
      new Option("--drift <choice>", "what becomes of a skill whose files changed (default pin)").choices([
        "pin",
        "ask",
        "refresh",
      ]),
    )
    .action((thread: string | undefined, flags: ResumeFlags) => finish(commands.resume(thread, flags)));

  addRunFlags(program.command("chat").description("talk turn by turn"))
    .option("--thread <id>", "go on with this thread")
    .action((flags: ChatFlags) => finish(commands.chat(flags)));

  addThreads(program, commands, finish);

  addCatalogFlags(program.command("list").description("the skills that are offered")).action(
    (flags: CatalogFlags) => finish(commands.list(flags)),
  );

  addCatalogFlags(program.command("show").description("one skill: its header, its files, its instructions"))
    .argument("<name>", "the skill's name")
    .action((name: string, flags: CatalogFlags) => finish(commands.show(name, flags)));

  addCatalogFlags(program.command("why").description("where a skill's name leads, and why nowhere else"))
    .argument("<name>", "the name")
    .action((name: string, flags: CatalogFlags) => finish(commands.why(name, flags)));

  program
    .command("trust")
    .description("let the files of a folder do more than tighten")
    .argument("[dir]", "the folder; the current project by default")
    .option("--remove", "take the trust back")
    .option("--list", "show what is trusted")
    .addOption(jsonFlag())
    .action((folder: string | undefined, flags: TrustFlags) => finish(commands.trust(folder, flags)));

  addCommonFlags(program.command("doctor").description("what is in force and why, and what is wrong")).action(
    (flags: CommonFlags) => finish(commands.doctor(flags)),
  );

  addCatalogFlags(program.command("graph").description("the agent's loop, or a wizard's stages, for Mermaid"))
    .argument("[skill]", "a wizard skill")
    .option("--wizard", "take the skill's stage headings, also where it is not marked as a wizard")
    .action((skill: string | undefined, flags: GraphFlags) => finish(commands.graph(skill, flags)));

  program
    .command("lint")
    .description("what is wrong with skills, by the specification; errors exit with 1")
    .argument("[path...]", "skills, or folders with skills below; those of the project by default")
    .option("--fix", "mend what can be mended without a person, and show what is left")
    .option("--sarif", "a SARIF 2.1.0 document on standard output, for code hosts")
    .option("--cwd <dir>", "working folder")
    .addOption(jsonFlag())
    .action((paths: string[], flags: LintFlags) => finish(commands.lint(paths, flags)));

  program
    .command("new")
    .description("write a new skill into ./skills, to be changed and run")
    .argument("<name>", "its name: lower-case letters, digits and single hyphens")
    .option("--wizard", "with stages, and a gate between them")
    .option("--cwd <dir>", "working folder")
    .addOption(jsonFlag())
    .action((name: string, flags: NewFlags) => finish(commands.new(name, flags)));

  program
    .command("demo")
    .description("run the main job on a temporary folder, with every step told")
    .option("--keep", "keep the temporary folder")
    .addOption(jsonFlag())
    .action((flags: DemoFlags) => finish(commands.demo(flags)));
  refuseOptionsAsValues(program);
  return program;
}

function addCatalogFlags(command: Command): Command {
  return command
    .option("--skills <dir>", "a folder of skills, trusted and before all others (repeatable)", collect)
    .option("--trust", "trust the project and its skills for this command")
    .option("--cwd <dir>", "working folder")
    .addOption(jsonFlag());
}

function addCommonFlags(command: Command): Command {
  return addCatalogFlags(command)
    .option("--model <name>", "the model, or offline")
    .option("--ask", "ask before what no rule allows (default)")
    .option("--deny", "refuse what would ask, and go on")
    .option("--allow", "allow what would ask, and load skills that nobody trusted")
    .option("--max-steps <n>", "model calls of one run", parseCount)
    .addOption(
      new Option("--sandbox <mode>", "whether commands are confined (default auto: where it works)").choices([
        "auto",
        "required",
        "off",
      ]),
    )
    .option(
      "--checkpoint <url>",
      "where threads are kept: sqlite:./threads.db or postgres://user@host/database",
    );
}

function addRunFlags(command: Command): Command {
  return addCommonFlags(command).option(
    "--auto-gates",
    "open the gates of stages that say auto, when what they hand over fits",
  );
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function parseCount(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Give a whole number above 0.");
}
