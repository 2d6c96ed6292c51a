import {
  type BaseCheckpointSaver,
  CompiledStateGraph,
  END,
  getConfig,
  isCommand,
} from "@langchain/langgraph";
import type { Leases } from "../checkpoint/lease.ts";
import { checkAnswer, createAnswered, findAnswered, holdsAnswer, isAnswer } from "./check-answer.ts";
import { checkUpdate } from "./check-update.ts";
import { toEntry } from "./entry.ts";
import type { createGraph } from "./graph.ts";
import { settleNestedAnswer } from "./nested-answer.ts";
import { listAsked, listInterrupts } from "./nested-place.ts";
import { openNestedRun, refuseLateRun } from "./nested-run.ts";
import { closeRun, isRun, openRun, RUN_KEY } from "./run.ts";
import { checkThread } from "./upgrade/check-thread.ts";

type Builder = ReturnType<typeof createGraph>;
type Compiled = ReturnType<Builder["compile"]>;
type Fields = ConstructorParameters<typeof CompiledStateGraph>[0] &
  Pick<CompileOptions, "leases" | "noteRun">;
type StreamArguments = Parameters<Compiled["_streamIterator"]>;

/** Supersteps of one run. Our own counter ends a run long before, with a valid message list. */
const RECURSION_LIMIT = 10_000;

/** How a graph is compiled. */
export interface CompileOptions {
  /** Left out inside a server or a parent graph that brings its own; `true` keeps the state from turn to turn of a parent. */
  checkpointer?: BaseCheckpointSaver | true;
  /** One run for a thread, across processes. */
  leases?: Leases;
  /** Told of each run that the caller starts on a thread of the checkpointer, before its first step; one may begin the thread. */
  noteRun?: (thread: string, run: { mayBegin: boolean }) => Promise<void>;
}

/**
 * Compiles the graph so that every step is written before the next begins, and so that a thread has one run at
 * a time, however it is started: `invoke`, `stream`, `streamEvents`, or after `withConfig`.
 */
export function compileGraph(builder: Builder, options: CompileOptions): Compiled {
  const { checkpointer, leases, noteRun } = options;
  const plain = builder.compile({
    name: "skillgraph",
    description: "One loop over skills that can be watched, paused and resumed.",
    ...(checkpointer ? { checkpointer } : {}),
  });
  // LangGraph would build the schema of every update anew, at each write of a node: the nodes write our own values,
  // and what others write is checked in `bulkUpdateState`. The schema stays on the graph, where Studio reads it.
  plain.builder = Object.create(builder, { _schemaRuntimeDefinition: { value: undefined } });
  const held = { ...(leases ? { leases } : {}), ...(noteRun ? { noteRun } : {}) };
  const fields = { ...plain, builder, ...held } as unknown as Fields;
  const leased = new LeasedGraph(fields) as unknown as Compiled;
  return leased.withConfig({ durability: "sync", recursionLimit: RECURSION_LIMIT } as never) as Compiled;
}

/** A compiled graph whose runs hold the lease of their thread. */
class LeasedGraph extends CompiledStateGraph<unknown, unknown> {
  readonly leases?: Leases;
  readonly noteRun?: NonNullable<CompileOptions["noteRun"]>;

  constructor(fields: Fields) {
    super(fields as never);
    if (fields.leases) this.leases = fields.leases;
    if (fields.noteRun) this.noteRun = fields.noteRun;
  }

  /** `route` reads the context and says in words what does not fit; without one, even `configurable` would be checked. */
  override async _validateContext<Context>(context: Context): Promise<Context> {
    return context;
  }

