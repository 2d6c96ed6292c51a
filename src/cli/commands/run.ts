import { SkillgraphError } from "../../errors.ts";
import { closeAgent, readAgentFacts, type SkillAgent } from "../../runtime/agent.ts";
import { listThreads } from "../../runtime/threads/list-threads.ts";
import { startThread } from "../../runtime/threads/threads.ts";
import { toRunExitCode } from "../exit-code.ts";
import { type RunFlags, toSettingsOptions } from "../flags.ts";
import { createWatcher, followRun, showDiagnostics } from "../follow.ts";
import { openAgent } from "../open-agent.ts";
import { toProgramName } from "../program-name.ts";
import { createScreen } from "../screen.ts";
import { checkSkillCommand, checkWizardTask, readTask, toUnknownSkill } from "../task.ts";

/** `skillgraph run`: starts a thread and runs to the answer or to a question. */
export async function runTask(words: string[], flags: RunFlags): Promise<number> {
  // Wrong flags are told before anybody types a task.
  toSettingsOptions(flags);
  const task = await readMessage(words, flags);
  const screen = createScreen();
  const agent = await openAgent(flags);
  try {
    const catalog = readAgentFacts(agent).catalog();
    if (flags.skill !== undefined && !catalog.get(flags.skill)) throw toUnknownSkill(flags.skill, catalog);
    checkSkillCommand(task, catalog);
    if (flags.wizard) checkWizardTask(task, catalog);
    showDiagnostics(agent, screen, flags);
    const thread = flags.continue ? await findNewest(agent) : undefined;
    const watcher = await createWatcher(agent, screen, flags);
    const end = await followRun(
      agent,
      (signal) =>
        startThread(agent, task, {
          signal,
          ...(thread === undefined ? {} : { thread }),
          ...(flags.wizard ? { wizard: true } : {}),
          ...(flags.name === undefined ? {} : { name: flags.name }),
        }),
      watcher,
    );
    return toRunExitCode(end);
  } finally {
    await closeAgent(agent);
  }
}

/** A skill that is named needs no words of its own. */
async function readMessage(words: string[], { skill }: RunFlags): Promise<string> {
  if (skill === undefined) return readTask(words, toInput());
  const task = words.length === 0 ? "" : await readTask(words, toInput());
  return `/${skill} ${task}`.trim();
}

function toInput(): NodeJS.ReadStream | undefined {
  return process.stdin.isTTY ? undefined : process.stdin;
}

/** A thread with an open question takes an answer first: a new message would drop the question. */
async function findNewest(agent: SkillAgent): Promise<string> {
  const threads = await listThreads(agent);
  const found = threads.find(({ status }) => status !== "waiting");
  if (found) return found.thread;
  const why =
    threads.length > 0
      ? `every thread waits for an answer; see: ${toProgramName()} threads`
      : "there are no threads yet";
  throw new SkillgraphError("thread-unknown", `There is no thread to continue: ${why}.`);
}
