import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { Readable } from "node:stream";
import { SkillgraphError } from "../errors.ts";
import { readSlash } from "../graph/loading/slash.ts";
import { quoteWord } from "../skills/arguments/apply-arguments.ts";
import type { Catalog } from "../skills/catalog.ts";
import type { Skill } from "../skills/schema.ts";
import { toProgramName } from "./program-name.ts";

/** Largest file that `@file` adds, in bytes. */
const FILE_LIMIT = 256 * 1024;
/** Largest task, in bytes of UTF-8. Every checkpoint and every request to the model holds it. */
const TASK_LIMIT = 1024 * 1024;
/** One word behind the slash: a path has another slash in it. */
const SKILL_COMMAND = /^\s*\/([^\s/]+)(?=\s|$)/u;

type Names = Pick<Catalog, "get" | "skills"> & Partial<Pick<Catalog, "disabled">>;

/**
 * Reads the task: the words joined, or standard input for `-` or no words at all. `@file` adds the content of a
 * file to the words, `@@name` is a plain `@name`; standard input is taken as it is.
 *
 * @param words what was typed
 * @param input where the task may come from; undefined when that is a terminal
 * @throws SkillgraphError `usage` when there is no task, it is larger than 1 MiB, or a file cannot be added
 */
export async function readTask(words: string[], input: Readable | undefined): Promise<string> {
  const fromInput = words.length === 0 || (words.length === 1 && words[0] === "-");
  if (!fromInput) return addFiles(words);
  const task = input ? (await readText(input)).trim() : "";
  if (task !== "") return task;
  throw new SkillgraphError(
    "usage",
    `There is no task. Give it as words, for example: ${toProgramName()} run "sort inbox".`,
  );
}