  /** Takes the thread; whoever comes meanwhile is told which request is being answered. */
  async #openRun(
    entry: StreamArguments[0],
    configurable: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ) {
    const { leases, checkpointer: saver } = this;
    const { thread_id: thread } = configurable;
    if (thread === undefined) return openRun({ signal });
    const isKept = isAnswer(entry) && typeof saver === "object";
    const tuple = isKept ? await saver.getTuple({ configurable }) : undefined;
    const request = isAnswer(entry)
      ? findAnswered(entry, listInterrupts(listAsked(tuple?.pendingWrites)))
      : undefined;
    return openRun({ leases, thread: String(thread), signal, request });
  }

  /** The entry, once it is sure that its answer is for what is open. */
  async #checkAnswer(entry: StreamArguments[0], configurable: Record<string, unknown>) {
    if (!isAnswer(entry) || !this.checkpointer) return { entry, answers: false };
    await this.#refuseLateAnswer(configurable);
    const snapshot = await this.getState({ configurable });
    return { entry: checkAnswer(entry, snapshot) as StreamArguments[0], answers: true };
  }

  /** LangGraph gives a checkpoint that holds an answer that old one again, whatever the new one says. */
  async #refuseLateAnswer(configurable: Record<string, unknown>): Promise<void> {
    const saver = this.checkpointer;
    const { checkpoint_id: checkpoint, ...place } = configurable;
    if (checkpoint === undefined || typeof saver !== "object") return;
    const tuple = await saver.getTuple({ configurable });
    if (!tuple?.pendingWrites?.some(([, channel]) => channel === "__resume__")) return;
    const asked = await this.getState({ configurable });
    const newest = await this.getState({ configurable: place });
    throw createAnswered(String(checkpoint), asked, newest);
  }

  /**
   * Takes what was answered before a crash into the state, ahead of a new message: LangGraph would drop it, and its
   * record with it, and the message would pass for a withdrawal of what a person had decided.
   */
  async #takeAnswer(entry: StreamArguments[0], configurable: Record<string, unknown>): Promise<void> {
    const { checkpointer: saver } = this;
    if (entry === null || isCommand(entry) || typeof saver !== "object") return;
    const { thread_id: thread, checkpoint_id: checkpoint } = configurable;
    if (thread === undefined || checkpoint !== undefined) return;
    const tuple = await saver.getTuple({ configurable });
    if (!holdsAnswer(tuple?.pendingWrites)) return;
    await super.bulkUpdateState({ configurable }, [{ updates: [{ values: null, asNode: END }] }]);
  }

  /** What somebody writes by hand, as far as it may be written. */
  async #checkUpdates(
    supersteps: Parameters<Compiled["bulkUpdateState"]>[1],
    configurable: Record<string, unknown>,
  ): Promise<typeof supersteps> {
    const isKept = typeof this.checkpointer === "object" && configurable.thread_id !== undefined;
    const place = isKept ? await this.getState({ configurable }) : { next: [] };
    return supersteps.map(({ updates }) => ({
      updates: updates.map((update) => checkUpdate(update, place)),
    }));
  }

  /** `updateState` comes this way too. */
  override async bulkUpdateState(...[config, supersteps]: Parameters<Compiled["bulkUpdateState"]>) {
    const configurable = { ...this.config?.configurable, ...config?.configurable };
    const { thread_id: thread, [RUN_KEY]: given } = configurable;
    // The runtime's own updates come with the run that it holds.
    const isOurs = isRun(given);
    const run = isOurs
      ? undefined
      : await openRun({ leases: this.leases, thread: thread === undefined ? undefined : String(thread) });
    try {
      await checkThread(this.checkpointer, configurable);
      const checked = isOurs ? supersteps : await this.#checkUpdates(supersteps, configurable);
      return await super.bulkUpdateState(config, checked);
    } finally {
      if (run) await closeRun(run);
    }
  }

  override async *_streamIterator(
    ...[input, options]: StreamArguments
  ): ReturnType<Compiled["_streamIterator"]> {
    const begun = toEntry(input) as StreamArguments[0];
    const configurable = { ...this.config?.configurable, ...options?.configurable };
    const { thread_id: thread, [RUN_KEY]: given } = configurable;
    // A parent graph, or the runtime, has begun the run and ends it.
    const isOurs = !isRun(given);
    const isNested =
      configurable.__pregel_read !== undefined || configurable.__pregel_checkpointer !== undefined;
    const place = { checkpointer: this.checkpointer, control: findControl(options), signal: options?.signal };
    const open = () =>
      isNested ? openNestedRun(configurable, place) : this.#openRun(begun, configurable, place.signal);
    const run = isOurs ? await open() : given;
    run.nested = isNested;
    let restore: (() => void) | undefined;
    try {
      if (!isNested) await checkThread(this.checkpointer, configurable);
      // Only an answer to an open question may enter a paused tool again; whatever else comes is a crash.
      if (isNested) {
        if (isOurs) await refuseLateRun(configurable, place.control);
        const { checkpointer, control } = place;
        restore = await settleNestedAnswer(configurable, { isKept: checkpointer === true, control });
      }
      const { entry, answers } = isNested
        ? { entry: begun, answers: undefined }
        : await this.#checkAnswer(begun, configurable);
      if (answers !== undefined) run.answers = answers;
      if (!isNested) await this.#takeAnswer(entry, { ...configurable, [RUN_KEY]: run });
      // Without an input nothing begins.
      if (isOurs && !isNested && thread !== undefined)
        await this.noteRun?.(String(thread), { mayBegin: entry !== null });
      const config = {
        ...options,
        durability: "sync",
        configurable: { ...options?.configurable, [RUN_KEY]: run },
      };
      yield* super._streamIterator(entry as never, config as never) as ReturnType<
        Compiled["_streamIterator"]
      >;
    } finally {
      restore?.();
      if (isOurs) await closeRun(run);
    }
  }
}

/** LangGraph's mark of the whole run. An agent that a node calls without its config finds it around. */
function findControl(options: StreamArguments[1]): unknown {
  const around = getConfig() as { control?: unknown } | undefined;
  return (options as typeof around)?.control ?? around?.control;
}
