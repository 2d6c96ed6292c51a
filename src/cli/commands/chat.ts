import { toMessage } from "../../errors.ts";
import { toUnloadEvents } from "../../graph/loading/unload.ts";
import { closeAgent, readAgentFacts, type SkillAgent } from "../../runtime/agent.ts";
import { endSkill } from "../../runtime/threads/history.ts";
import { findThread } from "../../runtime/threads/list-threads.ts";
import { readThread, resumeThread, startThread } from "../../runtime/threads/threads.ts";
import type { TakeCommand } from "../ask.ts";
import { createLineAsk } from "../ask-by-line.ts";
import { exitCodes, toErrorExitCode, toRunExitCode } from "../exit-code.ts";
import { toErrorCode } from "../failure.ts";
import { type ChatFlags, toSettingsOptions } from "../flags.ts";
import { createWatcher, followRun, type StartRun, showDiagnostics, type Watcher } from "../follow.ts";
import { openLines } from "../lines.ts";
import { openAgent } from "../open-agent.ts";
import type { Renderer } from "../render.ts";
import { renderResume } from "../render-request.ts";
import { toJsonLine, toSafeLine } from "../safe-text.ts";
import { createScreen, note, type Screen } from "../screen.ts";
import { checkSkillCommand, checkTaskSize, isSkillCommand } from "../task.ts";

/** One conversation. */
interface Chat {
  agent: SkillAgent;
  screen: Screen;
  isJson: boolean;
  thread?: string;
  /** How the last run ended. */
  status?: string;
  /** The exit code of the last turn. */
  code: number;
  /** A message that was typed at an open question. */
  next?: string;
  isOver: boolean;
}

const HELP =
  "/NAME ARGUMENTS or /skill NAME ARGUMENTS loads a skill, /unload NAME ends it, /skills lists them, /later leaves a question open, /quit ends.";

/** `skillgraph chat`: the same loop as `run`, turn by turn, from a terminal or from lines in a pipe. */
export async function chat(flags: ChatFlags): Promise<number> {
  toSettingsOptions(flags);
  const screen = createScreen();
  const agent = await openAgent(flags);
  const lines = openLines(process.stdin, process.stderr);
  try {
    showDiagnostics(agent, screen, flags);
    const isJson = flags.json === true;
    const state: Chat = { agent, screen, isJson, code: exitCodes.finished, isOver: false };
    const takeCommand: TakeCommand = (line) => takeAtQuestion(state, line);
    const watcher = await createWatcher(agent, screen, flags, takeCommand);
    watcher.ask ??= createLineAsk(lines, screen, { isQuiet: isJson, takeCommand });
    watcher.renderer = createChatRenderer(watcher.renderer, state);
    if (flags.thread !== undefined) await reopen(state, watcher, flags.thread);
    if (process.stdin.isTTY) note(screen, screen.err.colors.dim(HELP));
    while (!state.isOver) {
      const line = state.next ?? (await lines.next("> "));
      delete state.next;
      if (line === undefined || line.trim() === "/quit") break;
      if (line.trim() !== "") await takeLine(state, watcher, line.trim());
    }
    if (state.thread !== undefined && watcher.carried !== undefined) {
      const words = renderResume(state.thread, watcher.carried);
      note(screen, `Go on with: ${words.replace(" resume ", " chat --thread ")}`);
    }
    return state.code;
  } finally {
    lines.close();
    await closeAgent(agent);
  }
}

/** Keeps what the next turn must know, and does not print how to answer a question that is about to be dropped. */
function createChatRenderer(renderer: Renderer, state: Chat): Renderer {
  return {
    show: (event) => {
      if (event.type === "run-start" || event.type === "run-end") state.thread = event.thread;
      if (event.type === "run-end") state.status = event.status;
      renderer.show(event);
    },
    finish: (...rest) => {
      if (state.next === undefined) renderer.finish(...rest);
    },
  };
}

/** A thread that waits must be answered first: a message would drop its question. */
async function reopen(state: Chat, watcher: Watcher, prefix: string): Promise<void> {
  state.thread = await findThread(state.agent, prefix);
  state.status = (await readThread(state.agent, state.thread)).status;
  if (state.status !== "finished") await takeTurn(state, watcher, goOn(state, state.thread));
}

async function takeLine(state: Chat, watcher: Watcher, line: string): Promise<void> {
  const { agent, screen } = state;
  if (await takeCommand(state, line)) return;
  const { thread } = state;
  const message = toChatMessage(line);
  const catalog = readAgentFacts(agent).catalog();
  const isCommand = isSkillCommand(message, catalog);
  // An open question takes its answer before anything new is said.
  if (isWaiting(state) && thread !== undefined && !isCommand) {
    await takeTurn(state, watcher, goOn(state, thread));
    if (state.next !== undefined || isWaiting(state))
      return note(screen, "Your line was not sent: the question above was not answered.");
  }
  await takeTurn(state, watcher, (signal) => {
    checkSkillCommand(message, catalog);
    checkTaskSize(message);
    if (isWaiting(state)) note(screen, "The open question is dropped: the new message takes its place.");
    return startThread(agent, message, { signal, ...(thread === undefined ? {} : { thread }) });
  });
}

