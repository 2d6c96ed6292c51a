import { SkillgraphError } from "../../errors.ts";
import { closeAgent, type SkillAgent } from "../../runtime/agent.ts";
import { findThread, readThread, resumeThread } from "../../runtime/threads.ts";
import { toRunExitCode } from "../exit-code.ts";
import type { ResumeFlags } from "../flags.ts";
import { createWatcher, followRun, showDiagnostics } from "../follow.ts";
import { openAgent } from "../open-agent.ts";
import { pickAnswer, type Reply, toReply } from "../reply.ts";
import { createScreen } from "../screen.ts";

/** `skillgraph resume`: answers what is open, or goes on with what was left. */
export async function resumeRun(prefix: string | undefined, flags: ResumeFlags): Promise<number> {
  pickAnswer(flags);
  const screen = createScreen();
  const agent = await openAgent(flags, { isOnlyForKept: true });
  try {
    const thread = await findThread(agent, prefix);
    const { request, reply } = await readReplyTo(agent, thread, flags);
    showDiagnostics(agent, screen, flags);
    const watcher = await createWatcher(agent, screen, flags);
    const answer = {
      ...(reply === undefined ? {} : { reply }),
      ...(request === undefined ? {} : { request }),
    };
    const end = await followRun(
      agent,
      (signal) => resumeThread(agent, thread, { ...answer, signal }),
      watcher,
    );
    return toRunExitCode(end);
  } finally {
    closeAgent(agent);
  }
}

/** Without `--request`, the answer is for the request that is open now, and for no later one. */
async function readReplyTo(
  agent: SkillAgent,
  thread: string,
  flags: ResumeFlags,
): Promise<{ request?: string; reply?: Reply }> {
  const { request, status, stage } = await readThread(agent, thread);
  const wanted = flags.request === undefined ? "" : `, so request "${flags.request}" is not open on it`;
  const isAnswer = pickAnswer(flags) !== undefined;
  if (!request && (isAnswer || wanted !== "")) {
    throw new SkillgraphError(
      "nothing-pending",
      `Thread ${thread} is ${status} and waits for no answer${wanted}.`,
    );
  }
  if (!request) return {};
  if (flags.request !== undefined && flags.request !== request.id) {
    const message = `Request "${flags.request}" is not open on thread ${thread}. Open: "${request.id}".`;
    throw new SkillgraphError("request-unknown", message);
  }
  const reply = toReply(flags, request, stage);
  return reply ? { request: request.id, reply } : { request: request.id };
}