/** The words of a task, with the content of each `@file` after them. */
export function addFiles(words: string[], folder: string = process.cwd()): string {
  const files = new Map<string, string>();
  const addFile = (name: string): string => {
    files.set(name, readFile(name, folder));
    return `@${name}`;
  };
  const text = words
    .map((word) => {
      // A name with blanks is one word when it was quoted for itself.
      if (/^@[^@]/.test(word) && existsSync(resolve(folder, word.slice(1)))) return addFile(word.slice(1));
      return word.replace(/(?<![^\s])@(\S+)/g, (whole, name: string) => {
        if (name.startsWith("@")) return name;
        const bare = name.replace(/[.,;:!?)"'\]]+$/, "");
        if (bare === "" || existsSync(resolve(folder, name))) return bare === "" ? whole : addFile(name);
        return addFile(bare) + name.slice(bare.length);
      });
    })
    .join(" ")
    .trim();
  if (text === "") throw new SkillgraphError("usage", "The task is empty.");
  checkTaskSize(text);
  const task = [text, ...[...files].map(([name, content]) => toBlock(name, content))].join("\n\n");
  if (Buffer.byteLength(task) > TASK_LIMIT) {
    const why = `larger than 1 MiB (${TASK_LIMIT} bytes)`;
    throw new SkillgraphError("usage", `The task with its files is ${why}. Name some files without the @.`);
  }
  return task;
}

/**
 * Refuses a task that is larger than 1 MiB.
 *
 * @throws SkillgraphError `usage`
 */
export function checkTaskSize(task: string): void {
  if (Buffer.byteLength(task) > TASK_LIMIT) throw toTooLarge("The task");
}

function toTooLarge(what: string): SkillgraphError {
  return new SkillgraphError(
    "usage",
    `${what} is larger than 1 MiB (${TASK_LIMIT} bytes). Put it in a file in the working folder, and name that file in the task.`,
  );
}

/**
 * Refuses a task that begins with `/name` when there is no such skill, or none that a person may load. The library
 * takes it as text; on a command line it is a typing mistake, unless a file has that name.
 *
 * @throws SkillgraphError `skill-unknown`
 */
export function checkSkillCommand(task: string, catalog: Names & Pick<Catalog, "nearest">): void {
  const name = SKILL_COMMAND.exec(task)?.[1]?.normalize("NFC");
  // The graph answers it, and names what is loaded.
  if (name === undefined || name === "unload" || isSkillCommand(task, catalog)) return;
  const skill = findClosed(task, catalog);
  if (skill) throw new SkillgraphError("skill-unknown", explainClosed(skill));
  if (!existsSync(`/${name}`)) throw toUnknownSkill(name, catalog);
}

/**
 * Refuses `--wizard` for a task that does not begin with a skill: only a named one can be worked through in stages.
 *
 * @throws SkillgraphError `usage`
 */
export function checkWizardTask(task: string, catalog: Names): void {
  if (readSlash({ text: task }, catalog).length > 0) return;
  throw new SkillgraphError(
    "usage",
    "--wizard needs the skill to work through: name it with --skill NAME, or begin the task with /NAME.",
  );
}

/** True for a message that loads a skill by `/name`, as the graph reads it: a name may hold blanks. */
export function isSkillCommand(message: string, catalog: Names): boolean {
  return /^\s*\//.test(message) && readSlash({ text: message }, catalog).length > 0;
}

/**
 * The error for a skill that is not there, with the names that are near.
 *
 * @param see the command that tells more; `why NAME` when absent
 */
export function toUnknownSkill(
  name: string,
  catalog: Pick<Catalog, "nearest" | "skills"> & Partial<Pick<Catalog, "disabled">>,
  see: string = `why ${quoteWord(name)}`,
): SkillgraphError {
  if (catalog.disabled?.some((skill) => skill.name === name.normalize("NFC"))) {
    const why = 'disabled by the settings: "skills.disabled" lists it';
    return new SkillgraphError(
      "skill-unknown",
      `The skill "${name}" is ${why}. See: ${toProgramName()} ${see}`,
    );
  }
  const nearest = catalog.nearest(name);
  const known = catalog.skills.slice(0, 10).map((skill) => skill.name);
  const more = catalog.skills.length > known.length ? ", …" : "";
  const choices =
    nearest.length > 0 ? `Nearest: ${nearest.join(", ")}` : `Known skills: ${known.join(", ")}${more}`;
  return new SkillgraphError(
    "skill-unknown",
    `No skill named "${name}". ${choices}. See: ${toProgramName()} ${see}`,
  );
}

/** The skill that is named and that no person can load. */
function findClosed(task: string, catalog: Names): Skill | undefined {
  const open = (skill: Skill): Skill => ({ ...skill, userInvocable: true });
  const get: Names["get"] = (name) => {
    const skill = catalog.get(name);
    return skill && open(skill);
  };
  const [named] = readSlash({ text: task }, { get, skills: catalog.skills.map(open) });
  return named && catalog.get(named.name);
}

function explainClosed({ name, modelInvocable }: Skill): string {
  return modelInvocable
    ? `Only the model can load the skill "${name}": its header says user-invocable: false.`
    : `Nobody can load the skill "${name}": its header forbids it to the model and to people.`;
}

async function readText(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    // The rest is not waited for: it may have no end.
    if (size > TASK_LIMIT) throw toTooLarge("The task on standard input");
    chunks.push(bytes);
  }
  return decode(Buffer.concat(chunks), "Standard input");
}

function readFile(name: string, folder: string): string {
  const path = isAbsolute(name) ? name : resolve(folder, name);
  const fail = (why: string) =>
    new SkillgraphError("usage", `@${name}: ${why}. Write @@${name} for the plain word "@${name}".`);
  if (!existsSync(path)) throw fail(`no file "${path}"`);
  const facts = statSync(path);
  if (!facts.isFile()) throw fail(`"${path}" is no file`);
  if (facts.size > FILE_LIMIT) {
    throw fail(`${facts.size} bytes are too many to add, at most ${FILE_LIMIT}; name the file without the @`);
  }
  return decode(readFileSync(path), `@${name}`);
}

function decode(bytes: Buffer, what: string): string {
  if (isUtf8(bytes)) return bytes.toString("utf8").replace(/^\uFEFF/, "");
  throw new SkillgraphError("usage", `${what} is no UTF-8 text.`);
}

/** A fence longer than any in the content, so that the content cannot end it. */
function toBlock(name: string, content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `File ${JSON.stringify(name)}:\n${fence}\n${content.replace(/\n$/, "")}\n${fence}`;
}
