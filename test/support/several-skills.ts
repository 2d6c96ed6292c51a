import type { SkillAgent } from "../../src/index.ts";
import { answer, send } from "./agent.ts";
import type { ChatRequest, Turn } from "./openai-server.ts";
import { readPrompt } from "./wizard.ts";
import { skillText, type Workspace } from "./workspace.ts";

/** An answer in words. */
export const ok = { text: "ok" };

/** A call that loads a skill. */
export const load = (name: string, id = `load-${name}`, words?: string) => ({
  id,
  name: "Skill",
  arguments: { name, ...(words === undefined ? {} : { arguments: words }) },
});

/** A turn that writes a file at each path. */
export function writes(...paths: string[]): Turn {
  return {
    calls: paths.map((path, index) => ({
      id: `w${index}`,
      name: "Write",
      arguments: { path, content: "x" },
    })),
  };
}

/** Skills of these headers; the text of `a` is `TEXT-a`, and its arguments. */
export function toFiles(headers: Record<string, Record<string, string>>, settings: object = {}) {
  const files = Object.entries(headers).map(([name, header]) => [
    `skills/${name}/SKILL.md`,
    skillText({ name, description: `Knows ${name}.`, ...header }, `TEXT-${name} [$ARGUMENTS]`),
  ]);
  return { "skillgraph.json": JSON.stringify(settings), ...Object.fromEntries(files) };
}

/** Loads skills in this order, each by a message of its own; the script has an answer for each. */
export async function loadInOrder(agent: SkillAgent, names: string[], thread?: string): Promise<string> {
  let id = thread;
  for (const name of names) {
    const { end } = await send(agent, `/${name}`, id === undefined ? {} : { thread: id });
    id = end.thread;
  }
  return id ?? "";
}

/** What becomes of each file that the model writes next: a person, where one is asked, says no. */
export async function tryWrites(agent: SkillAgent, workspace: Workspace, thread: string, paths: string[]) {
  const { end } = await send(agent, "write", { thread });
  const asked = end.request?.items.map(({ args }) => String(args.path)) ?? [];
  if (asked.length > 0) {
    await answer(agent, thread, { reply: { decisions: asked.map(() => ({ type: "reject" })) } });
  }
  return paths.map((path) => (workspace.exists(path) ? "ran" : asked.includes(path) ? "asked" : "refused"));
}

/** The texts of the skills that stand in a request, in their order. */
export function listTexts(request: ChatRequest | undefined): string[] {
  return readPrompt(request).match(/TEXT-\w+ \[.*?\]/g) ?? [];
}
