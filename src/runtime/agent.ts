import { join } from "node:path";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { Checkpointer } from "../checkpoint/checkpointer.ts";
import type { Leases } from "../checkpoint/lease.ts";
import { findLeases } from "../checkpoint/memory-lease.ts";
import { SkillgraphError } from "../errors.ts";
import { compileGraph } from "../graph/compile.ts";
import { createGraph } from "../graph/graph.ts";
import { fromLangChainTool } from "../graph/langchain-tool.ts";
import type { GraphParts } from "../graph/parts.ts";
import { toToolName } from "../permissions/rule.ts";
import type { Catalog } from "../skills/catalog.ts";
import { reduceEnvironment } from "../tools/process/environment.ts";
import { searchSkillsTool } from "../tools/search-skills.ts";
import { createSkillTool } from "../tools/skill.ts";
import type { Tool } from "../tools/tool.ts";
import { createToolbox } from "../tools/toolbox.ts";
import { createWebFetchTool } from "../tools/web-fetch.ts";
import { openCatalog } from "./catalog.ts";
import { checkOptions } from "./check-options.ts";
import { createModels, type Models } from "./models.ts";
import { addRules, createPolicy } from "./policy.ts";
import { findPackage } from "./project.ts";
import { createSandbox } from "./sandbox.ts";
import { loadSettings, type Settings, type SettingsOptions } from "./settings.ts";
import { openStore } from "./store.ts";
import { composeSystemPrompt } from "./system-prompt.ts";
import { createTrustDesk, markTrust } from "./trust/skill-trust.ts";

/** Options of {@link createSkillAgent}. Each default is what the settings files and the environment say. */
export interface SkillAgentOptions extends Omit<SettingsOptions, "model" | "mode"> {
  /** A model name, `offline`, or any LangChain chat model. */
  model?: string | BaseChatModel;
  /** LangChain tools beside the built-in ones, under the same permissions: unlisted, they ask. */
  tools?: readonly StructuredToolInterface[];
  /** Rules such as `Bash(git status:*)`, added to the settings' ones; `mode` as in `--ask`, `--deny`, `--allow`. */
  permissions?: {
    allow?: readonly string[];
    ask?: readonly string[];
    deny?: readonly string[];
    mode?: "ask" | "deny" | "allow";
  };
  /**
   * A saver of your own; `false` inside a server or a parent graph that brings one; `true` as a node of a parent graph
   * that is to keep skills from turn to turn. Default: the project's store.
   */
  checkpointer?: BaseCheckpointSaver | boolean;
  /** Added to the agent's own instructions. */
  systemPrompt?: string;
  /** A wizard skill that every new thread is worked through. The run's `context.wizard` may name another. */
  wizard?: string;
  /** Opens the gates of stages that say `auto`, where what was handed over fits. Default false. */
  autoGates?: boolean;
}

/** A compiled LangGraph graph: `invoke`, `stream`, `getState` and the rest, with the thread id in `configurable`. */
export type SkillAgent = ReturnType<typeof compileGraph>;

/** What the thread functions need to know of an agent beside its graph. */
export interface AgentFacts {
  settings: Settings;
  models: Models;
  catalog: () => Catalog;
  store?: Checkpointer;
  leases?: Leases;
}

const RESERVED_NAMES = [
  ...["Skill", "Read", "Write", "Edit", "Glob", "Grep", "Bash"],
  ...["WebFetch", "AskUser", "SearchSkills", "CompleteStage", "UnloadSkill"],
];

/** Characters of history in one request, about 100,000 tokens. */
const HISTORY_BUDGET = 400_000;

const facts = new WeakMap<object, AgentFacts>();

/**
 * Builds an agent over the skills of a folder and returns it as a compiled LangGraph graph.
 *
 * @param options what to set beside the settings files and the environment
 * @returns the graph; its threads are kept in the project's `.skillgraph/threads.db` unless `checkpointer` says
 * otherwise, so a thread id is all one needs to resume
 * @throws SkillgraphError `usage`, `settings-invalid`, `root-unknown`, `checkpoint-url-invalid` or
 * `checkpoint-unavailable`; a missing model key is reported at the first model call, as `model-key-missing`
 * @example
 * ```ts
 * import { createSkillAgent } from "skillgraph";
 * const agent = await createSkillAgent({ model: "offline", cwd: "examples/inbox" });
 * const config = { configurable: { thread_id: crypto.randomUUID() } };
 * const state = await agent.invoke({ messages: [{ role: "user", content: "/file-organizer inbox" }] }, config);
 * process.stdout.write(`${state.messages.at(-1)?.text}\n`);
 * ```
 */
