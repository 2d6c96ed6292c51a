import { type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, Command, CompiledStateGraph, END, isCommand } from "@langchain/langgraph";
import type { Leases } from "../checkpoint/lease.ts";
import type { createGraph } from "./graph.ts";
import { ensureId } from "./message-id.ts";
import { closeRun, isRun, openRun, RUN_KEY } from "./run.ts";

type Builder = ReturnType<typeof createGraph>;
type Compiled = ReturnType<Builder["compile"]>;
type Fields = ConstructorParameters<typeof CompiledStateGraph>[0] & { leases?: Leases };
type StreamArguments = Parameters<Compiled["_streamIterator"]>;

/** Supersteps of one run. Our own counter ends a run long before, with a valid message list. */
const RECURSION_LIMIT = 10_000;

/** How a graph is compiled. */
export interface CompileOptions {
  /** Left out when the graph runs inside a server or a parent graph that brings its own. */
  checkpointer?: BaseCheckpointSaver;
  /** One run for a thread, across processes. */
  leases?: Leases;
}

/**
 * Compiles the graph so that every step is written before the next begins, and so that a thread has one run at
 * a time, however it is started: `invoke`, `stream`, `streamEvents`, or after `withConfig`.
 */
export function compileGraph(builder: Builder, options: CompileOptions): Compiled {
  const { checkpointer, leases } = options;
  const plain = builder.compile({
    name: "skillgraph",
    description: "One loop over skills that can be watched, paused and resumed.",
    ...(checkpointer ? { checkpointer } : {}),
  });
  const fields = { ...plain, ...(leases ? { leases } : {}) } as unknown as Fields;
  const leased = new LeasedGraph(fields) as unknown as Compiled;
  return leased.withConfig({ durability: "sync", recursionLimit: RECURSION_LIMIT } as never) as Compiled;
}

/** A compiled graph whose runs hold the lease of their thread. */
class LeasedGraph extends CompiledStateGraph<unknown, unknown> {
  readonly leases?: Leases;

  constructor(fields: Fields) {
    super(fields as never);
    if (fields.leases) this.leases = fields.leases;
  }

  /** `route` reads the context and says in words what does not fit; without one, even `configurable` would be checked. */
  override async _validateContext<Context>(context: Context): Promise<Context> {
    return context;
  }

  async #isAnswer(input: StreamArguments[0], options: StreamArguments[1]): Promise<boolean> {
    if (!isCommand(input) || input.resume === undefined || !this.checkpointer) return false;
    const { tasks } = await this.getState({
      configurable: { ...this.config?.configurable, ...options?.configurable },
    });
    return tasks.some(({ interrupts }) => interrupts.length > 0);
  }

  override async updateState(...[config, values, asNode]: Parameters<Compiled["updateState"]>) {
    const { thread_id: thread, [RUN_KEY]: given } = { ...this.config?.configurable, ...config?.configurable };
    const run = isRun(given)
      ? undefined
      : await openRun({ leases: this.leases, thread: thread === undefined ? undefined : String(thread) });
    try {
      return await super.updateState(config, values, asNode);
    } finally {
      if (run) await closeRun(run);
    }
  }

  override async *_streamIterator(
    ...[input, options]: StreamArguments
  ): ReturnType<Compiled["_streamIterator"]> {
    const entry = toAnswer(input);
    const configurable = { ...this.config?.configurable, ...options?.configurable };
    const { thread_id: thread, [RUN_KEY]: given } = configurable;
    // A parent graph, or the runtime, has begun the run and ends it.
    const isOurs = !isRun(given);
    const isNested =
      configurable.__pregel_read !== undefined || configurable.__pregel_checkpointer !== undefined;
    const leases = thread === undefined || isNested ? undefined : this.leases;
    const run = isOurs
      ? await openRun({
          leases,
          thread: thread === undefined ? undefined : String(thread),
          signal: options?.signal,
        })
      : given;
    try {
      // Only an answer to an open question may enter a paused tool again; whatever else comes is a crash.
      if (!isNested) run.answers = await this.#isAnswer(entry, options);
      const config = {
        ...options,
        durability: "sync",
        configurable: { ...options?.configurable, [RUN_KEY]: run },
      };
      yield* super._streamIterator(withMessageIds(entry) as never, config as never) as ReturnType<
        Compiled["_streamIterator"]
      >;
    } finally {
      if (isOurs) await closeRun(run);
    }
  }
}

/** "Mark as resolved" of chat clients goes to the end, past the open question: here it is the answer to it. */
function toAnswer(input: StreamArguments[0]): StreamArguments[0] {
  if (!isCommand(input) || input.resume !== undefined) return input;
  const [goto, ...more] = [input.goto].flat();
  if (goto !== END || more.length > 0) return input;
  return new Command({ resume: { goto: END }, ...(input.update ? { update: input.update } : {}) });
}

/** A skill's text follows a message by its id, and the delta channel gives none to what clients send. */
function withMessageIds(input: unknown): unknown {
  if (isCommand(input)) {
    // A client may send messages and answers; what else is in the state is ours.
    const { messages } = (input.update ?? {}) as { messages?: unknown };
    const update = messages === undefined ? undefined : withMessageIds({ messages });
    return update === input.update
      ? input
      : new Command({ ...input, update: update as Record<string, unknown> });
  }
  if (typeof input !== "object" || input === null || !("messages" in input)) return input;
  const { messages } = input;
  if (messages === undefined || messages === null) return input;
  const list = (Array.isArray(messages) && !isTuple(messages) ? messages : [messages]) as BaseMessageLike[];
  return { ...input, messages: list.map(withId) };
}

function isTuple(messages: unknown[]): boolean {
  return messages.length === 2 && typeof messages[0] === "string" && typeof messages[1] === "string";
}

function withId(like: BaseMessageLike) {
  const message = coerceMessageLikeToMessage(like);
  return ensureId(message);
}
