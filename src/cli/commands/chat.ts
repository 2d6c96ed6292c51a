import { toMessage } from "../../errors.ts";
import { closeAgent, createSkillAgent, readAgentFacts, type SkillAgent } from "../../runtime/agent.ts";
import { unloadSkill } from "../../runtime/history.ts";
import { findThread, readThread, resumeThread, startThread } from "../../runtime/threads.ts";
import { createLineAsk } from "../ask-by-line.ts";
import { exitCodes } from "../exit-code.ts";
import { type ChatFlags, toAgentOptions } from "../flags.ts";
import { createWatcher, followRun, type StartRun, showDiagnostics, type Watcher } from "../follow.ts";
import { openLines } from "../lines.ts";
import { renderResume } from "../render-request.ts";
import { toSafeLine } from "../safe-text.ts";
import { createScreen, note, type Screen } from "../screen.ts";
import { checkSkillCommand } from "../task.ts";

/** One conversation. */
interface Chat {
  agent: SkillAgent;
  screen: Screen;
  watcher: Watcher;
  thread?: string;
  /** How the last turn ended. */
  status?: string;
}

const HELP =
  "/NAME ARGUMENTS or /skill NAME ARGUMENTS loads a skill, /unload NAME ends it, /skills lists them, /quit ends.";

/** `skillgraph chat`: the same loop as `run`, turn by turn, from a terminal or from lines in a pipe. */
export async function chat(flags: ChatFlags): Promise<number> {
  const options = toAgentOptions(flags);
  const screen = createScreen();
  const agent = await createSkillAgent(options);
  const lines = openLines(process.stdin, process.stderr);
  try {
    showDiagnostics(agent, screen);
    const watcher = await createWatcher(screen, flags);
    watcher.ask ??= createLineAsk(lines, screen, flags.json === true);
    const state: Chat = { agent, screen, watcher };
    if (flags.thread !== undefined) await reopen(state, flags.thread);
    if (process.stdin.isTTY) note(screen, screen.err.colors.dim(HELP));
    for (;;) {
      const line = await lines.next("> ");
      if (line === undefined || line.trim() === "/quit") break;
      if (line.trim() !== "") await takeLine(state, line.trim());
    }
    if (state.thread !== undefined)
      note(screen, `Go on with: skillgraph chat --thread ${toThreadFlags(state)}`);
    return state.status === "waiting" ? exitCodes.waiting : exitCodes.finished;
  } finally {
    lines.close();
    closeAgent(agent);
  }
}

/** A thread that waits must be answered first: a message would drop its question. */
async function reopen(state: Chat, prefix: string): Promise<void> {
  state.thread = await findThread(state.agent, prefix);
  const { status } = await readThread(state.agent, state.thread);
  state.status = status;
  if (status !== "finished") await takeTurn(state, goOn(state, state.thread));
}

async function takeLine(state: Chat, line: string): Promise<void> {
  const { agent, screen } = state;
  const [word = "", ...rest] = line.split(/\s+/);
  if (word === "/skills") return listSkills(agent, screen);
  if (word === "/help") return note(screen, HELP);
  if (word === "/unload") return unload(state, rest[0]);
  const message = word === "/skill" ? `/${rest.join(" ")}` : line;
  if (word === "/skill" && rest.length === 0) return note(screen, "Which skill? /skill NAME ARGUMENTS");
  const { thread } = state;
  // An open question takes its answer before anything new is said.
  if (state.status === "waiting" && thread !== undefined) {
    await takeTurn(state, goOn(state, thread));
    if (isWaiting(state)) return note(screen, "Your line was not sent: the question above is still open.");
  }
  await takeTurn(state, (signal) => {
    checkSkillCommand(message, readAgentFacts(agent).catalog());
    return startThread(agent, message, { signal, ...(thread === undefined ? {} : { thread }) });
  });
}

function goOn({ agent }: Chat, thread: string): StartRun {
  return (signal) => resumeThread(agent, thread, { signal });
}

function isWaiting(state: Chat): boolean {
  return state.status === "waiting";
}

/** One failed turn does not end the conversation. */
async function takeTurn(state: Chat, start: StartRun): Promise<void> {
  try {
    const end = await followRun(state.agent, start, state.watcher);
    state.thread = end.thread;
    state.status = end.status;
  } catch (error) {
    note(state.screen, state.screen.err.colors.red(`skillgraph: ${toSafeLine(toMessage(error), 2000)}`));
  }
}

function listSkills(agent: SkillAgent, screen: Screen): void {
  for (const { name, description } of readAgentFacts(agent).catalog().skills) {
    note(screen, toSafeLine(`/${name}  ${description}`, screen.err.columns));
  }
}

async function unload({ agent, screen, thread }: Chat, name: string | undefined): Promise<void> {
  if (name === undefined) return note(screen, "Which skill? /unload NAME");
  const isUnloaded = thread !== undefined && (await unloadSkill(agent, thread, name));
  note(
    screen,
    isUnloaded
      ? `Skill ${toSafeLine(name)} unloaded.`
      : `Skill ${toSafeLine(name)} is not loaded on this thread.`,
  );
}

function toThreadFlags({ thread = "", watcher }: Chat): string {
  return renderResume(thread, watcher.carried).replace("skillgraph resume ", "");
}