export async function createSkillAgent(options: SkillAgentOptions = {}): Promise<SkillAgent> {
  checkOptions("createSkillAgent", options);
  const {
    model,
    tools = [],
    permissions = {},
    checkpointer,
    systemPrompt,
    wizard,
    autoGates = false,
    ...rest
  } = options;
  const settings = loadSettings({
    ...rest,
    ...(typeof model === "string" ? { model } : {}),
    ...(permissions.mode ? { mode: permissions.mode } : {}),
  });
  const models = createModels(settings, typeof model === "object" ? model : undefined);
  let seen: Catalog | undefined;
  let marked: Catalog | undefined;
  const trust = createTrustDesk(settings);
  const refreshCatalog = () => {
    seen = openCatalog(settings, seen);
    marked = markTrust(seen, trust.glance());
    return marked;
  };
  const catalog = () => marked ?? refreshCatalog();
  const parts: GraphParts = {
    refreshCatalog,
    catalog,
    trust,
    toolbox: createToolbox([
      createSkillTool("", []),
      searchSkillsTool,
      createWebFetchTool({
        userAgent: `skillgraph/${findPackage().version}`,
        privateHosts: settings.privateHosts,
      }),
      ...tools.map(toOwnTool),
    ]),
    chooseModel: models.choose,
    guesses: models.guesses,
    ...(wizard === undefined ? {} : { wizard: wizard.trim().normalize("NFC") }),
    policy: createPolicy(settings, permissions),
    skillPlaces: settings.skillPlaces,
    environment: reduceEnvironment(settings.environment, settings.workspace),
    sandbox: createSandbox(settings),
    privateHosts: settings.privateHosts,
    project: settings.project,
    rememberRules: (rules) => addRules(settings, rules),
    outputFolder: join(settings.stateFolder, "output"),
    systemPrompt: composeSystemPrompt(settings, systemPrompt),
    autoGates,
    maxSteps: settings.maxSteps,
    ...(settings.listingBudget === undefined ? {} : { listingBudget: settings.listingBudget }),
    catalogPlace: settings.catalogPlace,
    ...(settings.drift === undefined ? {} : { drift: settings.drift }),
    historyBudget: HISTORY_BUDGET,
  };
  const store = checkpointer === undefined ? await openStore(settings) : undefined;
  const saver = store?.saver ?? (checkpointer || undefined);
  const leases = store?.leases ?? (typeof saver === "object" ? findLeases(saver) : undefined);
  const agent = compileGraph(createGraph(parts), {
    ...(saver ? { checkpointer: saver } : {}),
    ...(leases ? { leases } : {}),
    ...(store ? { noteRun: (thread, run) => noteProgram(store, thread, run) } : {}),
  });
  facts.set(agent, { settings, models, catalog, ...(leases ? { leases } : {}), ...(store ? { store } : {}) });
  return agent;
}

/**
 * Keeps with a thread which version of this package runs it. That is for people: what a thread needs to be read is the
 * version of the graph, which its state holds.
 */
async function noteProgram(
  { threads }: Checkpointer,
  thread: string,
  { mayBegin }: { mayBegin: boolean },
): Promise<void> {
  const { version: program } = findPackage();
  if ((await threads.getThreadInfo(thread)).program === program) return;
  if (mayBegin || (await threads.hasThread(thread))) await threads.setThreadInfo(thread, { program });
}

/** What is known of an agent that {@link createSkillAgent} made. */
export function readAgentFacts(agent: SkillAgent): AgentFacts {
  const known = facts.get(agent);
  if (known) return known;
  throw new SkillgraphError("usage", "This graph was not returned by createSkillAgent().");
}

/**
 * Where the agent keeps its threads.
 *
 * @throws SkillgraphError `usage` for an agent that keeps none
 */
export function requireSaver(agent: SkillAgent): BaseCheckpointSaver {
  if (typeof agent.checkpointer === "object") return agent.checkpointer;
  throw new SkillgraphError("usage", "This agent keeps no threads: it was made without a checkpointer.");
}

/**
 * The model that serves when neither a skill nor a run's context names another, and why it is this one.
 *
 * @returns its name, and the reason in a few words
 * @throws SkillgraphError `usage` for a graph that {@link createSkillAgent} did not return
 * @example
 * ```ts
 * import { createSkillAgent, readModel } from "skillgraph";
 * const { name, reason } = readModel(await createSkillAgent());
 * process.stderr.write(`model ${name} (${reason})\n`);
 * ```
 */
export function readModel(agent: SkillAgent): { name: string; reason: string } {
  const { name, reason } = readAgentFacts(agent).models;
  return { name, reason };
}

/** Closes the agent's store. Threads stay; the agent cannot be used any more. */
export async function closeAgent(agent: SkillAgent): Promise<void> {
  await readAgentFacts(agent).store?.close();
}

/** A tool of the caller's under a built-in name would escape the rules that are written for that name. */
function toOwnTool(tool: StructuredToolInterface): Tool {
  if (!RESERVED_NAMES.includes(toToolName(tool.name))) return fromLangChainTool(tool);
  throw new SkillgraphError(
    "usage",
    `A tool cannot be named "${tool.name}": the names ${RESERVED_NAMES.join(", ")} and their aliases are taken.`,
  );
}