/** What a line with a `/` does at an open question. A name that no skill has may be a path, and so an answer. */
async function takeAtQuestion(state: Chat, line: string): ReturnType<TakeCommand> {
  if (line === "/quit") state.isOver = true;
  if (line === "/quit" || line === "/later") return "leave";
  if (await takeCommand(state, line)) return "again";
  const message = toChatMessage(line);
  const catalog = readAgentFacts(state.agent).catalog();
  try {
    checkSkillCommand(message, catalog);
  } catch (error) {
    note(state.screen, `${toSafeLine(toMessage(error), 500)} As an answer, write it in double quotes.`);
    return "again";
  }
  if (!isSkillCommand(message, catalog)) return "answer";
  state.next = message;
  return "leave";
}

/** Does what needs no run. */
async function takeCommand(state: Chat, line: string): Promise<boolean> {
  const { agent, screen } = state;
  const [word, name] = line.split(/\s+/);
  if (word === "/skills") listSkills(agent, screen);
  else if (word === "/help") note(screen, HELP);
  // Where a question is asked it was taken before; a skill of this name is one.
  else if (line === "/later" && !isSkillCommand(line, readAgentFacts(agent).catalog()))
    note(screen, isWaiting(state) ? "The question stays open." : "Nothing is open.");
  else if (word === "/unload" && !isSkillCommand(line, readAgentFacts(agent).catalog()))
    await unload(state, line.slice(word.length).trim());
  else if (word === "/skill" && name === undefined) note(screen, "Which skill? /skill NAME ARGUMENTS");
  else return false;
  return true;
}

/** `/skill NAME ARGUMENTS` is `/NAME ARGUMENTS`. */
function toChatMessage(line: string): string {
  return line.replace(/^\/skill\s+/, "/");
}

function goOn({ agent }: Chat, thread: string): StartRun {
  return (signal) => resumeThread(agent, thread, { signal });
}

function isWaiting(state: Chat): boolean {
  return state.status === "waiting";
}

/** One failed turn does not end the conversation. */
async function takeTurn(state: Chat, watcher: Watcher, start: StartRun): Promise<void> {
  const { agent, screen, isJson, thread } = state;
  try {
    state.code = toRunExitCode(await followRun(agent, start, watcher));
  } catch (error) {
    state.code = toErrorExitCode(error);
    const message = toSafeLine(toMessage(error), 2000);
    note(screen, screen.err.colors.red(`skillgraph: ${message}`));
    if (!isJson) return;
    const known = thread === undefined ? {} : { thread };
    const failure = { code: toErrorCode(error), message };
    screen.out.write(toJsonLine({ type: "run-end", status: "failed", ...known, error: failure }));
  }
}

function listSkills(agent: SkillAgent, screen: Screen): void {
  for (const { name, description, userInvocable } of readAgentFacts(agent).catalog().skills) {
    if (!userInvocable) continue;
    const shown = `/${toSafeLine(name)}`;
    const room = Math.max(20, screen.err.columns - shown.length - 2);
    note(screen, `${shown}  ${toSafeLine(description, room)}`);
  }
}

async function unload(state: Chat, name: string): Promise<void> {
  const { agent, screen, thread, isJson } = state;
  const { skills } = thread === undefined ? { skills: [] } : await readThread(agent, thread);
  const loaded =
    skills.length === 0 ? "None is." : `Loaded: ${skills.map((skill) => skill.name).join(", ")}.`;
  if (name === "") return note(screen, toSafeLine(`Which skill? /unload NAME. ${loaded}`, 500));
  if (thread === undefined || !skills.some((skill) => skill.name === name.normalize("NFC"))) {
    return note(screen, toSafeLine(`Skill ${name} is not loaded on this thread. ${loaded}`, 500));
  }
  const shown = toSafeLine(name);
  const ended = await endSkill(agent, thread, name);
  if (!ended) {
    const advice = `answer what is open, then /unload ${shown}`;
    return note(screen, `Skill ${shown} stays until the thread has come to its end: ${advice}.`);
  }
  for (const event of toUnloadEvents(ended, "person")) {
    if (isJson) screen.out.write(toJsonLine(event));
    else if (event.type === "stage-end")
      note(screen, `Its wizard was stopped at the stage ${toSafeLine(event.stage)}.`);
  }
  note(screen, `Skill ${shown} unloaded.`);
}
